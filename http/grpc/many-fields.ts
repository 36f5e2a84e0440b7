import type { DescField, DescMessage } from '@bufbuild/protobuf'
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire'

/** Deeper messages are refused when they are decoded. */
const DEEPEST = 100

/** The type of the message that a field holds, if it holds one. */
type Inner = (number: number) => Inner | undefined

/**
 * Whether an encoded message has more than `most` fields, its inner messages' included, found without making any of them: one of
 * two bytes becomes an object of half a kilobyte.
 * @throws Error for bytes that are no message
 */
export function hasMoreFields(schema: DescMessage, bytes: Uint8Array, most: number): boolean {
  // The smallest field has two bytes.
  if (bytes.length <= 2 * most) return false
  const reader = new BinaryReader(bytes)
  let fields = 0
  const counts = (inner: Inner, end: number, depth: number): boolean => {
    while (reader.pos < end) {
      fields += 1
      if (fields > most) return true
      const [number, wireType] = reader.tag()
      const next = wireType === WireType.LengthDelimited && depth < DEEPEST ? inner(number) : undefined
      if (!next) reader.skip(wireType, number)
      else if (counts(next, reader.uint32() + reader.pos, depth + 1)) return true
    }
    return false
  }
  return counts(innerOf(schema), bytes.length, 0)
}

const known = new WeakMap<DescMessage, Inner>()

function innerOf(schema: DescMessage): Inner {
  const remembered = known.get(schema)
  if (remembered) return remembered
  const fields = new Map(schema.fields.map(field => [field.number, field]))
  const inner: Inner = number => {
    const field = fields.get(number)
    return field && heldBy(field)
  }
  known.set(schema, inner)
  return inner
}

function heldBy(field: DescField): Inner | undefined {
  if (field.fieldKind === 'map') {
    const value = field.mapKind === 'message' ? innerOf(field.message) : undefined
    // An entry is a message with a key, 1, and a value, 2.
    return number => (number === 2 ? value : undefined)
  }
  return field.message && innerOf(field.message)
}
