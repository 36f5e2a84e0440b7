import type { InstanceRole, Subject } from '../../../manifests/instance-role-binding.js'
import type { Condition } from '../../../manifests/kube.js'
import type { RoleBindings } from '../../../ports/role-bindings.js'
import {
  instanceRoleBinding,
  roleBindingIndex,
  workspace,
  workspaceBinding,
  workspaceRoleBinding,
} from '../../actors/host/role-bindings/watched-roles.js'

/** Role bindings that a test sets, in the index of the product: only the watches on the host are not real. */
export interface FakeRoleBindings extends RoleBindings {
  synced: boolean
  silentForMs: number
  /** Gives a role; a binding of the same name is deleted before, since its role cannot change. */
  give(name: string, role: InstanceRole, to: Given): void
  take(name: string): void
  /** Writes the condition of an InstanceRoleBinding that says what the instance has of it. */
  report(name: string, materialized: Pick<Condition, 'status' | 'reason' | 'message'>): void
  /** Has a binding deleted by the host, where a finalizer keeps it for now. */
  beginToTake(name: string): void
  /** Gives members of a workspace a role; it exists, and the instance or the namespace belongs to it. */
  giveMembers(name: string, role: InstanceRole, to: Given & { readonly workspace: string }): void
  /** Sets the clock by which bindings end, milliseconds later. */
  pass(ms: number): void
}

interface Given {
  readonly instance: string
  readonly subject: Subject
  readonly namespaces?: readonly string[]
  readonly expiresAt?: string
}

export function fakeRoleBindings(): FakeRoleBindings {
  const { index, clock, bindings, workspaces, workspaceBindings, workspaceRoleBindings } = roleBindingIndex()
  let made = 0
  return {
    get synced() {
      return index.synced
    },
    set synced(synced) {
      bindings.resourceVersion = synced ? '1' : undefined
    },
    get unread() {
      return index.unread
    },
    get silentForMs() {
      return index.silentForMs
    },
    set silentForMs(ms) {
      bindings.contact.next('made')
      if (ms === 0) return
      bindings.contact.next({ reason: 'Unreachable', stage: 'role bindings', message: 'reset' })
      clock.now += ms
    },
    of: instance => index.of(instance),
    givenTo: (instance, holder) => index.givenTo(instance, holder),
    heldBy: holder => index.heldBy(holder),
    belongingOf: instance => index.belongingOf(instance),
    workspaceOf: name => index.workspaceOf(name),
    revisionOf: instance => index.revisionOf(instance),
    onEvent: listener => index.onEvent(listener),
    onChange: listener => index.onChange(listener),
    give(name, role, { subject, instance, ...on }) {
      bindings.hide(name)
      const metadata = { uid: `uid-${made++}` }
      bindings.show(instanceRoleBinding(name, instance, role, { ...on, subjects: [subject], metadata }))
    },
    take: name => bindings.hide(name),
    report(name, materialized) {
      const binding = bindings.get(name)
      const condition = { type: 'Materialized', lastTransitionTime: '2026-11-24T00:00:00Z', ...materialized }
      if (binding) bindings.show({ ...binding, status: { conditions: [condition] } })
    },
    beginToTake(name) {
      const previous = bindings.get(name)
      if (!previous) return
      const metadata = { ...previous.metadata, deletionTimestamp: '2026-11-24T00:00:00Z' }
      bindings.show({ ...previous, metadata })
    },
    giveMembers(name, role, { subject, instance, workspace: of, namespaces = [undefined], expiresAt }) {
      workspaces.show(workspace(of))
      for (const namespace of namespaces)
        workspaceBindings.show(
          workspaceBinding(of, { instance, ...(namespace !== undefined && { namespace }) }),
        )
      workspaceRoleBindings.show(
        workspaceRoleBinding(name, of, role, {
          subjects: [subject],
          metadata: { uid: `uid-${made++}` },
          ...(expiresAt !== undefined && { expiresAt }),
        }),
      )
    },
    pass: ms => {
      clock.wall += ms
    },
  }
}
