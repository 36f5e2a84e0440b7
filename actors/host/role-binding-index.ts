import type { Subscription } from 'rxjs'
import type { InstanceRoleBinding } from '../../manifests/instance-role-binding.js'
import type { Collection } from '../watches/collection.js'
import { fingerprint } from './kept-object.js'

const NO_BINDINGS = { revision: '', since: Number.NEGATIVE_INFINITY }

/** InstanceRoleBindings by the instance they are for, so that no instance pays for the bindings of the others. */
export class RoleBindingIndex {
  readonly #byInstance = new Map<string, Map<string, InstanceRoleBinding>>()
  /** Of the bindings in effect for an instance: their revision, and since when it is that, milliseconds of `now`. */
  readonly #revisions = new Map<string, { readonly revision: string; readonly since: number }>()
  readonly #subscription: Subscription

  constructor(
    readonly all: Collection<InstanceRoleBinding>,
    readonly now: () => number = () => performance.now(),
  ) {
    this.#subscription = all.changes.subscribe(change => {
      if (change.type === 'SYNCED') return
      const { metadata, spec } = change.object
      const bindings = this.#byInstance.get(spec.instance) ?? new Map<string, InstanceRoleBinding>()
      if (change.type === 'DELETED') bindings.delete(metadata.name)
      else bindings.set(metadata.name, change.object)
      if (bindings.size > 0) this.#byInstance.set(spec.instance, bindings)
      else this.#byInstance.delete(spec.instance)
      const { revision } = this.factOf(spec.instance)
      // A status changes nothing.
      if (this.#revisions.get(spec.instance)?.revision !== revision)
        this.#revisions.set(spec.instance, { revision, since: this.now() })
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

  /** Which bindings are in effect for an instance, and for how long, milliseconds. It costs little: reads ask for it. */
  rightsOf(instance: string): { readonly revision: string; readonly unchangedForMs: number } {
    const { revision, since } = this.#revisions.get(instance) ?? NO_BINDINGS
    return { revision, unchangedForMs: this.now() - since }
  }

  stop(): void {
    this.#subscription.unsubscribe()
  }
}
