import {
  type DescField,
  type DescMessage,
  fromJson,
  type JsonObject,
  type JsonValue,
  type Message,
  ScalarType,
} from '@bufbuild/protobuf'
import { hasMoreValues } from '../../ports/json-values.js'
import { type Binding, WRITTEN_AS_TEXT } from '../../transcoding/binding.js'
import { isJsonObject } from '../../transcoding/json-object.js'
import { type FieldViolation, invalidArgument, invalidFields } from '../errors/failure.js'
import { MOST_VALUES } from '../limits/request-size.js'
import type { Operation } from '../operation/operation.js'
import { typesOfJson } from './json.js'
import { violationsIn } from './violations.js'

/** The parts of an HTTP request that a google.api.http binding reads. */
export interface Parts {
  /** Path parameters by field path in proto names, decoded. */
  readonly path: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** The body's text; '' where there is none. */
  readonly body: string
}

/**
 * Builds the request message by the rules of google.api.http: path parameters override the body, and the query fills the rest.
 * @throws Failure INVALID_ARGUMENT naming every field that is unknown or ill-typed
 */
export function bindRequest(operation: Operation, binding: Binding, parts: Parts): Message {
  const schema = operation.method.input
  const json = bodyJson(schema, binding, parts.body)
  const violations: FieldViolation[] = []
  for (const [key, texts] of grouped(parts.query)) {
    if (binding.body !== '*') violations.push(...setField(schema, json, key, texts))
    else violations.push({ field: key, description: 'this method takes no query parameters, only a body' })
  }
  for (const [field, value] of Object.entries(parts.path)) {
    if (field) violations.push(...setField(schema, json, field, [value], true))
  }
  if (violations.length > 0) throw invalidFields(withKnownFields(violations, schema, parts))
  try {
    return fromJson(schema, json, { registry: typesOfJson })
  } catch (error) {
    const found = violationsIn(schema, json)
    throw found.length > 0
      ? invalidFields(found)
      : invalidArgument(error instanceof Error ? error.message : String(error), { cause: error })
  }
}

/** The first violation, where it is about a parameter that there is not, with those that there are. */
function withKnownFields(
  [first, ...others]: readonly FieldViolation[],
  { name, fields }: DescMessage,
  { path }: Parts,
): readonly FieldViolation[] {
  if (!first?.description.endsWith(` in ${name}`)) return first ? [first, ...others] : others
  const known = fields.filter(field => !(field.name in path)).map(({ jsonName }) => jsonName)
  const description = `${first.description}: ${known.length > 0 ? `its parameters are ${known.join(', ')}` : 'it has no parameters'}`
  return [{ ...first, description }, ...others]
}

/** The texts of each parameter. `getAll` looks through all of them, which for thousands of parameters takes a while. */
function grouped(query: URLSearchParams): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>()
  for (const [key, text] of query) {
    const texts = found.get(key)
    if (texts) texts.push(text)
    else found.set(key, [text])
  }
  return found
}

function bodyJson(schema: DescMessage, binding: Binding, text: string): JsonObject {
  if (binding.body === '') {
    if (text.trim() !== '') throw invalidArgument('this method takes no body')
    return {}
  }
  if (text.trim() === '') return {}
  if (hasMoreValues(text, MOST_VALUES)) throw invalidArgument(`the body has more than ${MOST_VALUES} values`)
  let parsed: JsonValue
  try {
    parsed = JSON.parse(text) as JsonValue
  } catch (error) {
    throw invalidArgument(`the body is not JSON: ${error instanceof Error ? error.message : ''}`, {
      cause: error,
    })
  }
  if (binding.body !== '*') {
    const field = schema.fields.find(({ name }) => name === binding.body)
    return { [field?.jsonName ?? binding.body]: parsed }
  }
  if (!isJsonObject(parsed)) throw invalidArgument('the body must be a JSON object')
  return parsed
}

/**
 * Writes the texts of a path or query parameter into the request's JSON: `a.b` reaches into messages, `labels[x]` into
 * maps, repeated keys fill repeated fields. Path parameters replace fields of the body.
 */
function setField(
  schema: DescMessage,
  json: JsonObject,
  key: string,
  texts: readonly string[],
  replace = false,
): FieldViolation[] {
  const refuse = (description: string): FieldViolation[] => [{ field: key, description }]
  const [, path = '', mapKey] = /^([^[\]]+)(?:\[([^[\]]+)\])?$/.exec(key) ?? []
  const names = path.split('.')
  let message: DescMessage = schema
  let target = json
  for (const [index, name] of names.entries()) {
    const field = fieldNamed(message, name)
    if (!field) return refuse(`there is no field ${name} in ${message.name}`)
    if (index === names.length - 1) {
      if (mapKey !== undefined) return setEntry(field, target, mapKey, texts, refuse)
      if (field.jsonName in target && !replace) return refuse('is given twice')
      return setValue(field, target, texts, refuse)
    }
    if (field.fieldKind !== 'message') return refuse(`${name} is not a message`)
    const inner = target[field.jsonName] ?? {}
    if (!isJsonObject(inner)) return refuse(`${name} is not a message`)
    target[field.jsonName] = inner
    target = inner
    message = field.message
  }
  return refuse('is not a field path')
}

const fieldNamed = (message: DescMessage, name: string): DescField | undefined =>
  message.fields.find(field => field.jsonName === name || field.name === name)

type Refuse = (description: string) => FieldViolation[]

function setEntry(
  field: DescField,
  target: JsonObject,
  key: string,
  texts: readonly string[],
  refuse: Refuse,
): FieldViolation[] {
  if (field.fieldKind !== 'map' || field.mapKind === 'message') return refuse('is not a map of plain values')
  const map = target[field.jsonName] ?? {}
  const [text] = texts
  if (!isJsonObject(map) || text === undefined || texts.length > 1) return refuse('is given twice')
  map[key] = field.mapKind === 'enum' ? enumJson(text) : scalarJson(field.scalar, text)
  target[field.jsonName] = map
  return []
}

function setValue(
  field: DescField,
  target: JsonObject,
  texts: readonly string[],
  refuse: Refuse,
): FieldViolation[] {
  const [text = ''] = texts
  if (field.fieldKind === 'list') {
    if (field.listKind === 'message') return refuse('is a list of messages, which a query cannot hold')
    const { listKind } = field
    target[field.jsonName] = texts.map(item =>
      listKind === 'enum' ? enumJson(item) : scalarJson(field.scalar, item),
    )
    return []
  }
  if (texts.length > 1) return refuse(`is given ${texts.length} times, but is not repeated`)
  if (field.fieldKind === 'map') return refuse(`is a map: write ${field.jsonName}[key]=value`)
  if (field.fieldKind === 'enum') target[field.jsonName] = enumJson(text)
  else if (field.fieldKind === 'scalar') target[field.jsonName] = scalarJson(field.scalar, text)
  else if (WRITTEN_AS_TEXT.has(field.message.typeName)) target[field.jsonName] = text
  else return refuse(`is a message: name its fields, e.g. ${field.jsonName}.field=value`)
  return []
}

/** Enum values may be written by name or number. */
const enumJson = (text: string): JsonValue => (/^-?\d+$/.test(text) ? Number(text) : text)

/** proto3 JSON reads numbers from strings by itself; booleans it does not. */
const scalarJson = (scalar: ScalarType, text: string): JsonValue =>
  scalar === ScalarType.BOOL && (text === 'true' || text === 'false') ? text === 'true' : text
