import { has, isArray, isObject, type Json, type JsonObject, type MutableJsonObject } from '../json.js'
import type { Schema } from '../schema/schema.js'
import { EMPTY, type FieldSet, isEmpty } from './field-set.js'
import { isField, itemElement, memberSchema, nodeKind } from './ownership-schema.js'

/** Lays an applied configuration over the live object: what it says wins, what it does not say stays. */
export function mergeTyped(schema: Schema, live: JsonObject, config: JsonObject): JsonObject {
  return merge(schema, live, config) as JsonObject
}

function merge(schema: Schema | undefined, live: Json, config: Json): Json {
  const kind = nodeKind(schema, config)
  if (kind === 'leaf' || nodeKind(schema, live) !== kind) return config
  if (kind === 'list') return mergeLists(schema, live as readonly Json[], config as readonly Json[])
  const merged: MutableJsonObject = { ...(live as JsonObject) }
  for (const [key, value] of Object.entries(config as JsonObject)) {
    merged[key] = has(merged, key) ? merge(memberSchema(schema, key), merged[key] as Json, value) : value
  }
  return merged
}

/**
 * Items come in the order of the configuration; items only the live list has keep their place relative to the shared ones
 * around them.
 */
function mergeLists(schema: Schema | undefined, live: readonly Json[], config: readonly Json[]): Json[] {
  const liveElements = live.map(item => itemElement(schema, item))
  const configElements = config.map(item => itemElement(schema, item))
  const inConfig = new Set(configElements)
  const shared = configElements.filter(element => liveElements.includes(element))
  const merged: Json[] = []
  const done = new Set<string>()
  let [left, right] = [0, 0]
  const takeConfig = (): void => {
    const element = configElements[right] as string
    const present = live[liveElements.indexOf(element)]
    merged.push(
      present === undefined ? (config[right] as Json) : merge(schema?.items, present, config[right] as Json),
    )
    done.add(element)
    if (shared[0] === element) shared.shift()
    right += 1
  }
  while (left < live.length || right < config.length) {
    const element = liveElements[left]
    if (element !== undefined && right < config.length) {
      if (element === configElements[right]) {
        takeConfig()
        left += 1
        continue
      }
      // A shared item that is not the next one in the configuration is moved: it is emitted where that has it.
      if (inConfig.has(element) && shared[0] !== undefined && shared[0] !== element) {
        left += 1
        continue
      }
    }
    if (element !== undefined && !inConfig.has(element)) {
      merged.push(live[left] as Json)
      left += 1
      continue
    }
    if (element !== undefined && done.has(element)) left += 1
    if (right < config.length) takeConfig()
    else if (element !== undefined && !done.has(element)) left += 1
  }
  return merged
}

/** The object without the fields of the set. What this empties stays, empty: it exists until it is known to be unwanted. */
export function removeFields(schema: Schema, object: JsonObject, set: FieldSet): JsonObject {
  return remove(schema, object, set) as JsonObject
}

function remove(schema: Schema | undefined, value: Json, set: FieldSet): Json {
  const kind = nodeKind(schema, value)
  if (kind === 'leaf') return isArray(value) ? [] : isObject(value) ? {} : value
  if (kind === 'list') {
    return (value as readonly Json[]).flatMap(item => {
      const element = itemElement(schema, item)
      if (set.members.has(element)) return []
      const below = set.children.get(element)
      return [below ? remove(schema?.items, item, below) : item]
    })
  }
  const kept: MutableJsonObject = {}
  for (const [key, member] of Object.entries(value as JsonObject)) {
    const element = `f:${key}`
    if (set.members.has(element)) continue
    const below = set.children.get(element)
    kept[key] = below ? remove(memberSchema(schema, key), member, below) : member
  }
  return kept
}

/** `pruned` without the objects and lists that pruning emptied, except where the configuration has them or a manager owns them. */
export function withoutEmptied(
  pruned: JsonObject,
  merged: JsonObject,
  config: Json | undefined,
  owned: FieldSet = EMPTY,
): JsonObject {
  const kept: MutableJsonObject = {}
  for (const [key, value] of Object.entries(pruned)) {
    const before = merged[key]
    const applied = isObject(config) ? config[key] : undefined
    if (applied === undefined && !owned.members.has(`f:${key}`) && isEmptied(value, before)) continue
    const inner = isObject(value) && isObject(before)
    kept[key] = inner ? withoutEmptied(value, before, applied, owned.children.get(`f:${key}`)) : value
  }
  return kept
}

const isEmptied = (value: Json, before: Json | undefined): boolean =>
  (isObject(value) &&
    Object.keys(value).length === 0 &&
    isObject(before) &&
    Object.keys(before).length > 0) ||
  (isArray(value) && value.length === 0 && isArray(before) && before.length > 0)

/**
 * The set with every named field that has something below it. A field of a type is never owned itself but exists as long as
 * anything in it does; pruning must treat it as there.
 */
export function withNamedFields(schema: Schema | undefined, set: FieldSet): FieldSet {
  if (isEmpty(set)) return EMPTY
  const members = new Set(set.members)
  const children = new Map<string, FieldSet>()
  for (const [element, child] of set.children) {
    const key = element.slice(2)
    if (element.startsWith('f:')) {
      if (isField(schema, key)) members.add(element)
      children.set(element, withNamedFields(memberSchema(schema, key), child))
    } else children.set(element, withNamedFields(schema?.items, child))
  }
  return { members, children }
}
