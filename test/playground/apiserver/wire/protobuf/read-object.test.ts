import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { StatusError } from '../../../../../manifests/status-error.js'
import { readProtobuf } from '../../../../../playground/apiserver/wire/protobuf/read-object.js'

type Write = (writer: BinaryWriter) => unknown
const bytes = (write: Write): Uint8Array => {
  const writer = new BinaryWriter()
  write(writer)
  return writer.finish()
}
const message =
  (number: number, write: Write): Write =>
  writer =>
    writer.tag(number, WireType.LengthDelimited).bytes(bytes(write))
const text =
  (number: number, value: string): Write =>
  writer =>
    writer.tag(number, WireType.LengthDelimited).string(value)
const number =
  (field: number, value: number): Write =>
  writer =>
    writer.tag(field, WireType.Varint).int64(value)
const all =
  (...writes: Write[]): Write =>
  writer => {
    for (const write of writes) write(writer)
  }

const body = (apiVersion: string, kind: string, content: Write): Buffer =>
  Buffer.concat([
    Buffer.from('k8s\0'),
    bytes(all(message(1, all(text(1, apiVersion), text(2, kind))), message(2, content))),
  ])

const refusal = (content: Buffer): string => {
  try {
    readProtobuf(content)
    return 'read'
  } catch (error) {
    return error instanceof StatusError ? `${error.code} ${error.message}` : String(error)
  }
}

describe('decoding of Kubernetes protobuf', () => {
  it('yields the object with its maps and times, and without zero values of metadata', () => {
    const metadata = all(
      text(1, 'settings'),
      text(2, ''),
      number(7, 0),
      message(8, number(1, 1_700_000_000)),
      message(11, all(text(1, 'app'), text(2, 'web'))),
      message(11, all(text(1, '__proto__'), text(2, 'x'))),
    )
    const object = readProtobuf(
      body('v1', 'ConfigMap', all(message(1, metadata), message(2, all(text(1, 'a'), text(2, '1'))))),
    )
    expect(JSON.stringify(object)).toBe(
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"settings","creationTimestamp":"2023-11-14T22:13:20Z","labels":{"app":"web","__proto__":"x"}},"data":{"a":"1"}}',
    )
  })

  it('reads embedded Go structs as fields of the holder, and int-or-string by its type', () => {
    const probe = all(
      message(
        1,
        message(2, all(text(1, '/ok'), message(2, all(number(1, 1), number(2, 0), text(3, 'http'))))),
      ),
      number(3, 5),
    )
    const container = all(text(1, 'c'), message(10, probe))
    const pod = readProtobuf(body('v1', 'Pod', message(2, message(2, container))))
    expect(pod.spec).toEqual({
      containers: [
        { name: 'c', livenessProbe: { httpGet: { path: '/ok', port: 'http' }, timeoutSeconds: 5 } },
      ],
    })
  })

  it('skips unknown fields of newer clients', () => {
    const object = readProtobuf(body('v1', 'ConfigMap', all(text(999, 'new'), message(1, text(1, 'n')))))
    expect(object).toEqual({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'n' } })
  })

  it('refuses custom types, which have JSON only', () => {
    expect(refusal(body('example.com/v1', 'Ship', () => undefined))).toBe(
      '400 the protobuf body cannot be read: no protobuf message is known for Ship in example.com/v1; send JSON',
    )
  })

  it('refuses a body without the magic prefix', () => {
    expect(refusal(Buffer.from('{"kind":"ConfigMap"}'))).toMatch(/^400 the body is not Kubernetes protobuf/)
  })

  it('accepts or refuses a damaged body, and never fails internally', () => {
    const whole = body(
      'v1',
      'ConfigMap',
      all(message(1, text(1, 'n')), message(2, all(text(1, 'a'), text(2, '1')))),
    )
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.nat(255), fc.boolean(), (at, value, cut) => {
        const damaged = Buffer.from(cut ? whole.subarray(0, at) : whole)
        if (!cut) damaged[at] = value
        expect(refusal(damaged)).toMatch(/^(read|400 )/)
      }),
      { numRuns: 2000 },
    )
  })
})
