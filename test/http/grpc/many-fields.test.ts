import { create, toBinary } from '@bufbuild/protobuf'
import { StructSchema, ValueSchema } from '@bufbuild/protobuf/wkt'
import { describe, expect, it } from 'vitest'
import { hasMoreFields } from '../../../http/grpc/many-fields.js'
import { CreateInstanceRequestSchema } from '../../../proto/gen/kairship/instance_pb.js'

const instance = (karmadaSpec: object, labels: Record<string, string> = {}) =>
  toBinary(
    CreateInstanceRequestSchema,
    create(CreateInstanceRequestSchema, {
      data: { metadata: { name: 'x', labels }, spec: { install: { karmadaSpec: karmadaSpec as never } } },
    }),
  )

describe('the number of fields of an encoded message', () => {
  it('counts the fields of messages inside, of lists and of maps', () => {
    // The list, 100 elements and a value in each, and what is around them.
    const bytes = instance({ a: Array(100).fill(true) })
    expect(hasMoreFields(CreateInstanceRequestSchema, bytes, 200)).toBe(true)
    expect(hasMoreFields(CreateInstanceRequestSchema, bytes, 215)).toBe(false)
    const labels = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`k${index}`, 'v']))
    expect(hasMoreFields(CreateInstanceRequestSchema, instance({}, labels), 300)).toBe(true)
    expect(hasMoreFields(CreateInstanceRequestSchema, instance({}, labels), 310)).toBe(false)
  })

  it('does not count bytes in strings', () => {
    const bytes = instance({ a: '\n\u0002'.repeat(10_000) })
    expect(hasMoreFields(CreateInstanceRequestSchema, bytes, 20)).toBe(false)
  })

  it('goes as deep as the decoder', () => {
    // A list in a list in a list…
    let bytes: Uint8Array = toBinary(
      ValueSchema,
      create(ValueSchema, { kind: { case: 'boolValue', value: true } }),
    )
    for (let depth = 0; depth < 5_000; depth += 1) {
      const lengths = [bytes.length + 1 + varint(bytes.length).length, bytes.length]
      bytes = Uint8Array.from([0x32, ...varint(lengths[0]!), 0x0a, ...varint(lengths[1]!), ...bytes])
    }
    expect(hasMoreFields(ValueSchema, bytes, 1_000)).toBe(false)
  })

  it('throws for bytes that are not a message', () => {
    const broken = Uint8Array.from([0x0a, 0xff, 0xff, 0xff, 0x7f, ...Array<number>(100).fill(1)])
    expect(() => hasMoreFields(StructSchema, broken, 10)).toThrow()
  })
})

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)]
}
