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
  /** Terminating namespaces whose grace is not over, and what ends it. */
  readonly #graces = new Map<string, NodeJS.Timeout>()

  constructor(private readonly cluster: Cluster) {
    this.#queue = new WorkQueue('namespaces', cluster, name => this.#reconcile(name))
    for (const stored of cluster.collection(NAMESPACES).values()) this.#notice(stored)
    cluster.aggregation.onChange(() => {
      for (const name of this.#terminating) this.#add(name)
    })
  }

  observe(collection: Collection, { type, current }: StoreEvent): void {
    if (collection.id === NAMESPACES) {
      if (type === 'DELETED') this.#terminating.delete(current.name)
      else this.#notice(current)
    } else if (type === 'DELETED' && this.#terminating.has(current.namespace)) {
      this.#add(current.namespace)
    }
  }

  close(): Promise<void> {
    for (const timer of this.#graces.values()) clearTimeout(timer)
    this.#graces.clear()
    return this.#queue.close()
  }

  #add(name: string): void {
    if (!this.#graces.has(name)) this.#queue.add(name)
  }

  #notice(namespace: StoredObject): void {
    if (!namespace.isTerminating) return
    if (this.#terminating.has(namespace.name)) return
    this.#terminating.add(namespace.name)
    const { namespaceGraceMs = 0 } = this.cluster
    if (namespaceGraceMs > 0) this.#graces.set(namespace.name, this.#after(namespaceGraceMs, namespace.name))
    else this.#queue.add(namespace.name)
  }

  #after(milliseconds: number, name: string): NodeJS.Timeout {
    return setTimeout(() => {
      this.#graces.delete(name)
      this.#queue.add(name)
    }, milliseconds)
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
    const { remaining, failures } = await this.#empty(name)
    await this.#report(name, conditions(remaining, failures))
    // What goes by itself is noticed; what was refused is tried again.
    if (remaining.size > 0) return failures.length === 0
    await change(cluster, NAMESPACES, { name, subresource: 'finalize' }, current =>
      withAt(
        current,
        ['spec', 'finalizers'],
        listAt(current, 'spec', 'finalizers').filter(one => one !== 'kubernetes'),
      ),
    )
    return true
  }

  /** Deletes what is in the namespace, type by type; a refusal does not keep the others. */
  async #empty(namespace: string): Promise<Emptied> {
    const remaining = new Map<string, readonly StoredObject[]>()
    const failures: string[] = []
    for (const collection of [...this.cluster.store.collections()]) {
      if (collection.id === NAMESPACES) continue
      const refusals: unknown[] = []
      for (const object of collection.list(namespace)) {
        if (object.isTerminating) continue
        const options = { propagationPolicy: 'Background' } as const
        const removal = removeObject(this.cluster, collection.id, object, options)
        await removal.catch((error: unknown) => refusals.push(error))
      }
      const [first] = refusals
      if (first !== undefined) failures.push(first instanceof Error ? first.message : String(first))
      const left = collection.list(namespace)
      if (left.length > 0) remaining.set(collection.id, left)
    }
    return { remaining, failures }
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

/** What is left of a namespace's content. */
interface Emptied {
  /** By type. */
  readonly remaining: ReadonlyMap<string, readonly StoredObject[]>
  /** Why content could not be deleted, once for each type. */
  readonly failures: readonly string[]
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

function conditions(remaining: Emptied['remaining'], failures: Emptied['failures']): JsonObject[] {
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
    failures.length > 0
      ? problem(
          'NamespaceDeletionContentFailure',
          'ContentDeletionFailed',
          `Failed to delete all resource types, ${failures.length} remaining: ${[...failures].sort().join(', ')}`,
        )
      : fine(
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
