import { has, isArray, isObject, type Json, type JsonObject, type MutableJsonObject } from '../json.js'
import type { Schema } from './schema.js'
import { propertySchema } from './walk.js'

/**
 * Fills in the schema's defaults where a field is absent, and where it is null though not nullable; a null that is neither
 * nullable nor has a default is removed. The same reference comes back when nothing changed.
 */
export function applyDefaults(schema: Schema, object: JsonObject): JsonObject {
  return visitObject(schema, object)
}

function visit(schema: Schema, value: Json): Json {
  if (isArray(value)) return visitItems(schema, value)
  return isObject(value) ? visitObject(schema, value) : value
}

function visitObject(schema: Schema, object: JsonObject): JsonObject {
  let result: MutableJsonObject | undefined
  const edit = (): MutableJsonObject => {
    result ??= { ...object }
    return result
  }
  for (const [key, value] of Object.entries(object)) {
    const member = propertySchema(schema, key)
    if (!member) continue
    if (value === null && !acceptsNull(member)) {
      if (member.default === undefined) delete edit()[key]
      else edit()[key] = visit(member, member.default)
    } else {
      const filled = visit(member, value)
      if (filled !== value) edit()[key] = filled
    }
  }
  for (const [key, member] of defaulted(schema)) {
    if (!has(object, key) && member.default !== undefined) edit()[key] = visit(member, member.default)
  }
  return result ?? object
}

function visitItems(schema: Schema, items: readonly Json[]): readonly Json[] {
  const { items: item } = schema
  if (!item) return items
  let changed = false
  const filled = items.map(value => {
    const one =
      value === null && !acceptsNull(item) && item.default !== undefined ? item.default : visit(item, value)
    if (one !== value) changed = true
    return one
  })
  return changed ? filled : items
}

/** Free-form values keep their nulls: nothing is known of them. */
const acceptsNull = (schema: Schema): boolean =>
  schema.nullable === true || (schema.type === undefined && !schema['x-kubernetes-int-or-string'])

/** Schemas are shared and large; most have no default. */
const defaultedProperties = new WeakMap<Schema, readonly (readonly [string, Schema])[]>()

function defaulted(schema: Schema): readonly (readonly [string, Schema])[] {
  let found = defaultedProperties.get(schema)
  if (!found) {
    found = Object.entries(schema.properties ?? {}).filter(([, property]) => property.default !== undefined)
    defaultedProperties.set(schema, found)
  }
  return found
}
