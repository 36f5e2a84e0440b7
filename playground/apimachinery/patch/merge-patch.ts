import { has, isObject, type Json, type JsonObject, type MutableJsonObject } from '../json.js'
import { badPatch } from './patch-error.js'

/**
 * Applies an RFC 7386 merge patch and returns the new document; the old one stays as it is and is shared where the patch
 * says nothing.
 * @throws StatusError 400 when the patch is not an object: a merge patch never replaces a whole Kubernetes object
 */
export function mergePatch(document: JsonObject, patch: unknown): JsonObject {
  if (!isObject(patch)) throw badPatch('Invalid JSON Patch')
  return merge(document, patch)
}

function merge(target: Json | undefined, patch: JsonObject): JsonObject {
  const result: MutableJsonObject = isObject(target) ? { ...target } : {}
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key]
    else
      define(result, key, isObject(value) ? merge(has(result, key) ? result[key] : undefined, value) : value)
  }
  return result
}

/** Sets `key` as data, also when it is `__proto__`. */
function define(object: MutableJsonObject, key: string, value: Json): void {
  Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
}
