import { BehaviorSubject, Subject as Stream } from 'rxjs'
import { RoleBindingIndex } from '../../../actors/host/role-binding-index.js'
import type { InstanceRole, InstanceRoleBinding, Subject } from '../../../manifests/instance-role-binding.js'
import type { RoleBindings } from '../../../ports/role-bindings.js'
import type { Change } from '../../../streams/object-store.js'

/** Role bindings that a test sets, in the index of the product: only the watch on the host is not real. */
export interface FakeRoleBindings extends RoleBindings {
  synced: boolean
  silentForMs: number
  /** Gives a role; a binding of the same name is deleted before, since its role cannot change. */
  give(name: string, role: InstanceRole, to: Given): void
  take(name: string): void
  /** Has a binding deleted by the host, where a finalizer keeps it for now. */
  beginToTake(name: string): void
}

interface Given {
  readonly instance: string
  readonly subject: Subject
  readonly namespaces?: readonly string[]
}

export function fakeRoleBindings(): FakeRoleBindings {
  const all = new Map<string, InstanceRoleBinding>()
  const changes = new Stream<Change<InstanceRoleBinding>>()
  const contact = new BehaviorSubject<unknown>('made')
  const watched = { changes, contact, resourceVersion: '1' as string | undefined }
  let now = 0
  let made = 0
  const index = new RoleBindingIndex(watched as never, () => now)
  const take = (name: string) => {
    const object = all.get(name)
    if (all.delete(name) && object) changes.next({ type: 'DELETED', object })
  }
  return {
    get synced() {
      return index.synced
    },
    set synced(synced) {
      watched.resourceVersion = synced ? '1' : undefined
    },
    get silentForMs() {
      return index.silentForMs
    },
    set silentForMs(ms) {
      contact.next('made')
      if (ms === 0) return
      contact.next({ class: 'unreachable' })
      now += ms
    },
    of: instance => index.of(instance),
    revisionOf: instance => index.revisionOf(instance),
    give(name, role, { subject, ...on }) {
      take(name)
      const object: InstanceRoleBinding = {
        ...({ apiVersion: 'kairship.io/v1alpha1', kind: 'InstanceRoleBinding' } as const),
        metadata: { name, uid: `uid-${made++}` },
        spec: { ...on, role, subjects: [subject] },
      }
      all.set(name, object)
      changes.next({ type: 'ADDED', object })
    },
    take,
    beginToTake(name) {
      const previous = all.get(name)
      if (!previous) return
      const metadata = { ...previous.metadata, deletionTimestamp: '2026-11-24T00:00:00Z' }
      const object = { ...previous, metadata }
      all.set(name, object)
      changes.next({ type: 'MODIFIED', object, previous })
    },
  }
}
