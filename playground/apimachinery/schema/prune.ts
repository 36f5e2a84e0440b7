import { isArray, isObject, type Json, type JsonObject, type MutableJsonObject } from '../json.js'
import type { Schema } from './schema.js'
import { propertySchema, TYPE_AND_METADATA } from './walk.js'

/** What pruning leaves, and the paths of what it dropped (`spec.foo`, `spec.list[0].bar`), sorted. */
export interface Pruned {
  readonly object: JsonObject
  readonly unknownFields: readonly string[]
}

/**
 * Drops what the schema does not name. apiVersion, kind and metadata of the object itself always stay (metadata has rules of
 * its own); the input is returned unchanged, the same reference, when there is nothing to drop.
 */
export function prune(schema: Schema, object: JsonObject): Pruned {
  const unknownFields: string[] = []
  const root: Schema = { ...schema, 'x-kubernetes-embedded-resource': true }
  const pruned = visit(root, object, '', unknownFields)
  return { object: isObject(pruned) ? pruned : object, unknownFields: unknownFields.sort() }
}

function visit(schema: Schema | undefined, value: Json, path: string, dropped: string[]): Json {
  if (isArray(value)) return visitItems(schema, value, path, dropped)
  if (!isObject(value)) return value
  const preserve = schema?.['x-kubernetes-preserve-unknown-fields'] === true
  const embedded = schema?.['x-kubernetes-embedded-resource'] === true
  const allowed = schema?.additionalProperties === true
  let result: MutableJsonObject | undefined
  for (const [key, member] of Object.entries(value)) {
    if (embedded && TYPE_AND_METADATA.has(key)) continue
    const memberSchema = schema && propertySchema(schema, key)
    const at = path === '' ? key : `${path}.${key}`
    if (memberSchema) {
      const kept = visit(memberSchema, member, at, dropped)
      if (kept !== member) {
        result ??= { ...value }
        result[key] = kept
      }
    } else if (!preserve && !allowed) {
      dropped.push(at)
      result ??= { ...value }
      delete result[key]
    }
  }
  return result ?? value
}

function visitItems(
  schema: Schema | undefined,
  items: readonly Json[],
  path: string,
  dropped: string[],
): readonly Json[] {
  const preserve = schema?.['x-kubernetes-preserve-unknown-fields'] === true
  if (preserve && !schema?.items) return items
  let changed = false
  const kept = items.map((item, index) => {
    const one = visit(schema?.items, item, `${path}[${index}]`, dropped)
    if (one !== item) changed = true
    return one
  })
  return changed ? kept : items
}
