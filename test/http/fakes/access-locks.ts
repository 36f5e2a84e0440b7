import { Subject as Stream } from 'rxjs'
import { AccessLockIndex } from '../../../actors/host/access-lock-index.js'
import type { AccessLock } from '../../../manifests/access-lock.js'
import type { AccessLocks } from '../../../ports/access-locks.js'

/** Access locks that a test sets, in the index of the product: only the watch on the host is not real. */
export interface FakeAccessLocks extends AccessLocks {
  synced: boolean
  lock(name: string, spec: AccessLock['spec'] | object, annotations?: Readonly<Record<string, string>>): void
  unlock(name: string): void
}

export function fakeAccessLocks(): FakeAccessLocks {
  const held = new Map<string, { readonly metadata: AccessLock['metadata']; readonly spec: object }>()
  const changes = new Stream<object>()
  const watched = { changes, values: () => held.values(), resourceVersion: '1' as string | undefined }
  const index = new AccessLockIndex(watched as never)
  let made = 0
  return {
    get synced() {
      return index.synced
    },
    set synced(synced) {
      watched.resourceVersion = synced ? '1' : undefined
    },
    get revision() {
      return index.revision
    },
    all: () => index.all(),
    ignored: () => index.ignored(),
    onChange: listener => index.onChange(listener),
    lock(name, spec, annotations) {
      held.set(name, {
        ...{ apiVersion: 'kairship.io/v1alpha1', kind: 'AccessLock' },
        metadata: {
          ...{ name, uid: held.get(name)?.metadata.uid ?? `uid-${made++}` },
          ...(annotations && { annotations }),
        },
        spec,
      })
      changes.next({})
    },
    unlock(name) {
      held.delete(name)
      changes.next({})
    },
  }
}
