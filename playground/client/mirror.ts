import type { Subscription } from 'rxjs'
import type { GroupVersionResource, KubeObject } from '../../manifests/kube.js'
import type { KubeApi } from '../../ports/kube-api.js'
import { keepWatching } from '../../streams/keep-watching.js'
import { type ListWatchOptions, listWatch } from '../../streams/list-watch.js'
import { type Change, ObjectStore } from '../../streams/object-store.js'
import { reflectInto } from '../../streams/reflect.js'

/** A collection kept in memory by a watch. Owns its subscription; `close` ends it. */
export class Mirror<T extends KubeObject> {
  readonly store = new ObjectStore<T>()
  readonly #subscription: Subscription
  #whenSynced: (() => void) | undefined
  /** Resolves after the first complete list. */
  readonly synced = new Promise<void>(resolve => {
    this.#whenSynced = resolve
  })

  /** @param onChange is called with every difference, after the store has it */
  constructor(
    api: KubeApi,
    type: GroupVersionResource,
    onChange: (change: Change<T>) => void,
    options: ListWatchOptions = {},
  ) {
    this.#subscription = keepWatching(listWatch<T>(api, type, options))
      .pipe(reflectInto(this.store))
      .subscribe(change => {
        if (change.type === 'SYNCED') this.#whenSynced?.()
        onChange(change)
      })
  }

  close(): void {
    this.#subscription.unsubscribe()
    this.#whenSynced?.()
  }
}
