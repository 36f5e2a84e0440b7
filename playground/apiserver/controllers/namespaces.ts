import { isObject, type JsonObject, listAt, withAt } from '../../apimachinery/json.js'
import { timestamp } from '../../objects/timestamp.js'
import type { Cluster } from '../cluster.js'
import type { Collection, StoreEvent } from '../store/collection.js'
import type { StoredObject } from '../store/stored-object.js'
import { type Controller, WorkQueue } from './controller.js'
import { change, removeObject } from './internal-write.js'

const NAMESPACES = 'namespaces'

/**
 * Empties namespaces that are being deleted, then lets them go. A namespace whose content cannot be known, because an
 * aggregated API is away, stays and says why.
 */
export class Namespaces implements Controller {
  readonly #queue: WorkQueue
  readonly #terminating = new Set<string>()

  constructor(private readonly cluster: Cluster) {
    this.#queue = new WorkQueue('namespaces', cluster, name => this.#reconcile(name))
    for (const stored of cluster.collection(NAMESPACES).values()) this.#notice(stored)
    cluster.aggregation.onChange(() => {
      for (const name of this.#terminating) this.#queue.add(name)
    })
  }

  observe(collection: Collection, { type, current }: StoreEvent): void {
    if (collection.id === NAMESPACES) {
      if (type === 'DELETED') this.#terminating.delete(current.name)
      else this.#notice(current)
    } else if (type === 'DELETED' && this.#terminating.has(current.namespace)) {
      this.#queue.add(current.namespace)
    }
  }

  close(): Promise<void> {
    return this.#queue.close()
  }

  #notice(namespace: StoredObject): void {
    if (!namespace.isTerminating) return
    if (this.#terminating.has(namespace.name)) return
    this.#terminating.add(namespace.name)
    this.#queue.add(namespace.name)
  }

  async #reconcile(name: string): Promise<boolean> {
    const { cluster } = this
    const namespace = cluster.collection(NAMESPACES).get(name)
    if (!namespace?.isTerminating) return true
    const away = cluster.aggregation.away
    if (away.length > 0) {
      const list = away.map(one => `${one}: stale GroupVersion discovery: ${one}`).join(', ')
      const message = `Discovery failed for some groups, ${away.length} failing: unable to retrieve the complete list of server APIs: ${list}`
      await this.#report(name, [
        problem('NamespaceDeletionDiscoveryFailure', 'DiscoveryFailed', message),
        fine(
          'NamespaceDeletionGroupVersionParsingFailure',
          'ParsedGroupVersions',
          'All legacy kube types successfully parsed',
        ),
      ])
      // It is tried again when the API comes back.
      return true
    }
    const remaining = await this.#empty(name)
    await this.#report(name, conditions(remaining))
    if (remaining.size > 0) return true
    await change(cluster, NAMESPACES, { name, subresource: 'finalize' }, current =>
      withAt(
        current,
        ['spec', 'finalizers'],
        listAt(current, 'spec', 'finalizers').filter(one => one !== 'kubernetes'),
      ),
    )
    return true
  }

  /** Deletes what is in the namespace. @returns what is still there, by type */
  async #empty(namespace: string): Promise<ReadonlyMap<string, readonly StoredObject[]>> {
    const remaining = new Map<string, readonly StoredObject[]>()
    for (const collection of [...this.cluster.store.collections()]) {
      if (collection.id === NAMESPACES) continue
      for (const object of collection.list(namespace)) {
        if (!object.isTerminating)
          await removeObject(this.cluster, collection.id, object, { propagationPolicy: 'Background' })
      }
      const left = collection.list(namespace)
      if (left.length > 0) remaining.set(collection.id, left)
    }
    return remaining
  }

  async #report(name: string, next: readonly JsonObject[]): Promise<void> {
    const now = timestamp(this.cluster.now())
    await change(this.cluster, NAMESPACES, { name, subresource: 'status' }, current => {
      const present = listAt(current, 'status', 'conditions').filter(isObject)
      const merged = next.map(condition => {
        const before = present.find(one => one.type === condition.type)
        const same = before?.status === condition.status && before?.message === condition.message
        return same ? before : { ...condition, lastTransitionTime: now }
      })
      return withAt(current, ['status', 'conditions'], merged as JsonObject[])
    })
  }
}

const problem = (type: string, reason: string, message: string): JsonObject => ({
  message,
  reason,
  status: 'True',
  type,
})
const fine = (type: string, reason: string, message: string): JsonObject => ({
  message,
  reason,
  status: 'False',
  type,
})

function conditions(remaining: ReadonlyMap<string, readonly StoredObject[]>): JsonObject[] {
  const content = [...remaining].map(([type, objects]) => `${type} has ${objects.length} resource instances`)
  const finalizers = new Map<string, number>()
  for (const objects of remaining.values()) {
    for (const { object } of objects) {
      for (const finalizer of listAt(object, 'metadata', 'finalizers').map(String)) {
        finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + 1)
      }
    }
  }
  const waiting = [...finalizers].map(([name, count]) => `${name} in ${count} resource instances`)
  return [
    fine('NamespaceDeletionDiscoveryFailure', 'ResourcesDiscovered', 'All resources successfully discovered'),
    fine(
      'NamespaceDeletionGroupVersionParsingFailure',
      'ParsedGroupVersions',
      'All legacy kube types successfully parsed',
    ),
    fine(
      'NamespaceDeletionContentFailure',
      'ContentDeleted',
      'All content successfully deleted, may be waiting on finalization',
    ),
    content.length > 0
      ? problem(
          'NamespaceContentRemaining',
          'SomeResourcesRemain',
          `Some resources are remaining: ${content.join(', ')}`,
        )
      : fine('NamespaceContentRemaining', 'ContentRemoved', 'All content successfully removed'),
    waiting.length > 0
      ? problem(
          'NamespaceFinalizersRemaining',
          'SomeFinalizersRemain',
          `Some content in the namespace has finalizers remaining: ${waiting.join(', ')}`,
        )
      : fine(
          'NamespaceFinalizersRemaining',
          'ContentHasNoFinalizers',
          'All content-preserving finalizers finished',
        ),
  ]
}
