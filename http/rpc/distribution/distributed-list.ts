import { isDeepStrictEqual } from 'node:util'
import type { Cluster } from '../../../karmada/objects/cluster.js'
import type { Binding } from '../../../karmada/objects/resource-binding.js'
import type { KubeObject } from '../../../manifests/kube.js'
import type { ListStep } from '../../objects/objects.js'
import { bindingOf, keyOfObject } from './binding-of.js'
import {
  type ClusterFacts,
  clusterFactsOf,
  type Distribution,
  distributionOf,
  UNKNOWN_DISTRIBUTION,
} from './distribution.js'

/** One step of a followed list whose distributions are followed, too. */
export type DistributedEvent<T extends KubeObject> =
  | { readonly type: 'RESET' | 'BOOKMARK'; readonly total: number }
  | {
      readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'LEFT'
      readonly object: T
      readonly extra: Distribution
      readonly total: number
    }

/** A collection that distributions are read from: absent to a caller who may not read it. */
type Readable<T> = ReadonlyMap<string, T> | undefined

/**
 * What a list shows while its objects, their bindings and the clusters change: pure, each change in, the steps that follow
 * from it out. A change of where an object went is a MODIFIED of the object, because its message shows it.
 */
export class DistributedList<T extends KubeObject> {
  readonly #matches: (object: T, distribution: Distribution) => boolean
  readonly #objects = new Map<string, T>()
  /** The distributions that were shown last, of those that match. */
  readonly #shown = new Map<string, Distribution>()
  #bindings: Readable<Binding>
  #clusters: Readable<ClusterFacts>

  /** @param matches whether the list shows an object that its query selects */
  constructor(matches: (object: T, distribution: Distribution) => boolean) {
    this.#matches = matches
  }

  /** A change of the objects that the query selects. */
  object(event: ListStep<T>): DistributedEvent<T>[] {
    if (!('object' in event)) {
      if (event.type === 'RESET') {
        this.#objects.clear()
        this.#shown.clear()
      }
      return [{ type: event.type, total: this.#shown.size }]
    }
    const { type, object } = event
    const key = keyOfObject(object)
    if (type === 'ADDED' || type === 'MODIFIED') {
      this.#objects.set(key, object)
      return this.#judge(key, object, true)
    }
    this.#objects.delete(key)
    if (!this.#shown.delete(key)) return []
    return [{ type, object, extra: this.#distributionOf(object), total: this.#shown.size }]
  }

  /** All bindings by `keyOfObject`, or undefined for a caller who may not read them. Their owner may change the map. */
  bindings(all: Readable<Binding>): DistributedEvent<T>[] {
    this.#bindings = all
    return this.#judgeAll()
  }

  /** The map of bindings has changed at this binding. */
  binding({ spec: { resource } }: Binding): DistributedEvent<T>[] {
    const key = `${resource?.namespace ?? ''}/${resource?.name ?? ''}`
    const object = this.#objects.get(key)
    return object ? this.#judge(key, object, false) : []
  }

  /** All clusters, or undefined for a caller who may not read them. */
  clusters(all: Iterable<Cluster> | undefined): DistributedEvent<T>[] {
    const facts = all && new Map([...all].map(cluster => [cluster.metadata.name, clusterFactsOf(cluster)]))
    // Clusters report their resources all the time, which no distribution shows.
    if (isDeepStrictEqual(facts, this.#clusters)) return []
    this.#clusters = facts
    return this.#judgeAll()
  }

  #judgeAll(): DistributedEvent<T>[] {
    return [...this.#objects].flatMap(([key, object]) => this.#judge(key, object, false))
  }

  #judge(key: string, object: T, hasChanged: boolean): DistributedEvent<T>[] {
    const distribution = this.#distributionOf(object)
    const before = this.#shown.get(key)
    const told = (type: 'ADDED' | 'MODIFIED' | 'LEFT') => [
      { type, object, extra: distribution, total: this.#shown.size },
    ]
    if (!this.#matches(object, distribution)) return this.#shown.delete(key) ? told('LEFT') : []
    this.#shown.set(key, distribution)
    if (!before) return told('ADDED')
    return hasChanged || !isDeepStrictEqual(before, distribution) ? told('MODIFIED') : []
  }

  #distributionOf(object: T): Distribution {
    if (!this.#bindings) return UNKNOWN_DISTRIBUTION
    return distributionOf(bindingOf(object, this.#bindings), this.#clusters)
  }
}
