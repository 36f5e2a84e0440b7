import { dns1035Label } from '../../../manifests/name-format.js'
import { child, type FieldError, index, invalid, required } from '../field-error.js'
import { has, isArray, isObject, type Json, type JsonObject } from '../json.js'
import type { Schema } from './schema.js'
import { bearing, propertySchema } from './walk.js'

const bears = bearing(schema => schema['x-kubernetes-embedded-resource'] === true)

/** Whole objects inside an object (`x-kubernetes-embedded-resource`) name their type. */
export function validateEmbeddedResources(schema: Schema, value: Json, path = ''): FieldError[] {
  if (!bears(schema)) return []
  if (isArray(value)) {
    const { items } = schema
    return items ? value.flatMap((item, at) => validateEmbeddedResources(items, item, index(path, at))) : []
  }
  if (!isObject(value)) return []
  const own = path !== '' && schema['x-kubernetes-embedded-resource'] ? typeErrors(value, path) : []
  const inner = Object.entries(value).flatMap(([key, member]) => {
    const memberSchema = propertySchema(schema, key)
    return memberSchema ? validateEmbeddedResources(memberSchema, member, child(path, key)) : []
  })
  return [...own, ...inner]
}

function typeErrors(value: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = []
  for (const key of ['apiVersion', 'kind']) {
    const field = child(path, key)
    const name = has(value, key) ? value[key] : undefined
    if (name === undefined) errors.push(required(field))
    else if (typeof name !== 'string') errors.push(invalid(field, name, 'must be a string'))
    else if (name === '') errors.push(invalid(field, name, 'must not be empty'))
    else if (key === 'apiVersion' && name.split('/').length > 2) {
      errors.push(invalid(field, name, `unexpected GroupVersion string: ${name}`))
    } else if (key === 'kind') {
      const complaints = dns1035Label(name.toLowerCase())
      if (complaints.length > 0) {
        errors.push(
          invalid(field, name, `may have mixed case, but should otherwise match: ${complaints.join(',')}`),
        )
      }
    }
  }
  return errors
}
