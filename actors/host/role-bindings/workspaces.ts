import {
  type Bindable,
  bindingNameOf,
  type Workspace,
  type WorkspaceBinding,
} from '../../../manifests/workspace.js'
import type { WorkspaceRoleBinding } from '../../../manifests/workspace-role-binding.js'
import type { Holder, KnownWorkspace, SomeInstances } from '../../../ports/role-bindings.js'
import { GrantedBindings } from './granted-bindings.js'
import { SubjectIndex } from './subject-index.js'

const NO_INSTANCES: SomeInstances = new Set()
const NOTHING_INHERITED: readonly Inherited[] = []

/** One workspace, as far as anything is known of it: it may have members or instances before it exists. */
class WorkspaceState {
  exists = false
  readonly members: GrantedBindings<WorkspaceRoleBinding>
  /** The WorkspaceBindings of each instance, by name. */
  readonly bound = new Map<string, Map<string, WorkspaceBinding>>()
  /** When it began to give what it gives, milliseconds. */
  since: number

  constructor(now: number, bySubject: SubjectIndex<WorkspaceRoleBinding>) {
    this.since = now
    this.members = new GrantedBindings(bySubject)
  }

  /** Its members' bindings, if it gives anything. */
  get gives(): readonly WorkspaceRoleBinding[] {
    return this.exists ? this.members.inEffect : []
  }
  get isEmpty(): boolean {
    return !this.exists && this.members.isEmpty && this.bound.size === 0
  }
}

/** What an instance has through one workspace. */
export interface Inherited {
  readonly members: readonly WorkspaceRoleBinding[]
  readonly through: readonly WorkspaceBinding[]
}

/**
 * Workspaces with their members and with what belongs to them. A workspace that does not exist gives nothing, and neither does a
 * WorkspaceBinding under another name than that of what it binds: nothing belongs to two workspaces.
 */
export class Workspaces {
  readonly #byName = new Map<string, WorkspaceState>()
  /** The workspaces of each instance. */
  readonly #ofInstance = new Map<string, Set<string>>()
  readonly #bySubject = new SubjectIndex<WorkspaceRoleBinding>()

  /** @param now milliseconds, on any clock that does not go back @param wall milliseconds since 1970 */
  constructor(
    private readonly now: () => number,
    private readonly wall: () => number,
  ) {}

  /** @returns the instances on which rights changed */
  setWorkspace({ metadata }: Workspace, exists: boolean): SomeInstances {
    return this.#change(metadata.name, workspace => {
      const does = exists && metadata.deletionTimestamp === undefined
      const differs = does !== workspace.exists
      workspace.exists = does
      return differs && workspace.members.inEffect.length > 0
    })
  }

  /** Takes a member's binding as it is now. @returns the instances on which rights changed */
  setMember(binding: WorkspaceRoleBinding): SomeInstances {
    const { spec } = binding
    return this.#change(spec.workspace, ({ members, exists }) => members.set(binding, this.wall()) && exists)
  }

  /** @param binding as it was set @returns the instances on which rights changed */
  deleteMember({ metadata, spec }: WorkspaceRoleBinding): SomeInstances {
    return this.#change(spec.workspace, ({ members, exists }) => members.delete(metadata.name) && exists)
  }

  /** Says that something belongs to a workspace, or that it does not any more. @returns the instance, if its rights changed */
  setBound(binding: WorkspaceBinding, isBound: boolean): SomeInstances {
    const { metadata, spec } = binding
    const { workspace: name, instance } = spec
    const counts =
      isBound && metadata.deletionTimestamp === undefined && metadata.name === bindingNameOf(spec as Bindable)
    const workspace = this.#workspace(name)
    const bound = workspace.bound.get(instance) ?? new Map<string, WorkspaceBinding>()
    const was = bound.has(metadata.name)
    if (counts) {
      workspace.bound.set(instance, bound.set(metadata.name, binding))
      this.#ofInstance.set(instance, (this.#ofInstance.get(instance) ?? new Set()).add(name))
    } else {
      bound.delete(metadata.name)
      if (bound.size === 0) this.#release(workspace, name, instance)
    }
    const changed = was !== counts && workspace.gives.length > 0
    this.#tidy(name, workspace)
    return changed ? new Set([instance]) : NO_INSTANCES
  }

  #release(workspace: WorkspaceState, name: string, instance: string): void {
    workspace.bound.delete(instance)
    const names = this.#ofInstance.get(instance)
    names?.delete(name)
    if (names?.size === 0) this.#ofInstance.delete(instance)
  }

  /** What an instance has through each of its workspaces that gives anything. */
  *of(instance: string): Generator<Inherited, void> {
    for (const workspace of this.#giving(instance))
      yield this.#inherited(workspace, instance, workspace.gives)
  }

  /** What an instance has through workspaces for one holder. */
  givenTo(instance: string, holder: Holder): readonly Inherited[] {
    const names = this.#ofInstance.get(instance)
    if (!names) return NOTHING_INHERITED
    return this.#bySubject.of(holder).flatMap(binding => {
      const { workspace: name } = binding.spec
      const workspace = names.has(name) ? this.#byName.get(name) : undefined
      return workspace?.exists ? this.#inherited(workspace, instance, [binding]) : []
    })
  }

  /** What one holder has through workspaces, on each instance. */
  *heldBy(holder: Holder): Generator<Inherited & { readonly instance: string }, void> {
    for (const binding of this.#bySubject.of(holder)) {
      const workspace = this.#byName.get(binding.spec.workspace)
      if (!workspace?.exists) continue
      for (const instance of workspace.bound.keys())
        yield { instance, ...this.#inherited(workspace, instance, [binding]) }
    }
  }

  /** By what an instance belongs to workspaces that exist, by name of the workspace. */
  belongingOf(instance: string): readonly WorkspaceBinding[] {
    return [...(this.#ofInstance.get(instance) ?? [])].sort().flatMap(name => {
      const { exists, bound } = this.#byName.get(name) ?? {}
      return exists ? [...(bound?.get(instance)?.values() ?? [])] : []
    })
  }

  /** What is known of one workspace, whether it exists or not. */
  known(name: string): KnownWorkspace {
    const {
      exists = false,
      members,
      bound = new Map<string, Map<string, WorkspaceBinding>>(),
    } = this.#byName.get(name) ?? {}
    return {
      ...{ exists, members: members?.inEffect ?? [] },
      bound: new Map([...bound].map(([instance, bindings]) => [instance, [...bindings.values()]])),
    }
  }

  /** Of what an instance has through workspaces, in parts; none while it has nothing. */
  revisionsOf(instance: string): readonly string[] {
    return [...this.#giving(instance)].flatMap(({ members, bound }) => [
      members.revision,
      ...[...(bound.get(instance)?.keys() ?? [])].sort(),
    ])
  }

  /** How many bindings of members an instance has. */
  countOf(instance: string): number {
    return [...this.#giving(instance)].reduce((sum, { gives }) => sum + gives.length, 0)
  }

  /** When the workspaces of an instance last began to give something else, milliseconds; undefined while it has none. */
  sinceOf(instance: string): number | undefined {
    const times = [...(this.#ofInstance.get(instance) ?? [])].flatMap(
      name => this.#byName.get(name)?.since ?? [],
    )
    return times.length === 0 ? undefined : Math.max(...times)
  }

  *#giving(instance: string): Generator<WorkspaceState, void> {
    for (const name of [...(this.#ofInstance.get(instance) ?? [])].sort()) {
      const workspace = this.#byName.get(name)
      if (workspace && workspace.gives.length > 0) yield workspace
    }
  }

  #inherited(
    { bound }: WorkspaceState,
    instance: string,
    members: readonly WorkspaceRoleBinding[],
  ): Inherited {
    return { members, through: [...(bound.get(instance)?.values() ?? [])] }
  }

  /** @param work says whether what the workspace gives changed @returns its instances if so, as they are until the next change */
  #change(name: string, work: (workspace: WorkspaceState) => boolean): SomeInstances {
    const workspace = this.#workspace(name)
    const changed = work(workspace)
    if (changed) workspace.since = this.now()
    const instances = changed ? workspace.bound : NO_INSTANCES
    this.#tidy(name, workspace)
    return instances
  }

  #workspace(name: string): WorkspaceState {
    const known = this.#byName.get(name) ?? new WorkspaceState(this.now(), this.#bySubject)
    this.#byName.set(name, known)
    return known
  }

  #tidy(name: string, workspace: WorkspaceState): void {
    if (workspace.isEmpty) this.#byName.delete(name)
  }
}
