import { has, type Json, type JsonObject, withAt } from '../../json.js'
import type { Strategy } from '../../resource-definition.js'

/** On create the client's status is replaced by `initial`. */
const startWithStatus =
  (initial: Json | undefined): NonNullable<Strategy['prepareForCreate']> =>
  object =>
    withAt(object, ['status'], initial)

/** An update through the main resource leaves the status as it was. */
export const keepStatus: NonNullable<Strategy['prepareForUpdate']> = (object, old) =>
  has(old, 'status') ? { ...object, status: old.status as Json } : withAt(object, ['status'], undefined)

/** Both, for kinds with a status subresource. */
export const statusSubresource = (initial: Json | undefined): Strategy => ({
  prepareForCreate: startWithStatus(initial),
  prepareForUpdate: keepStatus,
})

/** Applies `change` to the object at `path` when there is one. */
export function mapAt(
  object: JsonObject,
  path: readonly [string, ...string[]],
  change: (value: JsonObject) => JsonObject,
): JsonObject {
  const [key, ...rest] = path
  const inner = has(object, key) ? object[key] : undefined
  if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return object
  const held = inner as JsonObject
  const changed = rest.length === 0 ? change(held) : mapAt(held, rest as [string, ...string[]], change)
  return changed === held ? object : { ...object, [key]: changed }
}

/** `object` with the members of `defaults` that it lacks. */
export function fill(object: JsonObject, defaults: JsonObject): JsonObject {
  const missing = Object.entries(defaults).filter(([key]) => !has(object, key))
  return missing.length === 0 ? object : { ...object, ...Object.fromEntries(missing) }
}
