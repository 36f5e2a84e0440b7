import { type DescField, type DescMessage, fromJson, type JsonValue, ScalarType } from '@bufbuild/protobuf'
import { isJsonObject } from '../../transcoding/json-object.js'
import type { FieldViolation } from '../errors/failure.js'
import { mustBeOneOf } from '../operation/must-be-one-of.js'
import { typesOfJson } from './json.js'

/** What whole numbers of 32 and 64 bits may be: `proto3`'s ranges. */
const SIGNED_32 = '-2147483648 to 2147483647'
const UNSIGNED_32 = '0 to 4294967295'
const SIGNED_64 = '-9223372036854775808 to 9223372036854775807'
const UNSIGNED_64 = '0 to 18446744073709551615'
const WHOLE_NUMBERS: ReadonlyMap<ScalarType, string> = new Map([
  [ScalarType.INT32, SIGNED_32],
  [ScalarType.SINT32, SIGNED_32],
  [ScalarType.SFIXED32, SIGNED_32],
  [ScalarType.UINT32, UNSIGNED_32],
  [ScalarType.FIXED32, UNSIGNED_32],
  [ScalarType.INT64, SIGNED_64],
  [ScalarType.SINT64, SIGNED_64],
  [ScalarType.SFIXED64, SIGNED_64],
  [ScalarType.UINT64, UNSIGNED_64],
  [ScalarType.FIXED64, UNSIGNED_64],
])

/**
 * Finds each problem of JSON that a message refused, with its full path, by reading the parts one by one. Called only after
 * a refusal, so that valid requests do not pay for it.
 */
export function violationsIn(schema: DescMessage, json: JsonValue, prefix = ''): FieldViolation[] {
  if (schema.typeName.startsWith('google.protobuf.')) return alone(schema, json, prefix)
  if (!isJsonObject(json)) return mustBeObject(schema, json, alone(schema, json, prefix))
  return Object.entries(json).flatMap(([key, value]) => {
    const path = `${prefix}${key}`
    const field = schema.fields.find(candidate => candidate.jsonName === key || candidate.name === key)
    if (!field) return [{ field: path, description: `there is no such field in ${schema.name}` }]
    return inField(schema, field, value, path)
  })
}

function inField(schema: DescMessage, field: DescField, value: JsonValue, path: string): FieldViolation[] {
  if (field.fieldKind === 'message' && isJsonObject(value)) {
    return violationsIn(field.message, value, `${path}.`)
  }
  if (field.fieldKind === 'list' && field.listKind === 'message' && Array.isArray(value)) {
    return value.flatMap((item, index) => violationsIn(field.message, item, `${path}[${index}].`))
  }
  if (field.fieldKind === 'map' && field.mapKind === 'message' && isJsonObject(value)) {
    return Object.entries(value).flatMap(([key, item]) =>
      violationsIn(field.message, item, `${path}[${key}].`),
    )
  }
  const found = alone(schema, { [field.jsonName]: value }, `${path}.`)
  if (field.fieldKind === 'message' && !field.message.typeName.startsWith('google.protobuf.'))
    return mustBeObject(field.message, value, found)
  const range = field.fieldKind === 'scalar' ? WHOLE_NUMBERS.get(field.scalar) : undefined
  if (range) {
    const description = `is ${JSON.stringify(value)}, but must be a whole number from ${range}`
    return found.map(one => ({ ...one, description }))
  }
  return field.enum ? found.map(one => ({ ...one, description: mustBeOneOf(field.enum, value) })) : found
}

/** A text, a number or a list where a message is wanted: often a whole manifest as text. */
const mustBeObject = ({ name }: DescMessage, value: JsonValue, found: FieldViolation[]): FieldViolation[] =>
  found.map(one => ({
    ...one,
    description: `must be a JSON object with the fields of ${name}, but is ${Array.isArray(value) ? 'a list' : `a ${typeof value}`}`,
  }))

/** The problems of this JSON when it is the whole message. */
function alone(schema: DescMessage, json: JsonValue, prefix: string): FieldViolation[] {
  try {
    fromJson(schema, json, { registry: typesOfJson })
    return []
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const description = message.replace(/^cannot decode (field|message) \S+ from JSON: /, '')
    // The library counts items from 1, and paths count from 0.
    const [counted = '', position] = /^list item #(\d+): /.exec(description) ?? []
    const at = position === undefined ? '' : `[${Number(position) - 1}]`
    return [{ field: `${prefix.replace(/\.$/, '')}${at}`, description: description.slice(counted.length) }]
  }
}
