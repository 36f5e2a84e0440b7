import type { JsonObject } from '../json.js'
import type { ResourceDefinition } from '../resource-definition.js'
import type { Schema } from '../schema/schema.js'
import { type Comparison, changed, compare } from './compare.js'
import {
  difference,
  type FieldSet,
  intersection,
  isEmpty,
  onlyUnder,
  setOf,
  withoutSubtrees,
} from './field-set.js'
import { identity, type Managed, type Managers } from './managed-fields.js'

/** Fields that every manager sets and none owns. */
const STRIPPED = setOf(
  ['f:apiVersion'],
  ['f:kind'],
  ['f:metadata'],
  ...[
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'clusterName',
    'generation',
    'managedFields',
    'resourceVersion',
  ].map(name => ['f:metadata', `f:${name}`]),
)

export const stripped = (set: FieldSet): FieldSet => difference(set, STRIPPED)

/** The part of a set that an endpoint lets through: the main resource resets status, the status subresource everything else. */
export function throughProxy(
  { subresources, custom }: ResourceDefinition,
  subresource: string,
  set: FieldSet,
): FieldSet {
  if (subresource === '') return subresources.status ? withoutSubtrees(set, setOf(['f:status'])) : set
  if (subresource !== 'status') return set
  if (custom) return onlyUnder(set, new Set(['f:status']))
  return withoutSubtrees(set, setOf(['f:spec'], ['f:metadata', 'f:labels']))
}

/** What another manager loses to a change, or would. */
export interface Conflict {
  readonly manager: Managed
  readonly fields: FieldSet
}

/** What a change does to the other managers. */
export interface Consequences {
  readonly comparison: Comparison
  readonly conflicts: readonly Conflict[]
  /** The managers when the change goes through: without what it took from them and what is gone. */
  readonly managers: Managers
}

/** Weighs a change from `before` to `after` by the manager with identity `own` against what the others own. */
export function weigh(
  definition: ResourceDefinition,
  schema: Schema,
  subresource: string,
  before: JsonObject,
  after: JsonObject,
  managers: Managers,
  own: string,
): Consequences {
  const raw = compare(schema, before, after)
  const comparison: Comparison = {
    added: throughProxy(definition, subresource, raw.added),
    modified: throughProxy(definition, subresource, raw.modified),
    removed: throughProxy(definition, subresource, raw.removed),
  }
  const touched = changed(comparison)
  const conflicts: Conflict[] = []
  const remaining = new Map<string, Managed>()
  for (const [id, managed] of managers) {
    if (id === own) {
      remaining.set(id, managed)
      continue
    }
    const lost = intersection(managed.fields, touched)
    if (!isEmpty(lost)) conflicts.push({ manager: managed, fields: lost })
    const fields = difference(difference(managed.fields, lost), comparison.removed)
    if (!isEmpty(fields)) remaining.set(identity(managed), { ...managed, fields })
  }
  return { comparison, conflicts, managers: remaining }
}
