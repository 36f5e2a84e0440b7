import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { changedObject, formTextOf } from '../../../console/forms/form-text.js'
import {
  type DataKind,
  formEntries,
  newPlace,
  settingFile,
  settingText,
  settingType,
} from '../../../console/objects/forms/data-changes.js'

const MAP = `apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
data:
  mode: fast
binaryData:
  logo: iVBORw==
`
const SECRET = `apiVersion: v1
kind: Secret
metadata:
  name: credentials
type: Opaque
data:
  password: aHVudGVyMg==
  key: /v7+
`

const objectIn = (text: string): unknown => {
  const read = formTextOf(text, () => ({}))
  if ('problem' in read) throw new Error(JSON.stringify(read.problem))
  return read.objects[0]?.object
}
const entriesIn = (kind: DataKind, text: string) => formEntries(kind, objectIn(text))
const entry = (kind: DataKind, text: string, key: string) =>
  entriesIn(kind, text).find(each => each.key === key)!
const bytes = (...of: number[]) => Uint8Array.from(of)

describe('the entries of a ConfigMap or Secret in a form', () => {
  it('are text where they are UTF-8, decoded from base64 where their field has that', () => {
    expect(entriesIn('configmaps', MAP)).toMatchObject([
      { key: 'mode', text: 'fast', bytes: 4, isEditable: true, field: 'data' },
      { key: 'logo', text: undefined, bytes: 4, isEditable: false, field: 'binaryData' },
    ])
    expect(entriesIn('secrets', SECRET)).toMatchObject([
      { key: 'password', text: 'hunter2', isEditable: true },
      { key: 'key', text: undefined, bytes: 3, isEditable: false },
    ])
  })

  it.each([
    ['has line ends of Windows, which a page would change', 'a\r\nb'],
    ['is longer than a field holds', 'a'.repeat(50_001)],
  ])('are not editable where a value %s', (_, value) => {
    const text = changedObject(MAP, 0, settingText(entry('configmaps', MAP, 'mode'), value))
    expect(entry('configmaps', text, 'mode')).toMatchObject({ text: value, isEditable: false })
  })

  it('keep the typed text, and leave other entries unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), value => {
        const map = changedObject(MAP, 0, settingText(entry('configmaps', MAP, 'mode'), value))
        expect(objectIn(map)).toMatchObject({ data: { mode: value }, binaryData: { logo: 'iVBORw==' } })
        const secret = changedObject(SECRET, 0, settingText(entry('secrets', SECRET, 'password'), value))
        expect(entry('secrets', secret, 'password').text).toBe(value)
        expect(objectIn(secret)).toMatchObject({ data: { key: '/v7+' } })
      }),
      { numRuns: 50 },
    )
  })

  it('store a file as text where it is text, else in base64', () => {
    const put = (text: string, kind: DataKind, key: string, file: Uint8Array, isNew = false) =>
      objectIn(changedObject(text, 0, ...settingFile(kind, { key, bytes: file }, isNew)))
    expect(put(MAP, 'configmaps', 'a.txt', bytes(104, 105))).toMatchObject({ data: { 'a.txt': 'hi' } })
    expect(put(MAP, 'configmaps', 'a.bin', bytes(255))).toMatchObject({ binaryData: { 'a.bin': '/w==' } })
    expect(put(SECRET, 'secrets', 'a.txt', bytes(104, 105))).toMatchObject({ data: { 'a.txt': 'aGk=' } })
    expect(put(SECRET, 'secrets', 'a.txt', bytes(104, 105), true)).toMatchObject({
      stringData: { 'a.txt': 'hi' },
    })
    expect(put(SECRET, 'secrets', 'a.bin', bytes(0, 1), true)).toMatchObject({ data: { 'a.bin': 'AAE=' } })
    // A mark of the byte order is part of the file.
    expect(put(MAP, 'configmaps', 'bom', bytes(0xef, 0xbb, 0xbf, 97))).toMatchObject({
      data: { bom: '\ufeffa' },
    })
  })

  it('have each key once: a file replaces an entry of another field', () => {
    const text = changedObject(
      MAP,
      0,
      ...settingFile('configmaps', { key: 'mode', bytes: bytes(255) }, false),
    )
    expect(entriesIn('configmaps', text).map(({ key, field }) => `${field}/${key}`)).toEqual([
      'binaryData/logo',
      'binaryData/mode',
    ])
  })

  it('encode a file of a megabyte', () => {
    const file = new Uint8Array(1_000_000).fill(255)
    const text = changedObject(MAP, 0, ...settingFile('configmaps', { key: 'big', bytes: file }, false))
    expect(text).toContain(Buffer.from(file).toString('base64'))
  })

  it('include the keys that a type of Secret requires', () => {
    const text = changedObject(
      SECRET,
      0,
      ...settingType('kubernetes.io/tls', entriesIn('secrets', SECRET), true),
    )
    expect(objectIn(text)).toMatchObject({
      type: 'kubernetes.io/tls',
      data: { password: 'aHVudGVyMg==' },
      stringData: { 'tls.crt': '', 'tls.key': '' },
    })
    expect(newPlace('secrets', 'a', false)).toEqual({ key: 'a', field: 'data', isEncoded: true })
  })
})
