import type { Subscription } from 'rxjs'
import type { InstanceRoleBinding } from '../manifests/instance-role-binding.js'
import type { Collection } from './collection.js'
import { fingerprint } from './outside-object.js'

/** InstanceRoleBindings by the instance they are for, so that no instance pays for the bindings of the others. */
export class RoleBindingIndex {
  readonly #byInstance = new Map<string, Map<string, InstanceRoleBinding>>()
  readonly #subscription: Subscription

  constructor(readonly all: Collection<InstanceRoleBinding>) {
    this.#subscription = all.changes.subscribe(change => {
      if (change.type === 'SYNCED') return
      const { metadata, spec } = change.object
      const bindings = this.#byInstance.get(spec.instance) ?? new Map<string, InstanceRoleBinding>()
      if (change.type === 'DELETED') bindings.delete(metadata.name)
      else bindings.set(metadata.name, change.object)
      if (bindings.size > 0) this.#byInstance.set(spec.instance, bindings)
      else this.#byInstance.delete(spec.instance)
    })
  }

  /** The bindings in effect for an instance, by name. */
  of(instance: string): readonly InstanceRoleBinding[] {
    return [...(this.#byInstance.get(instance)?.values() ?? [])]
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
  }

  /** What the machines need to know of them: changes with every binding's spec. */
  factOf(instance: string): { readonly revision: string; readonly count: number } {
    const bindings = this.of(instance)
    const revision = fingerprint(bindings.map(({ metadata, spec }) => [metadata.name, metadata.uid, spec]))
    return { revision, count: bindings.length }
  }

  stop(): void {
    this.#subscription.unsubscribe()
  }
}
