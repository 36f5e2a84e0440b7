import { definitionFromCrd } from '../../apimachinery/custom/definition-from-crd.js'
import {
  equal,
  isObject,
  type JsonObject,
  listAt,
  objectAt,
  stringAt,
  withAt,
} from '../../apimachinery/json.js'
import { timestamp } from '../../objects/timestamp.js'
import type { ServedType } from '../catalogue/catalogue.js'
import type { Cluster } from '../cluster.js'
import { CLEANUP_FINALIZER, remove } from '../operations/delete.js'
import { DELETE_NOW } from '../operations/delete-options.js'
import { INTERNAL_WRITE } from '../operations/internal-options.js'
import { targetOf } from '../operations/target.js'
import { write } from '../operations/update.js'
import type { Collection, StoreEvent } from '../store/collection.js'
import { type Controller, WorkQueue } from './controller.js'

export const CRDS = 'customresourcedefinitions.apiextensions.k8s.io'

/**
 * Serves what CustomResourceDefinitions declare, from the moment they are stored; says so in their conditions; and
 * removes the objects of one that is deleted before it goes.
 */
export class CustomResources implements Controller {
  readonly #queue: WorkQueue

  constructor(private readonly cluster: Cluster) {
    this.#queue = new WorkQueue('custom-resources', cluster, name => this.#reconcile(name))
    for (const stored of cluster.collection(CRDS).values()) {
      this.#serve(stored.object)
      this.#queue.add(stored.name)
    }
  }

  observe(collection: Collection, event: StoreEvent): void {
    if (collection.id === CRDS) {
      const { object, name } = event.current
      if (event.type === 'DELETED') this.cluster.catalogue.serve(name, [])
      else this.#serve(object)
      this.#queue.add(name)
    } else if (event.type === 'DELETED') {
      const crd = this.cluster.collection(CRDS).get(collection.id)
      if (crd?.isTerminating) this.#queue.add(crd.name)
    }
  }

  close(): Promise<void> {
    return this.#queue.close()
  }

  #serve(crd: JsonObject): void {
    const name = stringAt(crd, 'metadata', 'name')
    this.cluster.catalogue.serve(name, this.#conflict(crd) === undefined ? servedTypes(crd) : [])
  }

  /** Why the names cannot be had: another type of the group holds one of them. */
  #conflict(crd: JsonObject): { reason: string; message: string } | undefined {
    const group = stringAt(crd, 'spec', 'group')
    const plural = stringAt(crd, 'spec', 'names', 'plural')
    const kinds = [stringAt(crd, 'spec', 'names', 'kind'), stringAt(crd, 'spec', 'names', 'listKind')]
    for (const { definition } of this.cluster.catalogue.types()) {
      if (definition.group !== group || definition.plural === plural) continue
      const taken = kinds.find(
        kind => kind !== '' && (kind === definition.kind || kind === definition.listKind),
      )
      if (taken === kinds[0]) return { reason: 'KindConflict', message: `"${taken}" is already in use` }
      if (taken !== undefined) return { reason: 'ListKindConflict', message: `"${taken}" is already in use` }
    }
    return undefined
  }

  async #reconcile(name: string): Promise<boolean> {
    const stored = this.cluster.collection(CRDS).get(name)
    if (!stored) return true
    if (stored.isTerminating) return this.#cleanUp(stored.object)
    const conflict = this.#conflict(stored.object)
    if (!conflict && isEstablished(stored.object)) return true
    const now = timestamp(this.cluster.now())
    await this.#updateStatus(name, crd => {
      const accepted = conflict
        ? condition('NamesAccepted', 'False', conflict.reason, conflict.message, now)
        : condition('NamesAccepted', 'True', 'NoConflicts', 'no conflicts found', now)
      const established = conflict
        ? condition('Established', 'False', 'NotAccepted', 'not all names are accepted', now)
        : condition(
            'Established',
            'True',
            'InitialNamesAccepted',
            'the initial names have been accepted',
            now,
          )
      const withConditions = withCondition(withCondition(crd, accepted), established)
      return conflict
        ? withConditions
        : withAt(withConditions, ['status', 'acceptedNames'], objectAt(crd, 'spec').names)
    })
    return true
  }

  /** @returns false while objects are left that their own finalizers hold */
  async #cleanUp(crd: JsonObject): Promise<boolean> {
    const name = stringAt(crd, 'metadata', 'name')
    if (!listAt(crd, 'metadata', 'finalizers').includes(CLEANUP_FINALIZER)) return true
    const now = timestamp(this.cluster.now())
    const report = (status: string, reason: string, message: string) =>
      this.#updateStatus(name, current =>
        withCondition(current, condition('Terminating', status, reason, message, now)),
      )
    const [type] = servedTypes(crd)
    if (type) {
      const objects = [...this.cluster.collection(type.collection).values()]
      if (objects.length > 0)
        await report('True', 'InstanceDeletionInProgress', 'CustomResource deletion is in progress')
      for (const { namespace, name: of, isTerminating } of objects) {
        if (!isTerminating) await remove(targetOf(this.cluster, type, { namespace, name: of }), DELETE_NOW)
      }
      // The last deletion calls again.
      if (this.cluster.collection(type.collection).size > 0) return true
    }
    await report('False', 'InstanceDeletionCompleted', 'removed all instances')
    await this.#update(name, current => {
      const finalizers = listAt(current, 'metadata', 'finalizers').filter(one => one !== CLEANUP_FINALIZER)
      return withAt(current, ['metadata', 'finalizers'], finalizers)
    })
    return true
  }

  #updateStatus(name: string, change: (crd: JsonObject) => JsonObject): Promise<unknown> {
    return this.#update(name, change, 'status')
  }

  async #update(name: string, change: (crd: JsonObject) => JsonObject, subresource = ''): Promise<unknown> {
    const type = this.cluster.catalogue.find('apiextensions.k8s.io', 'v1', 'customresourcedefinitions')
    if (!type || !this.cluster.collection(CRDS).get(name)) return undefined
    return write(targetOf(this.cluster, type, { name, subresource }), INTERNAL_WRITE, change)
  }
}

/** True when there is nothing left to say of it: it is served under the names it asks for. */
function isEstablished(crd: JsonObject): boolean {
  const conditions = listAt(crd, 'status', 'conditions').filter(isObject)
  const holds = (type: string) => conditions.some(one => one.type === type && one.status === 'True')
  const names = objectAt(crd, 'spec').names
  return holds('NamesAccepted') && holds('Established') && equal(objectAt(crd, 'status').acceptedNames, names)
}

/** By `spec`, which clusters share where they were given the same types: a thousand of them parse each schema once. */
const served = new WeakMap<JsonObject, ServedType[]>()

function servedTypes(crd: JsonObject): ServedType[] {
  const spec = objectAt(crd, 'spec')
  const known = served.get(spec) ?? readServedTypes(crd)
  served.set(spec, known)
  return known
}

/** One entry per served version, all on one collection. */
function readServedTypes(crd: JsonObject): ServedType[] {
  const name = stringAt(crd, 'metadata', 'name')
  const versions = listAt(crd, 'spec', 'versions').filter(isObject)
  const storageVersion = stringAt(
    versions.find(one => one.storage === true),
    'name',
  )
  return versions
    .filter(one => one.served === true)
    .map(one => ({
      definition: definitionFromCrd(crd, stringAt(one, 'name')),
      origin: 'custom',
      collection: name,
      storageApiVersion: `${stringAt(crd, 'spec', 'group')}/${storageVersion}`,
    }))
}

const condition = (
  type: string,
  status: string,
  reason: string,
  message: string,
  lastTransitionTime: string,
) => ({
  type,
  status,
  lastTransitionTime,
  reason,
  message,
})

/** Puts a condition in place of the one of its type; its time stays when its status does. */
function withCondition(crd: JsonObject, next: ReturnType<typeof condition>): JsonObject {
  const conditions = listAt(crd, 'status', 'conditions').filter(isObject)
  const present = conditions.find(one => one.type === next.type)
  const kept =
    present?.status === next.status
      ? { ...next, lastTransitionTime: present.lastTransitionTime ?? null }
      : next
  const list = present ? conditions.map(one => (one === present ? kept : one)) : [...conditions, kept]
  return withAt(crd, ['status', 'conditions'], list)
}
