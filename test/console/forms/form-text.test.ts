import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  adding,
  type Change,
  removing,
  renaming,
  setting,
  settingEntry,
  settingTexts,
} from '../../../console/forms/changes.js'
import { changedObject, changedText, formTextOf } from '../../../console/forms/form-text.js'

const TEXT = `# who owns this
apiVersion: v1
kind: Service
metadata:
  name: web
spec:
  selector:
    app: web # the front
    "tier": front
  # the form does not know this
  trafficDistribution: PreferClose
  ports:
  - port: 80 # plain
    appProtocol: http
---
# where it goes
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata:
  name: web-service
spec:
  placement: {}
`

const lines = (text: string) => text.split('\n')
const objectsIn = (text: string) => {
  const read = formTextOf(text, () => ({}))
  if ('problem' in read) throw new Error(JSON.stringify(read.problem))
  return read.objects
}

describe('a form of one object in a text of several', () => {
  it('reads each object, also before it has a name', () => {
    expect(objectsIn(`${TEXT}---\napiVersion: v1\nkind: Secret\n`)).toMatchObject([
      { index: 0, kind: 'Service', name: 'web', namespace: '' },
      { index: 1, kind: 'PropagationPolicy', name: 'web-service' },
      { index: 2, kind: 'Secret', name: '' },
    ])
  })

  it.each<[string, Change, string[], string[]]>([
    [
      'a number',
      setting(['spec', 'ports', 0, 'port'], 81),
      ['  - port: 80 # plain'],
      ['  - port: 81 # plain'],
    ],
    [
      'a text',
      settingEntry(['spec', 'selector', 'app'], ''),
      ['    app: web # the front'],
      ['    app: "" # the front'],
    ],
    [
      'a key',
      renaming(['spec', 'selector', 'app'], 'name'),
      ['    app: web # the front'],
      ['    name: web # the front'],
    ],
    ['a key to one that is there', renaming(['spec', 'selector', 'app'], 'tier'), [], []],
    ['a row that is added', adding(['spec', 'ports'], { port: 443 }), [], ['  - port: 443']],
    ['a row that is removed', removing(['spec', 'selector', 'tier']), ['    "tier": front'], []],
    [
      'a list that is new',
      settingTexts(['spec', 'externalIPs'], ['10.0.0.1']),
      [],
      ['  externalIPs:', '  - 10.0.0.1'],
    ],
  ])('changes %s alone: comments, unknown fields and the other object stay', (_, change, gone, come) => {
    const after = changedObject(TEXT, 0, change)
    expect(lines(TEXT).filter(line => !lines(after).includes(line))).toEqual(gone)
    expect(lines(after).filter(line => !lines(TEXT).includes(line))).toEqual(come)
  })

  it('keeps a row of a list whose last field was emptied, because the user goes on typing there', () => {
    const text = changedObject(
      TEXT,
      0,
      removing(['spec', 'ports', 0, 'appProtocol']),
      removing(['spec', 'ports', 0, 'port']),
    )
    expect(objectsIn(text)[0]?.object).toMatchObject({ spec: { ports: [{}] } })
  })

  it('adds and removes objects of the text', () => {
    const without = changedText(TEXT, documents => documents.splice(1, 1))
    expect(objectsIn(without)).toHaveLength(1)
    expect(objectsIn(`${without}---\n${TEXT}`)).toHaveLength(3)
  })

  it('writes any typed text so that it is read back as the same text', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.string({ unit: fc.constantFrom('a', ' ', '\n', '\t', ':', '#', '-', '"', "'", '\\', '|') }),
          fc.constantFrom(
            'yes',
            'n',
            '0o17',
            '1_000',
            '1:30',
            '2026-01-01',
            '.5',
            '1e3',
            '~',
            '<<',
            '=',
            '---',
            '...',
          ),
        ),
        fc.string({ unit: fc.constantFrom('a', '1', '.', '-', '_', '/', '<', '~', 'y'), minLength: 1 }),
        (value, key) => {
          const text = changedObject(TEXT, 0, settingEntry(['spec', 'selector', key], value))
          expect(objectsIn(text)[0]?.object).toMatchObject({ spec: { selector: { [key]: value } } })
          expect(objectsIn(text)).toHaveLength(2)
        },
      ),
      { numRuns: 50 },
    )
  })
})
