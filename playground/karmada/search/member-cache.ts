import type { Subscription } from 'rxjs'
import { hasNamespace, type Namespaces } from '../../../karmada/search/namespaces.js'
import type { GroupVersionResource, KubeObject } from '../../../manifests/kube.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import { keepWatching } from '../../../streams/keep-watching.js'
import { listWatch } from '../../../streams/list-watch.js'
import { type Change, ObjectStore, objectKey } from '../../../streams/object-store.js'
import type { Seen } from '../../../streams/seen.js'
import { type CacheEvent, EventWindow } from './event-window.js'

/** Who watches a cached collection. `onEnd` comes once, when the cache is closed or lists anew. */
export interface CacheWatcher {
  readonly onEvent: (event: CacheEvent) => void
  readonly onEnd: () => void
}

/** One type of one member in memory, as the watch cache of an API server holds it. Owns its list and watch of the member. */
export class MemberCache {
  readonly #store = new ObjectStore<KubeObject>()
  readonly #subscription: Subscription
  readonly #watchers = new Set<CacheWatcher>()
  #past: EventWindow
  #revision = 0
  #isReady = false

  /** @param now milliseconds since the epoch */
  constructor(
    api: KubeApi,
    type: GroupVersionResource,
    readonly namespaces: Namespaces,
    private readonly now: () => number,
  ) {
    this.#past = new EventWindow(0, now)
    const [only] = namespaces === 'all' || namespaces.size > 1 ? [] : namespaces
    const source = listWatch<KubeObject>(api, type, only === undefined ? {} : { namespace: only })
    this.#subscription = keepWatching(source).subscribe(seen => this.#take(seen))
  }

  /** False until the first list is complete, and while the member is listed again. */
  get isReady(): boolean {
    return this.#isReady
  }

  /** The version of the member up to which the cache is. */
  get revision(): string {
    return String(this.#revision)
  }

  get(namespace: string, name: string): KubeObject | undefined {
    return this.#store.get(namespace === '' ? name : `${namespace}/${name}`)
  }

  /** In the order of their keys. @param namespace '' for all */
  list(namespace: string): readonly KubeObject[] {
    return [...this.#store.values()]
      .filter(({ metadata }) => namespace === '' || metadata.namespace === namespace)
      .map(object => ({ key: objectKey(object), object }))
      .sort((one, other) => (one.key < other.key ? -1 : 1))
      .map(({ object }) => object)
  }

  /** What happened after a revision; undefined where the cache does not know any more. */
  since(revision: number): readonly CacheEvent[] | undefined {
    return this.#past.since(revision)
  }

  /** The oldest revision that `since` answers for. */
  get oldest(): number {
    return this.#past.oldest
  }

  /** @returns what ends it without a word */
  watch(watcher: CacheWatcher): () => void {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  close(): void {
    this.#subscription.unsubscribe()
    this.#isReady = false
    this.#endWatches()
  }

  #take(seen: Seen<KubeObject>): void {
    if (seen.type === 'restarted') {
      this.#isReady = false
      this.#endWatches()
    }
    const changes = this.#store.take(this.#selected(seen))
    if ('cursor' in seen) this.#revision = Number(seen.cursor)
    // A watch begins after the list: nothing of a list is an event.
    if (this.#isReady) for (const change of changes) this.#tell(change)
    if (seen.type === 'synced') {
      this.#past = new EventWindow(this.#revision, this.now)
      this.#isReady = true
    }
  }

  /** Without the objects of other namespaces; a member is asked for one namespace or for all. */
  #selected(seen: Seen<KubeObject>): Seen<KubeObject> {
    const isSelected = ({ metadata }: KubeObject) =>
      metadata.namespace === undefined || hasNamespace(this.namespaces, metadata.namespace)
    if (seen.type === 'listed') return { ...seen, objects: seen.objects.filter(isSelected) }
    if (seen.type !== 'applied' && seen.type !== 'deleted') return seen
    return isSelected(seen.object) ? seen : { type: 'bookmarked', cursor: seen.cursor }
  }

  #tell(change: Change<KubeObject>): void {
    if (change.type === 'SYNCED') return
    const { type, object } = change
    const previous = type === 'MODIFIED' ? change.previous : type === 'DELETED' ? object : undefined
    const event: CacheEvent = { type, object, revision: this.#revision, ...(previous && { previous }) }
    this.#past.push(event)
    for (const { onEvent } of [...this.#watchers]) onEvent(event)
  }

  #endWatches(): void {
    const watchers = [...this.#watchers]
    this.#watchers.clear()
    for (const { onEnd } of watchers) onEnd()
  }
}
