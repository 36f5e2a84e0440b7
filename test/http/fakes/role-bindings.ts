import type { InstanceRole, InstanceRoleBinding, Subject } from '../../../manifests/instance-role-binding.js'
import type { RoleBindings } from '../../../ports/role-bindings.js'

/** Role bindings that a test sets. */
export interface FakeRoleBindings extends RoleBindings {
  synced: boolean
  silentForMs: number
  /** Gives a role; another one of the same name is replaced. */
  give(name: string, role: InstanceRole, to: Given): void
  take(name: string): void
}

interface Given {
  readonly instance: string
  readonly subject: Subject
  readonly namespaces?: readonly string[]
}

export function fakeRoleBindings(): FakeRoleBindings {
  const all = new Map<string, InstanceRoleBinding>()
  let changes = 0
  const of = (instance: string) => [...all.values()].filter(({ spec }) => spec.instance === instance)
  return {
    synced: true,
    silentForMs: 0,
    of,
    revisionOf: instance => (of(instance).length > 0 ? String(changes) : ''),
    give(name, role, { subject, ...on }) {
      changes++
      all.set(name, {
        ...{ apiVersion: 'kairship.io/v1alpha1', kind: 'InstanceRoleBinding', metadata: { name } },
        spec: { ...on, role, subjects: [subject] },
      } as InstanceRoleBinding)
    },
    take(name) {
      changes++
      all.delete(name)
    },
  }
}
