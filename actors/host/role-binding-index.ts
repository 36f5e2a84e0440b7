import type { Subscription } from 'rxjs'
import type { InstanceRoleBinding } from '../../manifests/instance-role-binding.js'
import type { RoleBindings } from '../../ports/role-bindings.js'
import type { Collection } from '../watches/collection.js'
import { fingerprint } from './kept-object.js'

/** Readers of rights compare them with what was so half a minute ago; longer than that it may be forgotten, milliseconds. */
const FORGET_AFTER_MS = 3_600_000

const NO_BINDINGS = { revision: '', since: Number.NEGATIVE_INFINITY }

/** InstanceRoleBindings by the instance they are for, so that no instance pays for the bindings of the others. */
export class RoleBindingIndex implements RoleBindings {
  readonly #byInstance = new Map<string, Map<string, InstanceRoleBinding>>()
  /** Of the bindings in effect for an instance: their revision, and since when it is that, milliseconds of `now`. */
  readonly #revisions = new Map<string, { readonly revision: string; readonly since: number }>()
  /** Instances that had bindings and have none, the one that lost them first before the others: those that are gone are among them. */
  readonly #bare = new Set<string>()
  readonly #subscription: Subscription
  /** When contact with the host was lost; undefined while it lasts, and before it was made. */
  #lostAt: number | undefined

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
      this.#bare.delete(spec.instance)
      if (bindings.size === 0) this.#bare.add(spec.instance)
      this.#forget()
    })
    this.#subscription.add(
      all.contact.subscribe(contact => {
        if (contact === 'made') this.#lostAt = undefined
        else if (contact !== 'pending') this.#lostAt ??= this.now()
      }),
    )
  }

  get synced(): boolean {
    return this.all.resourceVersion !== undefined
  }

  get silentForMs(): number {
    return this.#lostAt === undefined ? 0 : this.now() - this.#lostAt
  }

  revisionOf(instance: string): string {
    return this.#byInstance.has(instance) ? this.rightsOf(instance).revision : ''
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

  /** Without an entry an instance has had no bindings for ever, which is true for long enough by then. */
  #forget(): void {
    for (const instance of this.#bare) {
      const { since } = this.#revisions.get(instance) ?? NO_BINDINGS
      if (this.now() - since < FORGET_AFTER_MS) return
      this.#bare.delete(instance)
      this.#revisions.delete(instance)
    }
  }

  stop(): void {
    this.#subscription.unsubscribe()
  }
}
