import {
  BehaviorSubject,
  defer,
  first,
  map,
  Observable,
  Subject,
  type Subscriber,
  type Subscription,
} from 'rxjs'
import type { Failure, Stage } from '../../machines/failure.js'
import type { GroupVersionResource, KubeObject } from '../../manifests/kube.js'
import type { KubeApi } from '../../ports/kube-api.js'
import type { Meter } from '../../ports/meter.js'
import { keepWatching, type WatchLife } from '../../streams/keep-watching.js'
import { listWatch } from '../../streams/list-watch.js'
import { type Change, ObjectStore, objectKey } from '../../streams/object-store.js'
import { projected } from '../../streams/projected.js'
import type { Interrupted, Seen } from '../../streams/seen.js'
import { failureOf } from '../kube/failure.js'
import { meteredWatch } from './metered-watch.js'

/** Whether the facts of a shared watch are valid: `pending` before its first list, a failure while it is silent. */
export type Contact = 'pending' | 'made' | Failure

/**
 * Contact is lost when the server was silent for so long, milliseconds. Its restart, or a watch that breaks and resumes,
 * takes less and disturbs no reader.
 */
const LOST_AFTER_MS = 3_000

/** What a watch is held to beyond the usual. */
export interface WatchManner {
  readonly life?: WatchLife
  /** As of a WatchRequest. */
  readonly urgent?: boolean
}

/**
 * One watch on the host that all instances share: one socket and one store, read by name. What is kept of each object is
 * its projection; what Kairship does not need never stays in memory.
 */
export class Collection<T extends KubeObject> {
  readonly #store = new ObjectStore<T>()
  readonly #changes = new Subject<Change<T>>()
  readonly #contact = new BehaviorSubject<Contact>('pending')
  readonly #readers = new Map<string, Set<Subscriber<T | undefined>>>()
  readonly #source: Observable<Seen<T>>
  #subscription: Subscription | undefined
  #resourceVersion: string | undefined

  constructor(
    readonly resource: GroupVersionResource & { readonly namespace?: string },
    api: KubeApi,
    private readonly stage: Stage,
    project: (object: KubeObject) => T,
    meter: Meter,
    { life, urgent = false }: WatchManner = {},
  ) {
    const { namespace } = resource
    const source = listWatch(api, resource, { urgent, ...(namespace !== undefined && { namespace }) })
    this.#source = keepWatching(source, {
      relistAfterMs: LOST_AFTER_MS,
      ...(life && { life: () => life }),
    }).pipe(
      meteredWatch(meter, resource.resource),
      map(seen => projected(seen, project)),
    )
  }

  /** What changed, after the store did. */
  get changes(): Observable<Change<T>> {
    return this.#changes
  }
  /** Emits at once how contact stands. After it was lost, it is made again only by a complete list. */
  get contact(): Observable<Contact> {
    return this.#contact
  }
  /** True once everything has been listed, until contact is lost. */
  get inContact(): boolean {
    return this.#contact.value === 'made'
  }
  /** Every change up to this version is held, and was emitted; undefined until everything has been listed once. */
  get resourceVersion(): string | undefined {
    return this.#resourceVersion
  }
  get(key: string): T | undefined {
    return this.#store.get(key)
  }
  values(): IterableIterator<T> {
    return this.#store.values()
  }

  /**
   * One object, now and after each change to it; undefined while it is not there. A reader costs nothing to the others, and little
   * itself: every instance has some (docs/adr/0049-what-an-instance-keeps-in-memory.md).
   */
  follow(key: string): Observable<T | undefined> {
    return new Observable(subscriber => {
      const readers = this.#readers.get(key) ?? new Set<Subscriber<T | undefined>>()
      this.#readers.set(key, readers.add(subscriber))
      subscriber.add(() => {
        readers.delete(subscriber)
        if (readers.size === 0 && this.#readers.get(key) === readers) this.#readers.delete(key)
      })
      subscriber.next(this.#store.get(key))
    })
  }

  start(): void {
    this.#subscription ??= this.#source.subscribe(seen => this.#take(seen))
  }

  stop(): void {
    this.#subscription?.unsubscribe()
    this.#subscription = undefined
  }

  /** Lists again, and emits once when every object in the collection is at least as new as the subscription. */
  relisted(): Observable<Change<T>> {
    return defer(() => {
      this.stop()
      this.start()
      return this.#changes.pipe(first(({ type }) => type === 'SYNCED'))
    })
  }

  #take(seen: Seen<T>): void {
    if (seen.type === 'interrupted') this.#interrupted(seen)
    for (const change of this.#store.take(seen)) {
      this.#changes.next(change)
      if (change.type === 'SYNCED') continue
      const key = objectKey(change.object)
      for (const reader of [...(this.#readers.get(key) ?? [])]) reader.next(this.#store.get(key))
    }
    if ('cursor' in seen) this.#resourceVersion = seen.cursor
    if (seen.type === 'synced' && !this.inContact) this.#contact.next('made')
  }

  /** While contact is lost, each failure is reported: its reason may differ from the last one's. */
  #interrupted({ silentMs, error }: Interrupted): void {
    if (!this.inContact || silentMs >= LOST_AFTER_MS) this.#contact.next(failureOf(error, this.stage))
  }
}
