import {
  type DescField,
  type DescMessage,
  type JsonObject,
  type JsonValue,
  type Message,
  toJson,
} from '@bufbuild/protobuf'
import { type Binding, bindingsOf, type HttpMethod, WRITTEN_AS_TEXT } from './binding.js'
import { errorDetailTypes } from './error-details.js'
import { isJsonObject } from './json-object.js'
import { ONE_SEGMENT, type Segment } from './template.js'

/** A request message as the HTTP request that means it. */
export interface EncodedRequest {
  readonly verb: Binding['verb']
  /** Percent-encoded, with its query. */
  readonly path: string
  /** JSON; undefined where the method takes no body. */
  readonly body: string | undefined
}

/** A message that no HTTP request can mean. The text names the field. */
export class EncodeError extends Error {
  override readonly name = 'EncodeError'
}

/**
 * Writes a request message as HTTP by the rules of google.api.http: the path holds the fields that its template names, the body
 * the field or fields that the option says, the query the rest. The inverse of what the server does.
 * @throws EncodeError for an empty or odd value in the path, and for what a query cannot hold
 */
export function encodeRequest(method: HttpMethod, message: Message): EncodedRequest {
  const [binding] = bindingsOfMethod(method)
  if (!binding) throw new EncodeError(`${method.parent.typeName}.${method.name} is not served over HTTP`)
  const json = toJson(method.input, message, { registry: errorDetailTypes }) as JsonObject
  const { template, body, verb } = binding
  const segments = template.segments.map(segment => pathText(method.input, json, segment))
  const path = `/${segments.join('/')}${template.verb ? `:${template.verb}` : ''}`
  if (body === '*') return { verb, path, body: JSON.stringify(json) }
  const query = new URLSearchParams()
  const bodyField = method.input.fields.find(({ name }) => name === body)
  const inBody = bodyField ? json[bodyField.jsonName] : undefined
  if (bodyField) delete json[bodyField.jsonName]
  addQuery(query, method.input, json, '')
  return {
    verb,
    path: query.size > 0 ? `${path}?${query}` : path,
    body: bodyField ? (inBody === undefined ? '' : JSON.stringify(inBody)) : undefined,
  }
}

/** Templates are parsed once for each method. */
const known = new WeakMap<HttpMethod, readonly Binding[]>()

function bindingsOfMethod(method: HttpMethod): readonly Binding[] {
  const found = known.get(method) ?? bindingsOf(method)
  known.set(method, found)
  return found
}

/** The text of a segment. What the path holds is taken out of the JSON. */
function pathText(schema: DescMessage, json: JsonObject, segment: Segment): string {
  if ('literal' in segment) return segment.literal
  const { field, pattern } = segment
  const value = String(taken(schema, json, field.split('.')) ?? '')
  const parts = pattern === ONE_SEGMENT ? [value] : value.split('/')
  for (const part of parts) {
    // URL parsers take . and .. for steps, also when they are percent-encoded.
    if (part === '' || part === '.' || part === '..')
      throw new EncodeError(`${field} is ${JSON.stringify(value)}, which cannot be a part of a path`)
    if (HALF_A_PAIR.test(part))
      throw new EncodeError(`${field} has half of a surrogate pair, which cannot be written in a URL`)
  }
  if (!new RegExp(`^${pattern}$`, 's').test(pattern === ONE_SEGMENT ? value.replaceAll('/', '_') : value))
    throw new EncodeError(`${field} is ${JSON.stringify(value)}, which does not match ${pattern}`)
  return parts.map(encodeURIComponent).join('/')
}

const HALF_A_PAIR = /\p{Surrogate}/u

function taken(
  schema: DescMessage,
  json: JsonObject,
  [name, ...rest]: readonly string[],
): JsonValue | undefined {
  const field = schema.fields.find(candidate => candidate.name === name)
  if (!field) return undefined
  const value = json[field.jsonName]
  if (rest.length === 0) {
    delete json[field.jsonName]
    // A zero enum value is left out of JSON, and its name stands in the path.
    return (
      value ??
      (field.fieldKind === 'enum' ? field.enum.values.find(({ number }) => number === 0)?.name : undefined)
    )
  }
  return field.message && isJsonObject(value) ? taken(field.message, value, rest) : undefined
}

/** Adds what is set: `a.b=1` for a field of a message, `a[key]=1` for an entry of a map, `a=1&a=2` for a list. */
function addQuery(query: URLSearchParams, schema: DescMessage, json: JsonObject, prefix: string): void {
  for (const field of schema.fields) {
    const value = json[field.jsonName]
    if (value !== undefined) addField(query, field, value, prefix + field.jsonName)
  }
}

function addField(query: URLSearchParams, field: DescField, value: JsonValue, key: string): void {
  if (field.fieldKind === 'list' && Array.isArray(value)) {
    if (field.listKind === 'message')
      throw new EncodeError(`${key} is a list of messages, which a query cannot hold`)
    for (const item of value) query.append(key, text(item, key))
  } else if (field.fieldKind === 'map' && isJsonObject(value)) {
    if (field.mapKind === 'message')
      throw new EncodeError(`${key} is a map of messages, which a query cannot hold`)
    for (const [name, item] of Object.entries(value)) {
      if (name === '' || /[[\]]/.test(name))
        throw new EncodeError(`${key} has the key ${JSON.stringify(name)}, which a query cannot hold`)
      query.append(`${key}[${name}]`, text(item, key))
    }
  } else if (field.fieldKind === 'message' && !WRITTEN_AS_TEXT.has(field.message.typeName)) {
    if (!isJsonObject(value) || field.message.typeName.startsWith('google.protobuf.'))
      throw new EncodeError(`${key} is free-form, which a query cannot hold`)
    if (Object.keys(value).length === 0)
      throw new EncodeError(`${key} is set and empty, which a query cannot say`)
    addQuery(query, field.message, value, `${key}.`)
  } else query.append(key, text(value, key))
}

function text(value: JsonValue, key: string): string {
  const written = String(value)
  if (HALF_A_PAIR.test(written))
    throw new EncodeError(`${key} has half of a surrogate pair, which cannot be written in a URL`)
  return written
}
