import { StatusError } from '../../../manifests/status-error.js'
import { failure } from '../field-error.js'
import { equal, has, isArray, isObject, type Json, type JsonObject, type MutableJsonObject } from '../json.js'
import type { Schema } from '../schema/schema.js'
import { propertySchema } from '../schema/walk.js'
import { orderAsPatched } from './element-order.js'
import { badPatch } from './patch-error.js'

const DIRECTIVE = '$patch'
const RETAIN_KEYS = '$retainKeys'
const ORDER = '$setElementOrder/'
const DELETE_PRIMITIVES = '$deleteFromPrimitiveList/'

/** The type only built-in kinds take; asking it of a custom kind is 415. */
export const STRATEGIC_MERGE_PATCH = 'application/strategic-merge-patch+json'

/**
 * Applies a strategic merge patch: like a merge patch, but lists merge by the key that their type declares, and directives
 * (`$patch`, `$retainKeys`, `$setElementOrder/x`, `$deleteFromPrimitiveList/x`) say more. The input is not changed.
 * @param schema of the built-in kind, with its merge keys
 * @throws StatusError 400 for a directive that cannot be read, 500 where Kubernetes answers that (an item without its merge key)
 */
export function strategicMergePatch(schema: Schema, document: JsonObject, patch: unknown): JsonObject {
  if (!isObject(patch)) throw badPatch('invalid JSON document')
  return mergeObject(schema, document, patch)
}

function mergeObject(schema: Schema | undefined, original: JsonObject, patch: JsonObject): JsonObject {
  if (has(patch, DIRECTIVE)) return replacedObject(patch)
  const result: MutableJsonObject = { ...retained(original, patch) }
  for (const [key, value] of Object.entries(patch)) {
    if (key === RETAIN_KEYS || key.startsWith(ORDER)) continue
    if (key.startsWith(DELETE_PRIMITIVES)) {
      deletePrimitives(result, key.slice(DELETE_PRIMITIVES.length), value)
      continue
    }
    const present = has(result, key) ? result[key] : undefined
    const isDirective = isObject(value) && has(value, DIRECTIVE)
    if (value === null || (isDirective && (present === undefined || value[DIRECTIVE] === 'delete')))
      delete result[key]
    else result[key] = mergeValue(schema && propertySchema(schema, key), present, value)
  }
  for (const [key, order] of Object.entries(patch)) {
    if (key.startsWith(ORDER)) reorder(schema, original, patch, result, key.slice(ORDER.length), order)
  }
  return result
}

/** `$patch: replace` makes the rest of the patch the whole object, `delete` empties it. */
function replacedObject(patch: JsonObject): JsonObject {
  const { [DIRECTIVE]: directive, ...rest } = patch
  if (directive === 'replace') return rest
  if (directive === 'delete') return {}
  throw internal(`unknown patch type: ${String(directive)} in map: ${goMap(patch)}`)
}

function mergeValue(schema: Schema | undefined, original: Json | undefined, patch: Json): Json {
  if (isObject(patch)) {
    const replaces = schema?.['x-kubernetes-patch-strategy'] === 'replace'
    return isObject(original) && !replaces
      ? mergeObject(schema, original, patch)
      : (withoutDirectives(patch) ?? {})
  }
  if (!isArray(patch)) return patch
  if (!isArray(original) || !mergesLists(schema))
    return patch.map(withoutDirectives).filter(item => item !== undefined) as Json[]
  const key = schema?.['x-kubernetes-patch-merge-key']
  return key === undefined
    ? mergePrimitives(original, patch)
    : mergeByKey(schema?.items, original, patch, key)
}

const mergesLists = (schema: Schema | undefined): boolean =>
  schema?.['x-kubernetes-patch-strategy']?.split(',').includes('merge') === true

/** A union, ordered as `mergeByKey` orders. */
function mergePrimitives(original: readonly Json[], patch: readonly Json[]): Json[] {
  const all = [...original, ...patch]
  const once = all.filter((item, at) => all.findIndex(one => equal(one, item)) === at)
  return orderAsPatched(once, patch, original, item => item)
}

/** Merges items by their key. What the patch names comes in its order, new items before the old ones they are sent with. */
function mergeByKey(
  items: Schema | undefined,
  original: readonly Json[],
  patch: readonly Json[],
  key: string,
): Json[] {
  const additions = patch.filter(item => !has(directed(item), DIRECTIVE)) as JsonObject[]
  const directives = patch.filter(item => has(directed(item), DIRECTIVE)) as JsonObject[]
  let kept: Json[] = [...original]
  for (const item of directives) {
    const directive = item[DIRECTIVE]
    if (directive === 'replace') return additions.map(one => withoutDirectives(one) as Json)
    if (directive === 'merge') throw internal('merging lists cannot yet be specified in the patch')
    if (directive !== 'delete')
      throw internal(`unknown patch type: ${String(directive)} in map: ${goMap(item)}`)
    const unwanted = keyOf(item, key)
    kept = kept.filter(one => !isObject(one) || !equal(one[key], unwanted))
  }
  const before = [...kept]
  for (const item of additions) {
    const wanted = keyOf(item, key)
    const at = kept.findIndex(one => isObject(one) && equal(one[key], wanted))
    if (at === -1) kept.push(withoutDirectives(item) as Json)
    else kept[at] = mergeObject(items, kept[at] as JsonObject, item)
  }
  return orderAsPatched(kept, additions, before, item => (isObject(item) ? (item[key] ?? null) : item))
}

function directed(item: Json): JsonObject {
  if (isObject(item)) return item
  throw internal(`expected a map, but received a ${isArray(item) ? 'slice' : typeof item}`)
}

function keyOf(item: JsonObject, key: string): Json {
  if (!has(item, key)) throw internal(`map: ${goMap(item)} does not contain declared merge key: ${key}`)
  return item[key] as Json
}

/** `$retainKeys` names the only fields that may stay (a volume that changes its source, a strategy its type). */
function retained(original: JsonObject, patch: JsonObject): JsonObject {
  const keys = patch[RETAIN_KEYS]
  if (keys === undefined) return original
  if (!isArray(keys)) throw badPatch('invalid patch format of retainKeys')
  const stray = Object.entries(patch).some(
    ([key, value]) => value !== null && !key.startsWith('$') && !keys.includes(key),
  )
  if (stray) throw badPatch('invalid patch format of retainKeys')
  return Object.fromEntries(Object.entries(original).filter(([key]) => keys.includes(key)))
}

function deletePrimitives(result: MutableJsonObject, key: string, unwanted: Json): void {
  if (!isArray(unwanted)) throw badPatch('invalid patch format of primitive list')
  const list = has(result, key) ? result[key] : undefined
  if (isArray(list)) result[key] = list.filter(item => !unwanted.some(one => equal(one, item)))
}

function reorder(
  schema: Schema | undefined,
  original: JsonObject,
  patch: JsonObject,
  result: MutableJsonObject,
  key: string,
  order: Json,
): void {
  if (!isArray(order)) throw badPatch('invalid patch format of setElementOrder list')
  const merged = has(result, key) ? result[key] : undefined
  if (!isArray(merged)) return
  const mergeKey = (schema && propertySchema(schema, key))?.['x-kubernetes-patch-merge-key']
  const identity = (item: Json): Json =>
    mergeKey !== undefined && isObject(item) ? (item[mergeKey] ?? null) : item
  const patched = has(patch, key) ? patch[key] : []
  if (isArray(patched) && !inOrder(patched.map(identity), order.map(identity), patched)) {
    throw badPatch('invalid patch format of setElementOrder list')
  }
  const before = has(original, key) && isArray(original[key]) ? original[key] : []
  result[key] = orderAsPatched(merged, order, before, identity)
}

/** The patch's own items must occur in the order list, in the same sequence; deletions need not. */
function inOrder(ids: readonly Json[], order: readonly Json[], items: readonly Json[]): boolean {
  let from = 0
  return ids.every((id, at) => {
    const item = items[at]
    if (isObject(item) && has(item, DIRECTIVE)) return true
    const found = order.findIndex((one, position) => position >= from && equal(one, id))
    if (found === -1) return false
    from = found
    return true
  })
}

/** A value that enters the document as it is carries no directives in; an object that has one for itself does not enter. */
function withoutDirectives(value: Json): Json | undefined {
  if (isArray(value)) return value.map(withoutDirectives).filter(item => item !== undefined)
  if (!isObject(value)) return value
  if (has(value, DIRECTIVE)) return undefined
  const result: MutableJsonObject = {}
  for (const [key, member] of Object.entries(value)) {
    if (key === RETAIN_KEYS || key.startsWith(ORDER) || key.startsWith(DELETE_PRIMITIVES)) continue
    const clean = member === null ? undefined : withoutDirectives(member)
    if (clean !== undefined) result[key] = clean
  }
  return result
}

/** Kubernetes answers 500 to patches that its library cannot make sense of. */
const internal = (message: string): StatusError => new StatusError(failure(500, '', message))

const goMap = (object: JsonObject): string =>
  `map[${Object.keys(object)
    .sort()
    .map(
      key => `${key}:${typeof object[key] === 'object' ? JSON.stringify(object[key]) : String(object[key])}`,
    )
    .join(' ')}]`
