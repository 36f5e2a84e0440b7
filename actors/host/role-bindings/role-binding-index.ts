import type { Observable, Subscription } from 'rxjs'
import {
  directBinding,
  type EffectiveBinding,
  inheritedBinding,
} from '../../../manifests/effective-binding.js'
import type { InstanceRoleBinding } from '../../../manifests/instance-role-binding.js'
import type { KubeObject } from '../../../manifests/kube.js'
import { endOf } from '../../../manifests/role-end.js'
import type { Workspace, WorkspaceBinding } from '../../../manifests/workspace.js'
import type { WorkspaceRoleBinding } from '../../../manifests/workspace-role-binding.js'
import type {
  ChangedInstances,
  Holder,
  KnownWorkspace,
  RoleBindings,
  RoleEvent,
  SomeInstances,
} from '../../../ports/role-bindings.js'
import type { Collection, Contact } from '../../watches/collection.js'
import { DirectBindings } from './direct-bindings.js'
import { eachObject } from './each-object.js'
import { EndClock } from './end-clock.js'
import { JoinedContact } from './joined-contact.js'
import { RoleChanges } from './role-changes.js'
import { RoleEvents } from './role-events.js'
import { NOTHING, RoleRevisions } from './role-revisions.js'
import { Workspaces } from './workspaces.js'

/** The watches on the host that say who has which role. */
export interface RoleBindingSources {
  readonly bindings: Collection<InstanceRoleBinding>
  readonly workspaces: Collection<Workspace>
  readonly workspaceBindings: Collection<WorkspaceBinding>
  readonly workspaceRoleBindings: Collection<WorkspaceRoleBinding>
}

/** The clocks of an index, both in milliseconds. */
export interface RoleBindingClocks {
  /** Does not go back: for how long something has been so. */
  readonly now: () => number
  /** Since 1970: when bindings end. */
  readonly wall: () => number
}

/**
 * The one place that computes which roles are in effect on an instance: those of InstanceRoleBindings, and those that members of a
 * workspace have on what belongs to it. By instance and by subject, so that no instance and no request pays for the bindings of the others.
 */
export class RoleBindingIndex implements RoleBindings {
  readonly #direct: DirectBindings
  readonly #workspaces: Workspaces
  readonly #contact: JoinedContact
  readonly #changes = new RoleChanges()
  readonly #ends: EndClock
  readonly #events: RoleEvents
  readonly #subscription: Subscription
  readonly now: () => number
  readonly #all: readonly Collection<KubeObject>[]
  readonly #revisions: RoleRevisions

  constructor(
    readonly sources: RoleBindingSources,
    { now, wall }: RoleBindingClocks = { now: () => performance.now(), wall: () => Date.now() },
    private readonly pulse: { readonly silentForMs: number } = { silentForMs: 0 },
  ) {
    this.now = now
    this.#all = Object.values(sources)
    this.#workspaces = new Workspaces(now, wall)
    this.#events = new RoleEvents(sources, wall)
    this.#ends = new EndClock(wall, keys => this.#end(keys))
    this.#direct = new DirectBindings(now, wall)
    this.#contact = new JoinedContact(now, () => this.#changes.tell('all'))
    this.#revisions = new RoleRevisions(this.#direct, this.#workspaces)
    const { bindings, workspaces, workspaceBindings, workspaceRoleBindings } = sources
    this.#subscription = eachObject(bindings, (object, isThere) => this.#takeDirect(object, isThere))
    this.#subscription.add(
      eachObject(workspaces, (object, isThere) => this.#took(this.#workspaces.setWorkspace(object, isThere))),
    )
    this.#subscription.add(
      eachObject(workspaceBindings, (object, isThere) => this.#takeBound(object, isThere)),
    )
    this.#subscription.add(
      eachObject(workspaceRoleBindings, (object, isThere) => this.#takeMember(object, isThere)),
    )
    // What the collections hold was taken by now.
    this.#contact.follow(this.#all)
  }

  get unread(): readonly string[] {
    return this.#all.flatMap(({ resource, resourceVersion }) =>
      resourceVersion === undefined ? `${resource.resource}.${resource.group}` : [],
    )
  }

  /** Asked for each request. */
  get synced(): boolean {
    return this.#all.every(({ resourceVersion }) => resourceVersion !== undefined)
  }

  get silentForMs(): number {
    return Math.max(this.#contact.lostForMs, this.pulse.silentForMs)
  }

  /** Emits at once how contact stands with all that it is read from: lost when it is lost with one of them. */
  get contact(): Observable<Contact> {
    return this.#contact.changes
  }
  get inContact(): boolean {
    return this.#contact.isMade
  }
  /** Emits after each change while in contact, and `all` when contact was made. */
  get changed(): Observable<ChangedInstances> {
    return this.#changes.all
  }
  /** The same for one instance, without its name. */
  changesOf(instance: string): Observable<void> {
    return this.#changes.of(instance)
  }

  onChange(listener: (instances: ChangedInstances) => void): () => void {
    const subscription = this.#changes.all.subscribe(listener)
    return () => subscription.unsubscribe()
  }

  onEvent(listener: (event: RoleEvent) => void): () => void {
    return this.#events.subscribe(listener)
  }

  revisionOf(instance: string): string {
    this.#ends.look()
    return this.#revisions.of(instance)
  }

  of(instance: string): readonly EffectiveBinding[] {
    this.#ends.look()
    const direct = this.#direct.of(instance)
    const inherited = [...this.#workspaces.of(instance)].flatMap(({ members, through }) =>
      members.map(member => inheritedBinding(instance, member, through)),
    )
    return [...direct.map(directBinding), ...inherited]
  }

  givenTo(instance: string, holder: Holder): readonly EffectiveBinding[] {
    this.#ends.look()
    const given: EffectiveBinding[] = this.#direct.givenTo(instance, holder).map(directBinding)
    for (const { members, through } of this.#workspaces.givenTo(instance, holder))
      for (const member of members) given.push(inheritedBinding(instance, member, through))
    return given
  }

  *heldBy(holder: Holder): Generator<EffectiveBinding, void> {
    this.#ends.look()
    for (const binding of this.#direct.heldBy(holder)) yield directBinding(binding)
    for (const { instance, members, through } of this.#workspaces.heldBy(holder))
      for (const member of members) yield inheritedBinding(instance, member, through)
  }

  belongingOf(instance: string): readonly WorkspaceBinding[] {
    return this.#workspaces.belongingOf(instance)
  }

  workspaceOf(name: string): KnownWorkspace {
    this.#ends.look()
    return this.#workspaces.known(name)
  }

  /** The InstanceRoleBindings of an instance whose end has come. */
  endedOf(instance: string): readonly InstanceRoleBinding[] {
    return this.#direct.endedOf(instance)
  }

  /** What the machines need to know of them: changes with what they give, and with the end of one. */
  factOf(instance: string): { readonly revision: string; readonly count: number } {
    const count = this.#direct.of(instance).length + this.#workspaces.countOf(instance)
    return { revision: this.revisionOf(instance) || NOTHING, count }
  }

  /** Which bindings are in effect for an instance, and for how long, milliseconds. It costs little: reads ask for it. */
  rightsOf(instance: string): { readonly revision: string; readonly unchangedForMs: number } {
    const revision = this.revisionOf(instance)
    const since = Math.max(
      this.#direct.sinceOf(instance) ?? Number.NEGATIVE_INFINITY,
      this.#workspaces.sinceOf(instance) ?? Number.NEGATIVE_INFINITY,
    )
    if (since === Number.NEGATIVE_INFINITY) return { revision: '', unchangedForMs: Number.POSITIVE_INFINITY }
    return { revision: revision || NOTHING, unchangedForMs: this.now() - since }
  }

  stop(): void {
    this.#subscription.unsubscribe()
    this.#contact.stop()
    this.#ends.stop()
    this.#events.stop()
  }

  #takeDirect(binding: InstanceRoleBinding, isThere: boolean): void {
    this.#ends.set(`InstanceRoleBinding/${binding.metadata.name}`, isThere ? endOf(binding) : undefined)
    this.#took(isThere ? this.#direct.set(binding) : this.#direct.delete(binding))
  }

  #takeMember(binding: WorkspaceRoleBinding, isThere: boolean): void {
    this.#ends.set(`WorkspaceRoleBinding/${binding.metadata.name}`, isThere ? endOf(binding) : undefined)
    this.#took(isThere ? this.#workspaces.setMember(binding) : this.#workspaces.deleteMember(binding))
  }

  #takeBound(binding: WorkspaceBinding, isThere: boolean): void {
    const changed = this.#workspaces.setBound(binding, isThere)
    for (const instance of changed.keys()) this.#direct.changed(instance)
    this.#took(changed)
  }

  /** Bindings whose end has come are looked at again, as if they had changed. */
  #end(keys: readonly string[]): void {
    this.#events.over(keys)
    const { bindings, workspaceRoleBindings } = this.sources
    for (const key of keys) {
      const [kind, name = ''] = key.split('/')
      const binding = kind === 'InstanceRoleBinding' ? bindings.get(name) : undefined
      const member = kind === 'WorkspaceRoleBinding' ? workspaceRoleBindings.get(name) : undefined
      if (binding) this.#takeDirect(binding, true)
      if (member) this.#takeMember(member, true)
    }
  }

  #took(instances: SomeInstances): void {
    this.#direct.forget()
    for (const _ of instances.keys()) {
      this.#revisions.changed()
      if (this.inContact) this.#changes.tell(instances)
      return
    }
  }
}
