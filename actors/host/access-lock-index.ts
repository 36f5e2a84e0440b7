import type { Subscription } from 'rxjs'
import { type AccessLock, appliedLock } from '../../manifests/access-lock.js'
import type { KubeObject } from '../../manifests/kube.js'
import type { AccessLocks } from '../../ports/access-locks.js'
import type { Collection } from '../watches/collection.js'

/** The AccessLocks that the host's watch holds. What the host does not say any more because it is silent stays. */
export class AccessLockIndex implements AccessLocks {
  readonly #listeners = new Set<() => void>()
  readonly #subscription: Subscription
  #revision = 0
  #applied: readonly AccessLock[] | undefined
  #isTelling = false

  constructor(readonly collection: Collection<KubeObject>) {
    this.#subscription = collection.changes.subscribe(() => {
      this.#revision += 1
      this.#applied = undefined
      this.#tell()
    })
  }

  get synced(): boolean {
    return this.collection.resourceVersion !== undefined
  }

  get revision(): number {
    return this.#revision
  }

  all(): readonly AccessLock[] {
    this.#applied ??= [...this.collection.values()].map(appliedLock).filter(lock => lock !== undefined)
    return this.#applied
  }

  ignored(): readonly string[] {
    return [...this.collection.values()]
      .filter(object => appliedLock(object) === undefined)
      .map(({ metadata }) => metadata.name)
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  stop(): void {
    this.#subscription.unsubscribe()
  }

  /** Once for all objects of a list. */
  #tell(): void {
    if (this.#isTelling) return
    this.#isTelling = true
    queueMicrotask(() => {
      this.#isTelling = false
      for (const listener of [...this.#listeners]) listener()
    })
  }
}
