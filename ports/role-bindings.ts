import type { StoredBinding } from '../manifests/delivered-binding.js'
import type { EffectiveBinding } from '../manifests/effective-binding.js'
import type { RoleOutcome } from '../manifests/role-audit-event.js'
import type { WorkspaceBinding } from '../manifests/workspace.js'
import type { WorkspaceRoleBinding } from '../manifests/workspace-role-binding.js'

/** Who a right is given to: a user and the groups it is in, by the names that Kubernetes has for them. */
export interface Holder {
  readonly user: string
  readonly groups: readonly string[]
}

/** Some instances, by name. What is passed to a listener is so during the call alone. */
export interface SomeInstances {
  has(instance: string): boolean
  keys(): Iterable<string>
}

/** The instances on which what is given has changed; `all` where it may be any. */
export type ChangedInstances = SomeInstances | 'all'

/** What is known of a workspace, which may have members and instances before it exists and gives nothing until then. */
export interface KnownWorkspace {
  readonly exists: boolean
  /** Those that have not ended, by name. */
  readonly members: readonly WorkspaceRoleBinding[]
  /** By what each instance, and namespaces of it, belong to the workspace. */
  readonly bound: ReadonlyMap<string, readonly WorkspaceBinding[]>
}

/** What became of a role binding, as the watch of this replica shows it. */
export interface RoleEvent {
  readonly what: RoleOutcome
  readonly binding: StoredBinding
  /** Milliseconds since 1970. */
  readonly at: number
}

/** The role bindings of the host, direct and through workspaces, as this replica's watches last saw them and as they are at this time. */
export interface RoleBindings {
  /** True once all have been read. */
  readonly synced: boolean
  /** The types that have not been read yet, in the words of Kubernetes. */
  readonly unread: readonly string[]
  /** For how long the host has been silent, milliseconds; 0 while it is heard. */
  readonly silentForMs: number
  /** Those in effect for an instance: direct ones by name, then those through workspaces. It walks over all of them. */
  of(instance: string): readonly EffectiveBinding[]
  /** Those in effect for an instance that name a holder, found by index. */
  givenTo(instance: string, holder: Holder): readonly EffectiveBinding[]
  /** Those in effect that name a holder, on all instances, found by index. One that names it twice may come twice. */
  heldBy(holder: Holder): Iterable<EffectiveBinding>
  /** By what an instance, and namespaces of it, belong to workspaces that exist; it costs what that is. */
  belongingOf(instance: string): readonly WorkspaceBinding[]
  /** One workspace, of which nothing need be known; it costs what belongs to it. */
  workspaceOf(name: string): KnownWorkspace
  /** Another one after each change of what the bindings of an instance give; '' while there are none. It costs little. */
  revisionOf(instance: string): string
  /** Calls back when a role is given, changed, withdrawn or over, after the first list. Returns what ends the calls. */
  onEvent(listener: (event: RoleEvent) => void): () => void
  /** Calls back after each change, within a second of the end of a binding too. Returns what ends the calls. */
  onChange(listener: (instances: ChangedInstances) => void): () => void
}
