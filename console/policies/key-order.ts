import { isJsonObject } from '../../transcoding/json-object.js'

/**
 * A value whose objects have their fields in the order of another value: those of both first, then its own. So a comparison of their texts shows
 * no field as removed and added that only has another place.
 */
export function inOrderOf<T>(model: unknown, value: T): T
export function inOrderOf(model: unknown, value: unknown): unknown {
  if (Array.isArray(value))
    return value.map((item, index) => inOrderOf(Array.isArray(model) ? model[index] : undefined, item))
  if (!isJsonObject(value)) return value
  const fields = isJsonObject(model) ? model : {}
  const known = Object.keys(fields).filter(key => Object.hasOwn(value, key))
  const keys = new Set([...known, ...Object.keys(value)])
  return Object.fromEntries(
    [...keys].map(key => [key, inOrderOf(Object.hasOwn(fields, key) ? fields[key] : undefined, value[key])]),
  )
}
