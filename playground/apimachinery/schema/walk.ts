import { has } from '../json.js'
import type { Schema } from './schema.js'

/** The schema of one property: declared, or that of all further ones; undefined when nothing is said of it. */
export function propertySchema(schema: Schema, key: string): Schema | undefined {
  const { properties, additionalProperties } = schema
  if (properties && has(properties, key)) return properties[key]
  return typeof additionalProperties === 'object' ? additionalProperties : undefined
}

/** A schema that says nothing and keeps everything: free-form JSON. */
export const FREE_FORM: Schema = { 'x-kubernetes-preserve-unknown-fields': true }

/** Every object carries these beside what its schema says. */
export const TYPE_AND_METADATA: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata'])

/**
 * Whether a node of a schema or anything below it is of a kind: most of a schema is of none and need not be walked. Found
 * out once per node, however many logical clusters share it; for schemas without cycles, as those of CRDs are.
 */
export function bearing(isOne: (schema: Schema) => boolean): (schema: Schema) => boolean {
  const known = new WeakMap<Schema, boolean>()
  const bears = (schema: Schema): boolean => {
    const before = known.get(schema)
    if (before !== undefined) return before
    const below = [
      ...Object.values(schema.properties ?? {}),
      ...(schema.items ? [schema.items] : []),
      ...(typeof schema.additionalProperties === 'object' ? [schema.additionalProperties] : []),
      ...(schema.allOf ?? []),
    ]
    const found = isOne(schema) || below.some(bears)
    known.set(schema, found)
    return found
  }
  return bears
}
