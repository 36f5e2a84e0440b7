import type { Binding } from '../../../karmada/objects/resource-binding.js'
import { objectKey } from '../../../streams/object-store.js'
import type { Observed } from './observed.js'

/**
 * All bindings with the results that the scheduler has just written: the watch reports them later than the next binding is scheduled
 * (`AssigningResourceBindingCache` of Karmada).
 */
export class AssignedBindings {
  readonly #observed: Observed
  readonly #assigned = new Map<string, Binding>()

  /** Must be made before the watches start. */
  constructor(observed: Observed) {
    this.#observed = observed
    observed.onBinding(({ type, object }) => {
      const key = objectKey(object)
      const assigned = this.#assigned.get(key)
      if (assigned && (type === 'DELETED' || !isNewer(assigned, object))) this.#assigned.delete(key)
    })
  }

  add(binding: Binding): void {
    const key = objectKey(binding)
    const observed = this.#observed.binding(key)
    if (observed && isNewer(binding, observed)) this.#assigned.set(key, binding)
  }

  /** Those of a namespace; '' for ClusterResourceBindings. */
  inNamespace(namespace: string): readonly Binding[] {
    return this.#observed.bindings
      .filter(({ metadata }) => (metadata.namespace ?? '') === namespace)
      .map(one => this.#assigned.get(objectKey(one)) ?? one)
  }
}

const isNewer = (one: Binding, other: Binding): boolean =>
  Number(one.metadata.resourceVersion) > Number(other.metadata.resourceVersion)
