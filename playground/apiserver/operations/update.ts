import { StatusError } from '../../../manifests/status-error.js'
import { applyUpdate } from '../../apimachinery/apply/apply-update.js'
import { sameButForTimes } from '../../apimachinery/apply/managed-fields.js'
import { invalid, invalidStatus } from '../../apimachinery/field-error.js'
import { equal, type JsonObject, listAt, objectAt, stringAt } from '../../apimachinery/json.js'
import { admitUpdate, admitWrite } from '../admission/admission.js'
import { refuseEscalation } from '../admission/escalation.js'
import { badRequest, conflict, customStatus, internalError, MODIFIED, notFound } from '../api-status.js'
import type { Change } from '../store/store.js'
import type { StoredObject } from '../store/stored-object.js'
import { create } from './create.js'
import { syntaxError } from './list.js'
import { bumpsGeneration, checkBody, readFields, validateObject, without } from './object-rules.js'
import {
  type Answer,
  answerWith,
  inStorageVersion,
  inVersion,
  keyOf,
  type Target,
  type WriteOptions,
} from './target.js'

/** Replaces an object (PUT). @throws StatusError NotFound, Conflict, Invalid, BadRequest */
export async function update(target: Target, body: JsonObject, options: WriteOptions): Promise<Answer> {
  const read = readFields(target.definition, checkBody(target, body), options)
  const name = stringAt(read, 'metadata', 'name')
  if (name !== '' && name !== target.name) {
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${target.name})`)
  }
  if (name === '') throw badRequest('name must be provided')
  const absent = target.collection.get(keyOf(target.namespace, target.name)) === undefined
  if (absent && target.subresource === '' && target.definition.strategy?.allowsCreateOnUpdate) {
    return create(target, withoutResourceVersion(read), options)
  }
  return write(target, options, () => read)
}

const withoutResourceVersion = (object: JsonObject): JsonObject => ({
  ...object,
  metadata: without(objectAt(object, 'metadata'), 'resourceVersion'),
})

/** Notes in metadata.managedFields who owns what after a write. */
export type Books = (target: Target, next: JsonObject, old: JsonObject, manager: string) => JsonObject

const keepBooks: Books = ({ cluster, definition, subresource }, object, live, manager) =>
  applyUpdate({ definition, live, object, manager, subresource, now: new Date(cluster.now()) })

/**
 * Runs an update in one transaction: `change` makes the wanted object from the present one.
 * An update that changes nothing is not written; one that takes the last finalizer of a deleted object removes it.
 */
export async function write(
  target: Target,
  options: Pick<WriteOptions, 'dryRun' | 'fieldManager'> & Partial<Pick<WriteOptions, 'user'>>,
  change: (current: JsonObject) => JsonObject,
  books: Books = keepBooks,
): Promise<Answer> {
  const { cluster, type, collection } = target
  const key = keyOf(target.namespace, target.name)
  const transaction = (current: StoredObject | undefined): Change => {
    if (!current) throw notFound(target.qualified, target.name)
    const old = inVersion(type, current.object)
    const wanted = admitUpdate(target, change(old), old)
    checkPreconditions(target, wanted, current)
    const booked = books(target, prepare(target, wanted, old), old, options.fieldManager)
    const next = target.definition.strategy?.settleUpdate?.(booked, old) ?? booked
    validateObject(target.definition, next, old)
    admitWrite(target, next, old)
    if (sameButForTimes(next, old)) return undefined
    if (options.user && target.subresource === '') refuseEscalation(target, next, options.user)
    const stored = inStorageVersion(type, shareUnchanged(next, current.object))
    return isFinished(target, stored) ? { remove: stored } : { put: stored }
  }
  if (options.dryRun) {
    const current = collection.get(key)
    const result = transaction(current)
    const object = result && ('put' in result ? result.put : result.remove)
    return { code: 200, object: inVersion(type, object ?? (current as StoredObject).object) }
  }
  const { stored } = await cluster.store.write(collection, key, transaction)
  if (!stored) throw internalError('an updated object was not stored')
  return answerWith(type, 200, stored)
}

function checkPreconditions(target: Target, wanted: JsonObject, current: StoredObject): void {
  const metadata = objectAt(wanted, 'metadata')
  const version = stringAt(metadata, 'resourceVersion')
  if (!/^\d*$/.test(version)) throw customStatus(500, '', syntaxError(version))
  if (version === '' || version === '0') {
    if (!target.definition.strategy?.allowsUnconditionalUpdate) {
      const error = invalid('metadata.resourceVersion', 0, 'must be specified for an update')
      // Kubernetes names the resource where the kind belongs.
      const { group, plural } = target.definition
      throw new StatusError(invalidStatus({ group, kind: plural }, target.name, [error]))
    }
  } else if (version !== String(current.revision)) {
    throw conflict(target.qualified, target.name, MODIFIED)
  }
  const uid = stringAt(metadata, 'uid')
  if (uid !== '' && uid !== current.uid) {
    const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${current.uid}`
    throw conflict(target.qualified, target.name, why)
  }
}

/** Kept from the present object whatever the writer says. */
const KEPT = [
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'generation',
] as const

function prepare(target: Target, wanted: JsonObject, old: JsonObject): JsonObject {
  const { definition, subresource } = target
  const oldMetadata = objectAt(old, 'metadata')
  const metadata: Record<string, JsonObject[string]> = { ...objectAt(wanted, 'metadata') }
  delete metadata.selfLink
  for (const field of KEPT) {
    const kept = oldMetadata[field]
    if (kept === undefined) delete metadata[field]
    else metadata[field] = kept
  }
  metadata.resourceVersion = oldMetadata.resourceVersion as string
  const next: JsonObject = { ...wanted, metadata }
  if (subresource === 'status' || subresource === 'approval') return statusOnly(target, next, old)
  if (subresource === 'finalize') return finalizersOnly(next, old)
  const through = definition.strategy?.prepareForUpdate
    ? definition.strategy.prepareForUpdate(next, old)
    : keepStatus(target, next, old)
  if (definition.strategy?.withoutGeneration || !bumpsGeneration(definition, through, old)) return through
  const generation = Number(oldMetadata.generation ?? 0) + 1
  return { ...through, metadata: { ...objectAt(through, 'metadata'), generation } }
}

/** The main resource does not touch the status. */
function keepStatus({ definition }: Target, next: JsonObject, old: JsonObject): JsonObject {
  if (!definition.subresources.status) return next
  const rest = without(next, 'status')
  return old.status === undefined ? rest : { ...rest, status: old.status }
}

/** The status subresource touches nothing else: of custom types no metadata at all, of built-in ones no labels. */
function statusOnly({ definition }: Target, next: JsonObject, old: JsonObject): JsonObject {
  const metadata = objectAt(next, 'metadata')
  const oldMetadata = objectAt(old, 'metadata')
  const kept = definition.custom
    ? {
        ...oldMetadata,
        ...(metadata.managedFields === undefined ? {} : { managedFields: metadata.managedFields }),
      }
    : {
        ...without(metadata, 'labels'),
        ...(oldMetadata.labels === undefined ? {} : { labels: oldMetadata.labels }),
      }
  return {
    ...without(old, 'status'),
    metadata: kept,
    ...(next.status === undefined ? {} : { status: next.status }),
  }
}

/** The finalize subresource of a namespace touches `spec.finalizers` alone. */
function finalizersOnly(next: JsonObject, old: JsonObject): JsonObject {
  const finalizers = listAt(next, 'spec', 'finalizers')
  return { ...old, spec: { ...objectAt(old, 'spec'), finalizers } }
}

/** Parts that did not change keep their identity, so that versions of an object share them in memory. */
function shareUnchanged(next: JsonObject, old: JsonObject): JsonObject {
  const shared: Record<string, JsonObject[string]> = {}
  for (const [key, value] of Object.entries(next)) {
    const before = old[key]
    shared[key] = before !== undefined && equal(before, value) ? before : value
  }
  return shared
}

/** True when an object that is being deleted waits for nothing any more. */
function isFinished({ type }: Target, object: JsonObject): boolean {
  const metadata = objectAt(object, 'metadata')
  if (metadata.deletionTimestamp === undefined || listAt(metadata, 'finalizers').length > 0) return false
  if (type.collection === 'namespaces' && listAt(object, 'spec', 'finalizers').length > 0) return false
  return Number(metadata.deletionGracePeriodSeconds ?? 0) === 0
}
