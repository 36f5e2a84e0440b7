import { StatusError } from '../../../manifests/status-error.js'
import { timestamp } from '../../objects/timestamp.js'
import { badRequestStatus, failure } from '../field-error.js'
import { equal, has, type JsonObject, objectAt, stringAt } from '../json.js'
import { apiVersionOf, type ResourceDefinition } from '../resource-definition.js'
import type { Schema } from '../schema/schema.js'
import { recordUpdate } from './apply-update.js'
import { conflictError } from './conflict-error.js'
import { difference, EMPTY, type FieldSet, intersection, isEmpty, union } from './field-set.js'
import { checkTyped, fieldSetOf } from './field-set-of.js'
import { allowedByLastApplied, withLastApplied } from './last-applied.js'
import {
  decodeManagers,
  encodeManagers,
  identity,
  type Managed,
  type ManagerName,
  type Managers,
  withoutManagers,
} from './managed-fields.js'
import { mergeTyped, removeFields, withNamedFields, withoutEmptied } from './merge-typed.js'
import { type Conflict, stripped, throughProxy, weigh } from './ownership-rules.js'
import { emptyObject, ownershipSchema, TypedError } from './ownership-schema.js'

/** A server-side apply. */
export interface Apply {
  readonly definition: ResourceDefinition
  /** The stored object; absent when apply creates it. */
  readonly live?: JsonObject
  /** The applied configuration, read from YAML and not defaulted. */
  readonly config: JsonObject
  /** The `fieldManager` parameter; the API requires it. */
  readonly manager: string
  /** Take fields over from other managers instead of refusing. */
  readonly force?: boolean
  readonly subresource?: string
  readonly now: Date
}

/**
 * The object that applying a configuration leads to, with managedFields. Fields the manager applied before and no longer
 * mentions are removed unless another manager owns them. To be defaulted and validated afterwards.
 * @throws StatusError 400 for a configuration that may not be applied, 409 with one cause for each field owned by others,
 * 500 where Kubernetes answers that to a configuration its type cannot hold
 */
export function applyPatch(apply: Apply): JsonObject {
  const { definition, live, config, manager, subresource = '', now } = apply
  checkConfig(definition, config)
  const schema = ownershipSchema(definition)
  const apiVersion = apiVersionOf(definition)
  const own: ManagerName = { manager, operation: 'Apply', apiVersion, subresource }
  const before = live === undefined ? emptyObject(definition) : withoutManagers(live)
  const managers = knownManagers(apply, before)
  const wanted = throughProxy(definition, subresource, fieldSetOf(schema, config))
  const previous = managers.get(identity(own))
  const entry: Managed = {
    ...own,
    fields: wanted,
    ...(previous?.time === undefined ? {} : { time: previous.time }),
  }
  const proposed: Managers = new Map([...managers, [identity(own), entry]])
  const merged = mergeTyped(schema, before, config)
  const after = previous ? pruned(schema, merged, previous.fields, proposed) : merged
  const weighed = weigh(definition, schema, subresource, before, after, proposed, identity(own))
  refuseConflicts(apply, schema, before, weighed.conflicts)
  const result = withoutEmptied(after, merged, config, allOwned(weighed.managers))
  const unchanged = live !== undefined && equal(before, result)
  const fields = stripped(wanted)
  const kept = new Map(weighed.managers)
  kept.delete(identity(own))
  if (!isEmpty(fields)) {
    kept.set(
      identity(own),
      unchanged ? { ...entry, fields } : { ...entry, fields, time: timestamp(now.getTime()) },
    )
  }
  return encodeManagers(manager === 'kubectl' ? withLastApplied(result, config) : result, kept)
}

function checkConfig(definition: ResourceDefinition, config: JsonObject): void {
  const [version, expected] = [stringAt(config, 'apiVersion'), apiVersionOf(definition)]
  if (version !== expected) {
    throw badRequest(
      `Incorrect version specified in apply patch. Specified patch version: ${version}, expected: ${expected}`,
    )
  }
  if (has(objectAt(config, 'metadata'), 'managedFields'))
    throw badRequest('metadata.managedFields must be nil')
  try {
    checkTyped(ownershipSchema(definition), config)
  } catch (cause) {
    if (!(cause instanceof TypedError)) throw cause
    const { group, kind } = definition
    const namespace = stringAt(config, 'metadata', 'namespace')
    const name = `${namespace}/${stringAt(config, 'metadata', 'name')}; ${group}/${definition.version}, Kind=${kind}`
    throw new StatusError(
      failure(500, '', `failed to create typed patch object (${name}): ${cause.message}`),
      { cause },
    )
  }
}

const badRequest = (message: string): StatusError => new StatusError(badRequestStatus(message))

/** Fields of an object that was never applied to belong to one collective manager. */
function knownManagers({ definition, live, subresource = '' }: Apply, before: JsonObject): Managers {
  const known = (live && decodeManagers(live)) ?? new Map()
  if (live === undefined || known.size > 0) return known
  const first: ManagerName = {
    manager: 'before-first-apply',
    operation: 'Update',
    apiVersion: apiVersionOf(definition),
    subresource,
  }
  return recordUpdate(definition, emptyObject(definition), before, known, first, undefined)
}

function refuseConflicts(
  { manager, live, force = false, definition }: Apply,
  schema: Schema,
  before: JsonObject,
  conflicts: readonly Conflict[],
): void {
  if (force || conflicts.length === 0) return
  const allowed = manager === 'kubectl' && live ? allowedByLastApplied(schema, definition, before) : undefined
  const remaining = conflicts
    .map(conflict => (allowed ? { ...conflict, fields: difference(conflict.fields, allowed) } : conflict))
    .filter(({ fields }) => !isEmpty(fields))
  if (remaining.length > 0) throw conflictError(remaining)
}

/** Takes out what the manager applied last and no longer does, but leaves fields that others own or that were never applied. */
function pruned(schema: Schema, merged: JsonObject, last: FieldSet, managers: Managers): JsonObject {
  const named = (set: FieldSet): FieldSet => withNamedFields(schema, set)
  const all = named(fieldSetOf(schema, merged))
  const without = (set: FieldSet): JsonObject => removeFields(schema, merged, set)
  const bare = without(named(last))
  const withOwned = without(
    difference(all, union(named(fieldSetOf(schema, bare)), named(allOwned(managers)))),
  )
  const dangling = intersection(difference(all, named(fieldSetOf(schema, withOwned))), named(last))
  return without(dangling)
}

const allOwned = (managers: Managers): FieldSet =>
  [...managers.values()].reduce<FieldSet>((set, { fields }) => union(set, fields), EMPTY)
