import { equal, isArray, isObject, type Json, type JsonObject, objectAt, stringAt, withAt } from '../json.js'
import { decodeFields, encodeFields, type FieldSet, isEmpty, union } from './field-set.js'

/** How many managers that update are kept apart; the oldest beyond that are merged (apiserver's default). */
const MAX_UPDATE_MANAGERS = 10
const ANCIENT = 'ancient-changes'

/** Who made a change. Appliers are one manager whatever version they apply in; updaters are one for each version. */
export interface ManagerName {
  readonly manager: string
  readonly operation: 'Apply' | 'Update'
  readonly apiVersion: string
  readonly subresource: string
}

/** What one manager owns. */
export interface Managed extends ManagerName {
  readonly fields: FieldSet
  /** RFC 3339; absent when the manager never changed the object. */
  readonly time?: string
}

/** All managers of an object, by identity. */
export type Managers = ReadonlyMap<string, Managed>

/** Entries are the same manager's when this text is the same. */
export const identity = ({ manager, operation, apiVersion, subresource }: ManagerName): string =>
  JSON.stringify([manager, operation, operation === 'Apply' ? '' : apiVersion, subresource])

/** Reads metadata.managedFields; undefined when it is not what a server would have written. */
export function decodeManagers(object: JsonObject): Managers | undefined {
  const entries = objectAt(object, 'metadata').managedFields
  const managers = new Map<string, Managed>()
  if (entries === undefined || entries === null) return managers
  if (!isArray(entries)) return undefined
  for (const entry of entries) {
    const managed = decodeEntry(entry)
    if (!managed) return undefined
    managers.set(identity(managed), managed)
  }
  return managers
}

/**
 * Both forms of a set of fields, each found by the other. Owners who do not take part in a write keep both, so that only what
 * changes is read and written, and all versions of an object share the rest.
 */
const setOf = new WeakMap<JsonObject, FieldSet>()
const formOf = new WeakMap<FieldSet, JsonObject>()

function fieldsOf(fieldsV1: Json): FieldSet | undefined {
  // What is not frozen was sent by a client and may still change.
  if (!isObject(fieldsV1) || !Object.isFrozen(fieldsV1)) return decodeFields(fieldsV1)
  const known = setOf.get(fieldsV1)
  if (known) return known
  const fields = decodeFields(fieldsV1)
  if (fields) setOf.set(fieldsV1, fields)
  return fields
}

function fieldsV1Of(fields: FieldSet): JsonObject {
  const known = formOf.get(fields)
  if (known) return known
  const fieldsV1 = encodeFields(fields)
  formOf.set(fields, fieldsV1)
  setOf.set(fieldsV1, fields)
  return fieldsV1
}

function decodeEntry(entry: Json): Managed | undefined {
  const operation = stringAt(entry, 'operation')
  const fields = isObject(entry) ? fieldsOf(entry.fieldsV1 ?? {}) : undefined
  if (!fields || (operation !== 'Apply' && operation !== 'Update')) return undefined
  if (stringAt(entry, 'fieldsType') !== 'FieldsV1') return undefined
  const time = stringAt(entry, 'time')
  return {
    manager: stringAt(entry, 'manager'),
    operation,
    apiVersion: stringAt(entry, 'apiVersion'),
    subresource: stringAt(entry, 'subresource'),
    fields,
    ...(time === '' ? {} : { time }),
  }
}

/** `object` with metadata.managedFields with the owner of each field; without it when no field has an owner. */
export function encodeManagers(object: JsonObject, managers: Managers): JsonObject {
  const entries = [...managers.values()].filter(({ fields }) => !isEmpty(fields)).sort(inOrder)
  return withAt(
    object,
    ['metadata', 'managedFields'],
    entries.length === 0 ? undefined : entries.map(encodeEntry),
  )
}

function encodeEntry({ manager, operation, apiVersion, time, fields, subresource }: Managed): JsonObject {
  return {
    manager,
    operation,
    apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: 'FieldsV1',
    fieldsV1: fieldsV1Of(fields),
    ...(subresource === '' ? {} : { subresource }),
  }
}

const text = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
const inOrder = (a: Managed, b: Managed): number =>
  text(a.operation, b.operation) ||
  text(a.time ?? '', b.time ?? '') ||
  text(a.manager, b.manager) ||
  text(a.apiVersion, b.apiVersion) ||
  text(a.subresource, b.subresource)

/** `object` without its managedFields. */
export const withoutManagers = (object: JsonObject): JsonObject =>
  withAt(object, ['metadata', 'managedFields'], undefined)

/** `managedFields: []` and `[{}]` ask for all ownership to be forgotten. */
export function isReset(object: JsonObject): boolean {
  const entries = objectAt(object, 'metadata').managedFields
  if (!isArray(entries) || entries.length > 1) return false
  const [only] = entries
  return only === undefined || (isObject(only) && Object.keys(only).length === 0)
}

/** Merges the oldest updaters into one entry for each version until there are few enough. */
export function capped(managers: Managers): Managers {
  const updaters = [...managers.values()]
    .filter(({ operation }) => operation === 'Update')
    .sort((a, b) => text(a.time ?? '', b.time ?? '') || text(identity(a), identity(b)))
  if (updaters.length <= MAX_UPDATE_MANAGERS) return managers
  const result = new Map(managers)
  const firstOf = new Map<string, Managed>()
  let count = updaters.length
  for (const updater of updaters) {
    if (count <= MAX_UPDATE_MANAGERS) break
    const first = firstOf.get(updater.apiVersion)
    if (!first) {
      firstOf.set(updater.apiVersion, updater)
      continue
    }
    result.delete(identity(first))
    result.delete(identity(updater))
    const bucket: Managed = {
      manager: ANCIENT,
      operation: 'Update',
      apiVersion: updater.apiVersion,
      subresource: '',
      fields: union(first.fields, updater.fields),
      ...(updater.time === undefined ? {} : { time: updater.time }),
    }
    result.set(identity(bucket), bucket)
    firstOf.set(updater.apiVersion, bucket)
    count -= 1
  }
  return result
}

/** True when nothing but the times of managedFields (and the resourceVersion) tells the objects apart: such a write is none. */
export function sameButForTimes(object: JsonObject, old: JsonObject): boolean {
  return equal(timeless(object), timeless(old))
}

function timeless(object: JsonObject): JsonObject {
  const entries = objectAt(object, 'metadata').managedFields
  const plain = withAt(object, ['metadata', 'resourceVersion'], undefined)
  if (!isArray(entries)) return plain
  const stripped = entries.map(entry => (isObject(entry) ? withAt(entry, ['time'], undefined) : entry))
  return withAt(plain, ['metadata', 'managedFields'], stripped)
}
