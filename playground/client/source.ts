import type { GroupVersionResource, KubeObject } from '../../manifests/kube.js'
import type { KubeApi } from '../../ports/kube-api.js'
import { keepWatching } from '../../streams/keep-watching.js'
import { listWatch } from '../../streams/list-watch.js'
import { type Change, ObjectStore } from '../../streams/object-store.js'
import { reflectInto } from '../../streams/reflect.js'
import type { Follower } from '../apiserver/operations/follow.js'

/** A difference in a collection. */
export type Difference<T> = Exclude<Change<T>, { readonly type: 'SYNCED' }>

/** The control plane as its own controllers reach it. */
export interface ControlPlane {
  readonly api: KubeApi
  /** Follows a type without a list and a watch; undefined where that is not possible at the moment. */
  readonly follow: (type: GroupVersionResource, follower: Follower) => (() => void) | undefined
}

/**
 * One collection of the control plane in memory, and those who want to know of its differences. Listeners may be called within
 * a write: they must neither write nor wait. Owns what it watches with.
 */
export class Source<T extends KubeObject> {
  readonly #type: GroupVersionResource
  readonly #listeners: ((difference: Difference<T>) => void)[] = []
  readonly #store = new ObjectStore<T>()
  #stop: (() => void) | undefined
  #closed = false
  #whenSynced: (() => void) | undefined
  /** Resolves after the first complete list, or when the source is closed. */
  readonly synced = new Promise<void>(resolve => {
    this.#whenSynced = resolve
  })

  constructor(type: GroupVersionResource) {
    this.#type = type
  }

  /** To be called before `start`: existing objects are reported as ADDED. */
  listen(listener: (difference: Difference<T>) => void): void {
    this.#listeners.push(listener)
  }

  /** A type of this process is followed; when that ends, it is watched like any other. */
  start(control: ControlPlane): void {
    const followed = control.follow(this.#type, {
      onSeen: seen => {
        for (const change of this.#store.take(seen as Parameters<ObjectStore<T>['take']>[0]))
          this.#tell(change)
      },
      onEnd: () => this.#watch(control.api),
    })
    if (followed) this.#stop = followed
    else this.#watch(control.api)
  }

  /** @param key `namespace/name`, or the name of a cluster-scoped object */
  get(key: string): T | undefined {
    return this.#store.get(key)
  }

  values(): readonly T[] {
    return [...this.#store.values()]
  }

  close(): void {
    this.#closed = true
    this.#stop?.()
    this.#whenSynced?.()
  }

  #watch(api: KubeApi): void {
    if (this.#closed) return
    const subscription = keepWatching(listWatch<T>(api, this.#type))
      .pipe(reflectInto(this.#store))
      .subscribe(change => this.#tell(change))
    this.#stop = () => subscription.unsubscribe()
  }

  #tell(change: Change<T>): void {
    if (change.type === 'SYNCED') this.#whenSynced?.()
    else for (const listener of this.#listeners) listener(change)
  }
}
