import { BehaviorSubject, Subject as Stream } from 'rxjs'
import {
  RoleBindingIndex,
  type RoleBindingSources,
} from '../../../../actors/host/role-bindings/role-binding-index.js'
import type { Collection, Contact } from '../../../../actors/watches/collection.js'
import {
  INSTANCE_ROLE_BINDINGS,
  type InstanceRole,
  type InstanceRoleBinding,
  type Subject,
} from '../../../../manifests/instance-role-binding.js'
import type { GroupVersionResource, KubeObject, ObjectMeta } from '../../../../manifests/kube.js'
import {
  type Bindable,
  bindingNameOf,
  WORKSPACE_BINDINGS,
  WORKSPACES,
  type Workspace,
  type WorkspaceBinding,
} from '../../../../manifests/workspace.js'
import {
  WORKSPACE_ROLE_BINDINGS,
  type WorkspaceRoleBinding,
} from '../../../../manifests/workspace-role-binding.js'
import type { Change } from '../../../../streams/object-store.js'

/** A type of the host as its watch shows it: only the watch is not real. Objects are kept and compared as `ObjectStore` does. */
export class WatchedType<T extends KubeObject> {
  readonly changes = new Stream<Change<T>>()
  readonly contact = new BehaviorSubject<Contact>('made')
  readonly objects = new Map<string, T>()
  resourceVersion: string | undefined = '1'

  constructor(readonly resource: GroupVersionResource) {}

  get inContact(): boolean {
    return this.contact.value === 'made'
  }
  get(name: string): T | undefined {
    return this.objects.get(name)
  }
  values(): IterableIterator<T> {
    return this.objects.values()
  }
  /** Another uid under the same name is another object: the one before is gone. */
  show(object: T): void {
    const { name, uid } = object.metadata
    const previous = this.objects.get(name)
    if (previous && previous.metadata.uid !== uid) this.hide(name)
    this.objects.set(name, object)
    if (previous && previous.metadata.uid === uid) this.changes.next({ type: 'MODIFIED', object, previous })
    else this.changes.next({ type: 'ADDED', object })
  }
  hide(name: string): void {
    const object = this.objects.get(name)
    if (this.objects.delete(name) && object) this.changes.next({ type: 'DELETED', object })
  }
}

type Metadata = Partial<ObjectMeta>
interface Given {
  readonly subjects?: readonly Subject[]
  readonly expiresAt?: string
  readonly metadata?: Metadata
}

export const instanceRoleBinding = (
  name: string,
  instance: string,
  role: InstanceRole,
  { metadata = {}, subjects = [], ...spec }: Given & { readonly namespaces?: readonly string[] } = {},
): InstanceRoleBinding => ({
  ...({ apiVersion: 'kairship.io/v1alpha1', kind: 'InstanceRoleBinding' } as const),
  metadata: { name, uid: name, ...metadata },
  spec: { instance, role, subjects, ...spec },
})

export const workspaceRoleBinding = (
  name: string,
  workspace: string,
  role: InstanceRole,
  { metadata = {}, subjects = [], ...spec }: Given = {},
): WorkspaceRoleBinding => ({
  ...({ apiVersion: 'kairship.io/v1alpha1', kind: 'WorkspaceRoleBinding' } as const),
  metadata: { name, uid: name, ...metadata },
  spec: { workspace, role, subjects, ...spec },
})

export const workspace = (name: string, metadata: Metadata = {}): Workspace => ({
  ...({ apiVersion: 'kairship.io/v1alpha1', kind: 'Workspace' } as const),
  metadata: { name, uid: name, ...metadata },
  spec: { id: 1 },
})

export const workspaceBinding = (
  name: string,
  bound: Bindable,
  metadata: Metadata = {},
): WorkspaceBinding => ({
  ...({ apiVersion: 'kairship.io/v1alpha1', kind: 'WorkspaceBinding' } as const),
  metadata: { name: bindingNameOf(bound), uid: `${name}/${bindingNameOf(bound)}`, ...metadata },
  spec: { workspace: name, ...bound },
})

/** The index of the product over types that a test sets, with clocks that it sets. */
export function roleBindingIndex() {
  const clock = { now: 0, wall: Date.parse('2026-11-24T12:00:00Z') }
  const sources = {
    bindings: new WatchedType<InstanceRoleBinding>(INSTANCE_ROLE_BINDINGS),
    workspaces: new WatchedType<Workspace>(WORKSPACES),
    workspaceBindings: new WatchedType<WorkspaceBinding>(WORKSPACE_BINDINGS),
    workspaceRoleBindings: new WatchedType<WorkspaceRoleBinding>(WORKSPACE_ROLE_BINDINGS),
  }
  const watched = sources as unknown as { [Name in keyof RoleBindingSources]: Collection<never> }
  const pulse = { silentForMs: 0 }
  const clocks = { now: () => clock.now, wall: () => clock.wall }
  const index = new RoleBindingIndex(watched as unknown as RoleBindingSources, clocks, pulse)
  return { index, clock, pulse, ...sources }
}
