import {
  isObject,
  type Json,
  type JsonObject,
  listAt,
  objectAt,
  stringAt,
  withAt,
} from '../../apimachinery/json.js'
import type { Cluster } from '../cluster.js'
import { FOREGROUND_FINALIZER, ORPHAN_FINALIZER } from '../operations/delete.js'
import { without } from '../operations/object-rules.js'
import { keyOf } from '../operations/target.js'
import type { Collection, StoreEvent } from '../store/collection.js'
import type { StoredObject } from '../store/stored-object.js'
import { type Controller, WorkQueue } from './controller.js'
import { change, removeObject } from './internal-write.js'

interface Place {
  readonly collection: string
  readonly key: string
}

const idOf = ({ collection, key }: Place): string => `${collection} ${key}`
function placeOf(id: string): Place {
  const space = id.indexOf(' ')
  return { collection: id.slice(0, space), key: id.slice(space + 1) }
}

/**
 * Owner references: an object whose owners are all gone is deleted; an owner deleted in the foreground waits for the
 * dependents that block it; one deleted with Orphan is taken out of its dependents first.
 */
export class GarbageCollector implements Controller {
  readonly #queue: WorkQueue
  /** Dependents by the uid of an owner. */
  readonly #dependents = new Map<string, Set<string>>()

  constructor(private readonly cluster: Cluster) {
    this.#queue = new WorkQueue('garbage-collector', cluster, id => this.#attend(placeOf(id)))
    for (const collection of cluster.store.collections()) {
      for (const stored of collection.values()) this.#index(collection, undefined, stored)
    }
  }

  observe(collection: Collection, { type, current, previous }: StoreEvent): void {
    this.#index(collection, previous, type === 'DELETED' ? undefined : current)
    if (type === 'DELETED') {
      for (const id of this.#dependents.get(current.uid) ?? []) this.#queue.add(id)
      // An owner in foreground deletion may now have lost its last dependent.
      for (const owner of this.#ownersOf(current)) this.#queue.add(idOf(owner))
    }
  }

  close(): Promise<void> {
    return this.#queue.close()
  }

  #index(collection: Collection, before: StoredObject | undefined, after: StoredObject | undefined): void {
    const id = idOf({ collection: collection.id, key: (after ?? before)?.key ?? '' })
    const [old, now] = [ownerUids(before), ownerUids(after)]
    for (const uid of old) {
      if (now.includes(uid)) continue
      const known = this.#dependents.get(uid)
      known?.delete(id)
      if (known?.size === 0) this.#dependents.delete(uid)
    }
    for (const uid of now) {
      const known = this.#dependents.get(uid)
      if (known) known.add(id)
      else this.#dependents.set(uid, new Set([id]))
    }
    const isNew = now.length !== old.length || now.some(uid => !old.includes(uid))
    if (after && ((now.length > 0 && isNew) || collectorFinalizer(after) !== undefined)) this.#queue.add(id)
    // A dependent that no longer blocks may be what an owner waits for.
    if (before && after && before.isTerminating !== after.isTerminating) {
      for (const owner of this.#ownersOf(after)) this.#queue.add(idOf(owner))
    }
  }

  async #attend(place: Place): Promise<boolean> {
    const stored = this.cluster.collection(place.collection).get(place.key)
    if (!stored) return true
    if (stored.isTerminating) {
      const finalizer = collectorFinalizer(stored)
      if (finalizer === ORPHAN_FINALIZER) return this.#orphan(place, stored)
      if (finalizer === FOREGROUND_FINALIZER) return this.#waitForDependents(place, stored)
      return true
    }
    return this.#collect(place, stored)
  }

  /** Deletes an object whose owners are gone; forgets those of its owners that are, when others remain. */
  async #collect({ collection }: Place, stored: StoredObject): Promise<boolean> {
    const references = listAt(stored.object, 'metadata', 'ownerReferences').filter(isObject)
    if (references.length === 0) return true
    const states = references.map(reference => ({
      reference,
      state: this.#stateOf(reference, stored.namespace),
    }))
    if (states.some(({ state }) => state === 'unknown')) return true
    const solid = states.filter(({ state }) => state === 'there')
    const dangling = states.filter(({ state }) => state === 'gone' || state === 'waiting')
    if (dangling.length === 0) return true
    if (solid.length > 0) {
      const kept = solid.map(({ reference }) => stringAt(reference, 'uid'))
      await this.#keepOwners(collection, stored, uid => kept.includes(uid))
      return true
    }
    const waiting = states.some(({ state }) => state === 'waiting')
    const hasDependents = (this.#dependents.get(stored.uid)?.size ?? 0) > 0
    const policy = waiting && hasDependents ? 'Foreground' : 'Background'
    await removeObject(this.cluster, collection, stored, { propagationPolicy: policy })
    return true
  }

  /** @returns `unknown` while the owner's type is not served: nothing is deleted on a guess */
  #stateOf(reference: JsonObject, namespace: string): 'there' | 'waiting' | 'gone' | 'unknown' {
    const place = this.#placeOfReference(reference, namespace)
    if (!place) return 'unknown'
    const owner = this.cluster.collection(place.collection).get(place.key)
    if (!owner || owner.uid !== reference.uid) return 'gone'
    return owner.isTerminating && collectorFinalizer(owner) === FOREGROUND_FINALIZER ? 'waiting' : 'there'
  }

  #placeOfReference(reference: JsonObject, namespace: string): Place | undefined {
    const apiVersion = stringAt(reference, 'apiVersion')
    const slash = apiVersion.indexOf('/')
    const group = slash === -1 ? '' : apiVersion.slice(0, slash)
    const type = this.cluster.catalogue.findKind(
      group,
      apiVersion.slice(slash + 1),
      stringAt(reference, 'kind'),
    )
    if (!type) return undefined
    const key = keyOf(type.definition.namespaced ? namespace : '', stringAt(reference, 'name'))
    return { collection: type.collection, key }
  }

  #ownersOf(stored: StoredObject): Place[] {
    return listAt(stored.object, 'metadata', 'ownerReferences')
      .filter(isObject)
      .flatMap(reference => this.#placeOfReference(reference, stored.namespace) ?? [])
  }

  async #orphan({ collection }: Place, owner: StoredObject): Promise<boolean> {
    for (const { place, stored } of this.#dependentsOf(owner)) {
      await this.#keepOwners(place.collection, stored, uid => uid !== owner.uid)
    }
    await this.#release(collection, owner, ORPHAN_FINALIZER)
    return true
  }

  async #waitForDependents({ collection }: Place, owner: StoredObject): Promise<boolean> {
    const dependents = this.#dependentsOf(owner)
    for (const { place } of dependents) this.#queue.add(idOf(place))
    const blocking = dependents.filter(({ stored }) => blocks(stored, owner.uid))
    if (blocking.length === 0) await this.#release(collection, owner, FOREGROUND_FINALIZER)
    return true
  }

  #dependentsOf(owner: StoredObject): { place: Place; stored: StoredObject }[] {
    return [...(this.#dependents.get(owner.uid) ?? [])].flatMap(id => {
      const place = placeOf(id)
      const stored = this.cluster.collection(place.collection).get(place.key)
      return stored ? [{ place, stored }] : []
    })
  }

  #keepOwners(collection: string, { namespace, name, uid }: StoredObject, keep: (uid: string) => boolean) {
    return change(this.cluster, collection, { namespace, name }, current => {
      if (stringAt(current, 'metadata', 'uid') !== uid) return current
      const kept = listAt(current, 'metadata', 'ownerReferences').filter(one => keep(stringAt(one, 'uid')))
      return kept.length > 0
        ? withAt(current, ['metadata', 'ownerReferences'], kept)
        : { ...current, metadata: without(objectAt(current, 'metadata'), 'ownerReferences') }
    })
  }

  #release(collection: string, { namespace, name, uid }: StoredObject, finalizer: string) {
    return change(this.cluster, collection, { namespace, name }, current => {
      if (stringAt(current, 'metadata', 'uid') !== uid) return current
      const left = listAt(current, 'metadata', 'finalizers').filter(one => one !== finalizer)
      return withAt(current, ['metadata', 'finalizers'], left)
    })
  }
}

const ownerUids = (stored: StoredObject | undefined): readonly string[] => {
  const references = objectAt(stored?.object, 'metadata').ownerReferences
  return references === undefined ? NONE : (references as readonly Json[]).map(one => stringAt(one, 'uid'))
}
const NONE: readonly string[] = []

/** The collector's own finalizer on an object that is being deleted. */
function collectorFinalizer({ object, isTerminating }: StoredObject): string | undefined {
  if (!isTerminating) return undefined
  const finalizers = listAt(object, 'metadata', 'finalizers')
  if (finalizers.includes(ORPHAN_FINALIZER)) return ORPHAN_FINALIZER
  return finalizers.includes(FOREGROUND_FINALIZER) ? FOREGROUND_FINALIZER : undefined
}

const blocks = ({ object }: StoredObject, owner: string): boolean =>
  listAt(object, 'metadata', 'ownerReferences').some(
    one => isObject(one) && one.uid === owner && one.blockOwnerDeletion === true,
  )
