/** A parsed JSON value, the form in which every Kubernetes object travels through the playground. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject

/** A parsed JSON object. Never mutated once it has left the function that made it. */
export interface JsonObject {
  readonly [key: string]: Json
}

/** The same value while the function that made it is still building it. */
export type MutableJsonObject = Record<string, Json>

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const isArray = (value: unknown): value is readonly Json[] => Array.isArray(value)

/** True when `object` has `key` itself; keys such as `constructor` are data here, never the prototype's. */
export const has = (object: object, key: string): boolean => Object.hasOwn(object, key)

/** The value at a path of keys, or undefined where the path leaves the object. */
export function at(value: Json | undefined, ...path: readonly string[]): Json | undefined {
  let here = value
  for (const key of path) {
    if (!isObject(here) || !has(here, key)) return undefined
    here = here[key]
  }
  return here
}

/** The string at a path, or '' (as Go reads an absent string). */
export function stringAt(value: Json | undefined, ...path: readonly string[]): string {
  const found = at(value, ...path)
  return typeof found === 'string' ? found : ''
}

/** The object at a path, or an empty one. */
export function objectAt(value: Json | undefined, ...path: readonly string[]): JsonObject {
  const found = at(value, ...path)
  return isObject(found) ? found : {}
}

/** The list at a path, or an empty one. */
export function listAt(value: Json | undefined, ...path: readonly string[]): readonly Json[] {
  const found = at(value, ...path)
  return isArray(found) ? found : []
}

/** `object` with `value` at `path`, objects on the way created; undefined removes the key. Shares all else with the input. */
export function withAt(
  object: JsonObject,
  path: readonly [string, ...string[]],
  value: Json | undefined,
): JsonObject {
  const [key, ...rest] = path
  if (rest.length === 0) {
    if (value !== undefined) return { ...object, [key]: value }
    if (!has(object, key)) return object
    const { [key]: _removed, ...others } = object
    return others
  }
  const child = has(object, key) ? object[key] : undefined
  if (value === undefined && !isObject(child)) return object
  const inner = withAt(isObject(child) ? child : {}, rest as [string, ...string[]], value)
  return inner === child ? object : { ...object, [key]: inner }
}

/** Deep equality of JSON values; the order of keys does not count. */
export function equal(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true
  if (isArray(a)) {
    return isArray(b) && a.length === b.length && a.every((item, index) => equal(item, b[index]))
  }
  if (!isObject(a) || !isObject(b)) return false
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every(key => has(b, key) && equal(a[key], b[key]))
}

/** JSON with sorted keys: equal values have equal texts. */
export function canonical(value: Json): string {
  if (isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value)
  const members = Object.keys(value)
    .sort()
    .map(key => `${JSON.stringify(key)}:${canonical(value[key] as Json)}`)
  return `{${members.join(',')}}`
}
