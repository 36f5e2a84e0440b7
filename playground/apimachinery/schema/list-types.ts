import { duplicate, type FieldError, index, invalid } from '../field-error.js'
import { canonical, has, isArray, isObject, type Json, type JsonObject } from '../json.js'
import type { Schema } from './schema.js'
import { bearing, propertySchema } from './walk.js'

const bears = bearing(({ 'x-kubernetes-list-type': type }) => type === 'set' || type === 'map')

/** Sets hold each value once, maps each key once (`x-kubernetes-list-type`). Only the first repetition is reported. */
export function validateListTypes(schema: Schema, value: Json, path = ''): FieldError[] {
  if (!bears(schema)) return []
  if (isArray(value)) {
    const items = schema.items
    return [
      ...uniqueness(schema, value, path),
      ...(items ? value.flatMap((item, at) => validateListTypes(items, item, index(path, at))) : []),
    ]
  }
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, member]) => {
    const declared = schema.properties !== undefined && has(schema.properties, key)
    const memberSchema = propertySchema(schema, key)
    if (!memberSchema) return []
    return validateListTypes(
      memberSchema,
      member,
      declared ? (path === '' ? key : `${path}.${key}`) : index(path, key),
    )
  })
}

function uniqueness(schema: Schema, items: readonly Json[], path: string): FieldError[] {
  const type = schema['x-kubernetes-list-type']
  if (type === 'set') return repeated(items).map(at => duplicate(index(path, at), items[at]))
  if (type !== 'map') return []
  const stray = items.findIndex(item => item !== null && !isObject(item))
  if (stray !== -1) {
    return [invalid(index(path, stray), items[stray], 'must be an object for an array of list-type map')]
  }
  const keys = items.map(item => keysOf(item, schema['x-kubernetes-list-map-keys'] ?? []))
  return repeated(keys).map(at => duplicate(index(path, at), keys[at]))
}

function keysOf(item: Json, names: readonly string[]): JsonObject {
  if (!isObject(item)) return {}
  return Object.fromEntries(names.filter(name => has(item, name)).map(name => [name, item[name] as Json]))
}

/** Where a value occurs for the second time. */
function repeated(values: readonly Json[]): number[] {
  if (values.length < 2) return []
  const seen = new Map<string, number>()
  return values.flatMap((value, at) => {
    const text = canonical(value)
    const times = (seen.get(text) ?? 0) + 1
    seen.set(text, times)
    return times === 2 ? [at] : []
  })
}
