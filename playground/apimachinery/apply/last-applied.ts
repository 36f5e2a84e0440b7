import { has, isObject, type Json, type JsonObject, objectAt, withAt } from '../json.js'
import { apiVersionOf, type ResourceDefinition } from '../resource-definition.js'
import type { Schema } from '../schema/schema.js'
import { compare } from './compare.js'
import { difference, type FieldSet } from './field-set.js'
import { fieldSetOf } from './field-set-of.js'
import { TypedError } from './ownership-schema.js'

/** Where client-side `kubectl apply` keeps the configuration it applied last. */
export const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

/**
 * The fields that client-side apply set and that are still as it set them. `kubectl apply --server-side` may take these over
 * without a conflict: they are its own, from before.
 */
export function allowedByLastApplied(
  schema: Schema,
  definition: ResourceDefinition,
  live: JsonObject,
): FieldSet | undefined {
  const last = parse(objectAt(live, 'metadata', 'annotations')[LAST_APPLIED])
  if (!last || last.apiVersion !== apiVersionOf(definition)) return undefined
  try {
    const { added, modified, removed } = compare(schema, last, live)
    return [modified, added, removed].reduce(difference, fieldSetOf(schema, last))
  } catch (error) {
    // The annotation of another program may hold anything; one that does not fit the type allows nothing.
    if (error instanceof TypedError) return undefined
    throw error
  }
}

function parse(text: Json | undefined): JsonObject | undefined {
  if (typeof text !== 'string' || text === '') return undefined
  try {
    const value = JSON.parse(text) as Json
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Keeps the annotation true for clients that still read it, where an object has it. */
export function withLastApplied(object: JsonObject, config: JsonObject): JsonObject {
  const annotations = objectAt(object, 'metadata', 'annotations')
  if (!has(annotations, LAST_APPLIED) || annotations[LAST_APPLIED] === '') return object
  const plain = withAt(config, ['metadata', 'annotations', LAST_APPLIED], undefined)
  return withAt(object, ['metadata', 'annotations', LAST_APPLIED], `${JSON.stringify(plain)}\n`)
}
