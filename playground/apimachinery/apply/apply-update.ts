import { timestamp } from '../../objects/timestamp.js'
import type { JsonObject } from '../json.js'
import { apiVersionOf, type ResourceDefinition } from '../resource-definition.js'
import { changed } from './compare.js'
import { isEmpty, union } from './field-set.js'
import {
  capped,
  decodeManagers,
  encodeManagers,
  identity,
  isReset,
  type ManagerName,
  type Managers,
  withoutManagers,
} from './managed-fields.js'
import { stripped, weigh } from './ownership-rules.js'
import { emptyObject, ownershipSchema, TypedError } from './ownership-schema.js'

/** A create, update or patch, for the books of who owns what. */
export interface Update {
  readonly definition: ResourceDefinition
  /** The stored object; absent on create. */
  readonly live?: JsonObject
  /** The object as it is about to be stored; its managedFields are what the client sent. */
  readonly object: JsonObject
  /** The `fieldManager` parameter, or what the user agent says (see `managerOf`). */
  readonly manager: string
  /** '' for the main resource. */
  readonly subresource?: string
  readonly now: Date
}

/** The field manager of a request: its parameter, or the user agent up to the first slash, at most 128 characters. */
export function managerOf(parameter: string | undefined, userAgent: string | undefined): string {
  if (parameter !== undefined && parameter !== '') return parameter
  const program = (userAgent ?? '').split('/')[0] ?? ''
  // Nearly all are plain ASCII, which needs no table of Unicode.
  if (/^[ -~]*$/.test(program)) return program.slice(0, 128)
  return [...program].filter(isPrintable).join('').slice(0, 128)
}

const isPrintable = (character: string): boolean => /[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(character)

/**
 * The object with its managedFields kept: the manager of this write owns what it added or changed, others lose what was taken
 * from them or is gone. An entry's time moves only when its manager changed something.
 */
export function applyUpdate({
  definition,
  live,
  object,
  manager,
  subresource = '',
  now,
}: Update): JsonObject {
  const known = startingManagers(live, object, subresource)
  const bare = withoutManagers(object)
  // An object whose ownership was forgotten stays without, until it is applied to.
  if (live !== undefined && known.size === 0) return bare
  const own: ManagerName = {
    manager: manager === '' ? 'unknown' : manager,
    operation: 'Update',
    apiVersion: apiVersionOf(definition),
    subresource,
  }
  const before = live === undefined ? emptyObject(definition) : withoutManagers(live)
  try {
    return encodeManagers(bare, recordUpdate(definition, before, bare, known, own, timestamp(now.getTime())))
  } catch (error) {
    // As the API server's FieldManager.UpdateNoErrors: such an object is without ownership, and validation says what is wrong.
    if (error instanceof TypedError) return bare
    throw error
  }
}

/** The managers after `own` changed `before` into `after` by other means than apply. */
export function recordUpdate(
  definition: ResourceDefinition,
  before: JsonObject,
  after: JsonObject,
  managers: Managers,
  own: ManagerName,
  time: string | undefined,
): Managers {
  const schema = ownershipSchema(definition)
  const weighed = weigh(definition, schema, own.subresource, before, after, managers, '')
  const taken = stripped(changed(weighed.comparison))
  if (isEmpty(taken)) return capped(weighed.managers)
  const previous = weighed.managers.get(identity(own))
  const fields = previous ? union(taken, previous.fields) : taken
  const entry = { ...own, fields, ...(time === undefined ? {} : { time }) }
  return capped(new Map([...weighed.managers, [identity(own), entry]]))
}

/** The books this write starts from: the client's if it sent readable ones through the main resource, else the stored ones. */
function startingManagers(live: JsonObject | undefined, object: JsonObject, subresource: string): Managers {
  const stored = (live && decodeManagers(live)) ?? new Map()
  if (subresource !== '') return stored
  if (isReset(object)) return new Map()
  const sent = decodeManagers(object)
  return sent === undefined || sent.size === 0 ? stored : sent
}
