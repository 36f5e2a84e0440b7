import { modelSchema } from './builtin/model-schemas.js'
import { has, isArray, isObject, type Json, type JsonObject, type MutableJsonObject } from './json.js'
import { canonicalQuantity } from './quantity-value.js'
import type { ResourceDefinition } from './resource-definition.js'
import { applyDefaults } from './schema/defaults.js'
import { isDateTime } from './schema/formats.js'
import { prune } from './schema/prune.js'
import type { Schema } from './schema/schema.js'
import { propertySchema } from './schema/walk.js'

/** A request body read as an object of its type: known fields only, canonical, defaulted. */
export interface Decoded {
  readonly object: JsonObject
  /** Paths of what was dropped because the type does not have it; `fieldValidation` decides what becomes of that. */
  readonly unknownFields: readonly string[]
}

/** A body that does not even have the shape of its type. The message is that of the API server's 400. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError'
}

/**
 * Reads a body as the API server does before anything else looks at it.
 * @throws DecodeError when a built-in type's field holds a value of another type (custom types are validated instead: 422)
 */
export function decode(definition: ResourceDefinition, body: JsonObject): Decoded {
  const { schema, custom, strategy } = definition
  if (!custom) refuseWrongTypes(definition, body)
  const { object, unknownFields } =
    definition.preserveUnknownFields === true ? { object: body, unknownFields: [] } : prune(schema, body)
  const read = custom ? withNormalMetadata(object) : normalized(schema, withSpec(schema, object))
  const filled = applyDefaults(schema, read)
  return { object: strategy?.defaults?.(filled) ?? filled, unknownFields }
}

/** A spec that is not sent, or is null, is an empty one: Go's structs are always there, and so are their defaults. */
function withSpec(schema: Schema, object: JsonObject): JsonObject {
  const declared = schema.properties?.spec?.properties !== undefined
  return declared && !isObject(object.spec) ? { ...object, spec: {} } : object
}

/** The metadata of custom objects is as strict as everybody's: known fields, no empty values, no nulls. */
function withNormalMetadata(object: JsonObject): JsonObject {
  const { metadata } = object
  if (!isObject(metadata)) return object
  const schema = modelSchema('V1ObjectMeta')
  const known = applyDefaults(schema, normalized(schema, prune(schema, metadata).object))
  return known === metadata ? object : { ...object, metadata: known }
}

/** What Kubernetes answers 400 with when a body cannot be read or, under `fieldValidation=Strict`, has unknown fields. */
export const decodeMessage = ({ kind, version }: ResourceDefinition, problem: string): string =>
  `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${problem}`

/** `strict decoding error: unknown field "spec.foo"`. */
export const strictProblem = (unknownFields: readonly string[]): string =>
  `strict decoding error: ${unknownFields.map(path => `unknown field ${JSON.stringify(path)}`).join(', ')}`

function refuseWrongTypes(definition: ResourceDefinition, body: JsonObject): void {
  const wrong = firstMismatch(definition.schema, body, '', definition.kind)
  if (wrong !== undefined) throw new DecodeError(decodeMessage(definition, wrong))
}

/** Go's description of the first value that does not fit its field. */
function firstMismatch(schema: Schema, value: Json, path: string, holder: string): string | undefined {
  if (value === null || schema['x-kubernetes-preserve-unknown-fields']) return undefined
  if (!fits(schema, value)) {
    return `json: cannot unmarshal ${goValue(value)} into Go struct field ${holder}${path} of type ${goType(schema)}`
  }
  if (typeof value === 'string') return textProblem(schema, value)
  if (isArray(value)) {
    const { items } = schema
    return items && first(value, item => firstMismatch(items, item, path, holder))
  }
  if (!isObject(value)) return undefined
  const own =
    schema.model === undefined ? holder : schema.model.replace(/^([A-Z][a-z]+)?V\d+((alpha|beta)\d+)?/, '')
  return first(Object.entries(value), ([key, member]) => {
    const memberSchema = propertySchema(schema, key)
    // Go names the field that holds a map, not the key within it.
    const declared = schema.properties !== undefined && has(schema.properties, key)
    return memberSchema && firstMismatch(memberSchema, member, declared ? `${path}.${key}` : path, own)
  })
}

/** What is wrong with a text that stands for something else: a quantity, bytes, a time. */
function textProblem(schema: Schema, value: string): string | undefined {
  if (schema.canonical === 'quantity')
    return canonicalQuantity(value) === undefined ? NOT_A_QUANTITY : undefined
  if (schema.format !== 'byte') return timeProblem(schema, value)
  const stray = value.search(/[^A-Za-z0-9+/=\r\n]/)
  if (stray === -1 && value.replaceAll(/\s/g, '').length % 4 === 0) return undefined
  // Go names where the incomplete group of four begins.
  return `illegal base64 data at input byte ${stray === -1 ? value.length - (value.length % 4) : stray}`
}

const NOT_A_QUANTITY =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"

/** Layouts are Go's reference time. Only leases and events have microseconds, and those need all six digits. */
function timeProblem({ canonical }: Schema, value: string): string | undefined {
  if (canonical !== 'time' && canonical !== 'micro-time') return undefined
  const fraction = /^.{19}(\.\d+)?/.exec(value)?.[1] ?? ''
  if (isDateTime(value) && (canonical === 'time' || fraction.length === 7)) return undefined
  const layout = canonical === 'time' ? '2006-01-02T15:04:05Z07:00' : '2006-01-02T15:04:05.000000Z07:00'
  const [rest, expected] = isDateTime(value) ? [value.slice(19), '.000000'] : [value, '2006']
  return `parsing time ${JSON.stringify(value)} as ${JSON.stringify(layout)}: cannot parse ${JSON.stringify(rest)} as ${JSON.stringify(expected)}`
}

function first<T>(values: readonly T[], find: (value: T) => string | undefined): string | undefined {
  for (const value of values) {
    const found = find(value)
    if (found !== undefined) return found
  }
  return undefined
}

function fits(schema: Schema, value: Json): boolean {
  if (schema['x-kubernetes-int-or-string']) return typeof value === 'string' || typeof value === 'number'
  switch (schema.type) {
    case 'integer':
      return Number.isInteger(value)
    case 'array':
      return isArray(value)
    case 'object':
      return isObject(value)
    case undefined:
      return true
    default:
      return typeof value === schema.type
  }
}

function goValue(value: Json): string {
  if (isArray(value)) return 'array'
  if (typeof value === 'boolean') return 'bool'
  return typeof value === 'number' && !Number.isInteger(value) ? `number ${value}` : typeof value
}

function goType(schema: Schema): string {
  switch (schema.type) {
    case 'integer':
      return schema.format ?? 'int64'
    case 'boolean':
      return 'bool'
    case 'number':
      return 'float64'
    case 'array':
      return `[]${goType(schema.items ?? {})}`
    case 'object':
      if (typeof schema.additionalProperties === 'object')
        return `map[string]${goType(schema.additionalProperties)}`
      return (schema.model ?? 'object').replace(
        /^([A-Z][a-z]+)?(V\d+(?:(?:alpha|beta)\d+)?)/,
        (_all, _group, version) => `${String(version).toLowerCase()}.`,
      )
    default:
      return 'string'
  }
}

/** Drops empty values that mean nothing and gives quantities and times their one spelling. */
function normalized(schema: Schema, object: JsonObject): JsonObject {
  let result: MutableJsonObject | undefined
  for (const [key, value] of Object.entries(object)) {
    const member = propertySchema(schema, key)
    if (!member) continue
    const plain = normalValue(member, value)
    if (member.vanishes && isEmpty(plain)) {
      result ??= { ...object }
      delete result[key]
    } else if (plain !== value) {
      result ??= { ...object }
      result[key] = plain
    }
  }
  return result ?? object
}

function normalValue(schema: Schema, value: Json): Json {
  if (schema.canonical !== undefined) return canonicalValue(schema.canonical, value)
  if (isObject(value)) return normalized(schema, value)
  const { items } = schema
  if (!isArray(value) || !items) return value
  let changed = false
  const plain = value.map(item => {
    const one = item === null ? zeroOf(items) : normalValue(items, item)
    if (one !== item) changed = true
    return one
  })
  return changed ? plain : value
}

/** What Go makes of a null in a list of a built-in type: the zero value, of which validation then says what it lacks. */
function zeroOf({ type, additionalProperties }: Schema): Json {
  if (type === 'string') return ''
  if (type === 'boolean') return false
  if (type === 'integer' || type === 'number') return 0
  return type === 'object' && additionalProperties === undefined ? {} : null
}

function canonicalValue(canonical: NonNullable<Schema['canonical']>, value: Json): Json {
  if (canonical === 'quantity') {
    const text = typeof value === 'number' ? String(value) : value
    return typeof text === 'string' ? (canonicalQuantity(text) ?? text) : value
  }
  if (typeof value !== 'string') return value
  const time = new Date(value)
  if (Number.isNaN(time.getTime())) return value
  const seconds = time.toISOString().slice(0, 19)
  if (canonical === 'time') return `${seconds}Z`
  const fraction = /\.(\d{1,6})/.exec(value)?.[1] ?? ''
  return `${seconds}.${fraction.padEnd(6, '0')}Z`
}

const isEmpty = (value: Json): boolean =>
  value === '' ||
  value === 0 ||
  value === false ||
  (isArray(value) && value.length === 0) ||
  (isObject(value) && !hasAny(value))

function hasAny(object: JsonObject): boolean {
  for (const key in object) if (has(object, key)) return true
  return false
}
