import type { Subscription } from 'rxjs'
import type { InstanceRoleBinding } from '../../manifests/instance-role-binding.js'
import type { RoleBindings } from '../../ports/role-bindings.js'
import type { Collection } from '../watches/collection.js'
import { fingerprint } from './kept-object.js'

/** Readers of rights compare them with what was so half a minute ago; longer than that it may be forgotten, milliseconds. */
const FORGET_AFTER_MS = 3_600_000

/** InstanceRoleBindings by the instance they are for, so that no instance pays for the bindings of the others. */
export class RoleBindingIndex implements RoleBindings {
  readonly #byInstance = new Map<string, BindingsOfInstance>()
  /** Instances that had bindings and have none, with the time of that: the first before the others. Those that are gone are among them. */
  readonly #bare = new Map<string, number>()
  readonly #subscription: Subscription
  /** When contact with the host was lost; undefined while it lasts, and before it was made. */
  #lostAt: number | undefined

  constructor(
    readonly all: Collection<InstanceRoleBinding>,
    readonly now: () => number = () => performance.now(),
  ) {
    this.#subscription = all.changes.subscribe(change => {
      if (change.type === 'SYNCED') return
      if (change.type === 'DELETED') this.#delete(change.object)
      else this.#of(change.object.spec.instance).set(change.object, this.now())
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
    return this.#byInstance.get(instance)?.revision ?? ''
  }

  /** The bindings in effect for an instance, by name. */
  of(instance: string): readonly InstanceRoleBinding[] {
    return this.#byInstance.get(instance)?.inEffect ?? []
  }

  /** What the machines need to know of them: changes with every binding's spec. */
  factOf(instance: string): { readonly revision: string; readonly count: number } {
    const { revision, inEffect } = this.#byInstance.get(instance) ?? NO_BINDINGS
    return { revision, count: inEffect.length }
  }

  /** Which bindings are in effect for an instance, and for how long, milliseconds. It costs little: reads ask for it. */
  rightsOf(instance: string): { readonly revision: string; readonly unchangedForMs: number } {
    const known = this.#byInstance.get(instance)
    const since = known?.since ?? this.#bare.get(instance)
    if (since === undefined) return { revision: '', unchangedForMs: Number.POSITIVE_INFINITY }
    return { revision: (known ?? NO_BINDINGS).revision, unchangedForMs: this.now() - since }
  }

  #of(instance: string): BindingsOfInstance {
    const known = this.#byInstance.get(instance) ?? new BindingsOfInstance(this.now())
    this.#byInstance.set(instance, known)
    this.#bare.delete(instance)
    return known
  }

  #delete(binding: InstanceRoleBinding): void {
    const { instance } = binding.spec
    const known = this.#byInstance.get(instance)
    known?.delete(binding, this.now())
    if (!known?.isEmpty) return
    this.#byInstance.delete(instance)
    this.#bare.set(instance, known.since)
  }

  /** Without an entry an instance has had no bindings for ever, which is true for long enough by then. */
  #forget(): void {
    for (const [instance, since] of this.#bare) {
      if (this.now() - since < FORGET_AFTER_MS) return
      this.#bare.delete(instance)
    }
  }

  stop(): void {
    this.#subscription.unsubscribe()
  }
}

/**
 * The bindings of one instance. Each is fingerprinted when it comes, and all together when they are read after a change: a list of ten
 * thousand bindings of one instance would otherwise take minutes.
 */
class BindingsOfInstance {
  /** With the fingerprint of what each gives; one that is being deleted gives nothing, and has none. */
  readonly #byName = new Map<string, { readonly binding: InstanceRoleBinding; readonly print?: string }>()
  #inEffect: readonly InstanceRoleBinding[] | undefined
  #revision: string | undefined

  /** @param since when they began to give what they give, milliseconds */
  constructor(public since: number) {}

  get isEmpty(): boolean {
    return this.#byName.size === 0
  }

  /** By name. */
  get inEffect(): readonly InstanceRoleBinding[] {
    this.#inEffect ??= [...this.#byName.values()]
      .filter(({ print }) => print !== undefined)
      .map(({ binding }) => binding)
      .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
    return this.#inEffect
  }

  /** Of what they give. */
  get revision(): string {
    this.#revision ??= fingerprint(this.inEffect.map(({ metadata }) => this.#printOf(metadata.name)))
    return this.#revision
  }

  set(binding: InstanceRoleBinding, now: number): void {
    const { metadata, spec } = binding
    const before = this.#printOf(metadata.name)
    const isInEffect = metadata.deletionTimestamp === undefined
    const print = isInEffect ? fingerprint([metadata.name, metadata.uid, spec]) : undefined
    this.#byName.set(metadata.name, { binding, ...(print !== undefined && { print }) })
    this.#changed(print !== before, now)
  }

  delete({ metadata: { name } }: InstanceRoleBinding, now: number): void {
    const before = this.#printOf(name)
    this.#byName.delete(name)
    this.#changed(before !== undefined, now)
  }

  #printOf(name: string): string | undefined {
    return this.#byName.get(name)?.print
  }

  /** A status gives nothing. */
  #changed(isGiven: boolean, now: number): void {
    this.#inEffect = undefined
    if (!isGiven) return
    this.since = now
    this.#revision = undefined
  }
}

const NO_BINDINGS = new BindingsOfInstance(Number.NEGATIVE_INFINITY)
