import type { KubeObject } from '../../../manifests/kube.js'
import { isAtOrBefore } from '../../../streams/resource-version.js'
import type { Seen } from '../../../streams/seen.js'
import { type IndexedObject, indexedObject, keyOf } from './indexed-object.js'

/** One change of one cluster's objects of one type, under the cluster's own resourceVersion. */
export interface TableEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly resourceVersion: string
  readonly object: IndexedObject
  /** What was known before; tells a selective watcher whether the object leaves or enters its view. */
  readonly previous?: IndexedObject
}

/** Follows one table from some resourceVersion on. */
export interface TableWatcher {
  readonly onEvent: (event: TableEvent) => void
  /** Nothing changed up to here. */
  readonly onProgress: (resourceVersion: string) => void
  /** The past was rewritten (a relist) or the table dropped: watch again. */
  readonly onEnd: () => void
}

/** What readers of the table's type receive for each difference. */
export type OnDifference = (added: IndexedObject | undefined, removed: IndexedObject | undefined) => void

/** Changes a watch can resume across; kube-apiserver's watch cache starts at 100 and grows as far. */
const HISTORY = 1024

/** All objects of one type of one cluster, with the recent changes, fed by a reflector. */
export class ClusterTable {
  readonly #cluster: string
  readonly #onDifference: OnDifference
  readonly #objects = new Map<string, IndexedObject>()
  readonly #watchers = new Set<TableWatcher>()
  #history: TableEvent[] = []
  /** Watches cannot resume from before this version. */
  #floor = ''
  #resourceVersion = ''
  /** While a list is under way: the keys it has named. */
  #named: Set<string> | undefined

  constructor(cluster: string, onDifference: OnDifference) {
    this.#cluster = cluster
    this.#onDifference = onDifference
  }

  /** The newest version the table is known to reflect; '' before the first list is complete. */
  get resourceVersion(): string {
    return this.#resourceVersion
  }
  get size(): number {
    return this.#objects.size
  }
  get(namespace: string, name: string): IndexedObject | undefined {
    return this.#objects.get(keyOf({ namespace, name }))
  }
  values(): IterableIterator<IndexedObject> {
    return this.#objects.values()
  }

  /** Takes in one item of a reflector's stream. */
  take(seen: Seen<KubeObject>, now: number): void {
    switch (seen.type) {
      case 'restarted':
        this.#named = new Set()
        return
      case 'listed':
        for (const object of seen.objects) this.#put(object, now)
        return
      case 'synced':
        this.#endList(seen.cursor)
        return
      case 'applied':
        this.#record(this.#put(seen.object, now), seen.cursor)
        return
      case 'deleted':
        this.#record(this.#remove(seen.object, now), seen.cursor)
        return
      case 'bookmarked':
        this.#advance(seen.cursor)
        for (const { onProgress } of this.#watchers) onProgress(seen.cursor)
        return
      case 'interrupted':
        return
    }
  }

  /** Changes after `resourceVersion`, oldest first; undefined when they are no longer all remembered. */
  since(resourceVersion: string): readonly TableEvent[] | undefined {
    if (this.#resourceVersion === '' || !isAtOrBefore(this.#floor, resourceVersion)) return undefined
    return this.#history.filter(event => !isAtOrBefore(event.resourceVersion, resourceVersion))
  }

  /** @returns ends the watch */
  watch(watcher: TableWatcher): () => void {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  /** Forgets everything and ends all watches. */
  drop(): void {
    for (const object of this.#objects.values()) this.#onDifference(undefined, object)
    this.#objects.clear()
    this.#endWatches()
  }

  /** Forgets all objects but a few, and how far it was, as if it had never been read (a fault). */
  loseObjects(keep: number): void {
    for (const [key, object] of [...this.#objects].slice(keep)) {
      this.#objects.delete(key)
      this.#onDifference(undefined, object)
    }
    this.#resourceVersion = ''
    this.#history = []
    this.#endWatches()
  }

  #put(object: KubeObject, now: number): TableEvent | undefined {
    const next = indexedObject(this.#cluster, object, now)
    const key = keyOf(next)
    const previous = this.#objects.get(key)
    this.#named?.add(key)
    if (previous?.resourceVersion === next.resourceVersion && previous.uid === next.uid) return undefined
    this.#objects.set(key, next)
    this.#onDifference(next, previous)
    const { resourceVersion } = next
    return previous
      ? { type: 'MODIFIED', resourceVersion, object: next, previous }
      : { type: 'ADDED', resourceVersion, object: next }
  }

  #remove(object: KubeObject, now: number): TableEvent | undefined {
    const last = indexedObject(this.#cluster, object, now)
    const previous = this.#objects.get(keyOf(last))
    if (!previous) return undefined
    this.#objects.delete(keyOf(last))
    this.#onDifference(undefined, previous)
    return { type: 'DELETED', resourceVersion: last.resourceVersion, object: last, previous }
  }

  #endList(cursor: string): void {
    for (const [key, object] of this.#objects) {
      if (this.#named?.has(key)) continue
      this.#objects.delete(key)
      this.#onDifference(undefined, object)
    }
    this.#named = undefined
    this.#resourceVersion = cursor
    this.#floor = cursor
    this.#history = []
    this.#endWatches()
  }

  #record(event: TableEvent | undefined, cursor: string): void {
    this.#advance(cursor)
    if (!event) return
    this.#history.push(event)
    if (this.#history.length > HISTORY * 2) {
      const forgotten = this.#history.splice(0, HISTORY)
      this.#floor = forgotten.at(-1)?.resourceVersion ?? this.#floor
    }
    for (const { onEvent } of this.#watchers) onEvent(event)
  }

  #advance(cursor: string): void {
    if (this.#resourceVersion !== '' && !isAtOrBefore(cursor, this.#resourceVersion))
      this.#resourceVersion = cursor
  }

  #endWatches(): void {
    const watchers = [...this.#watchers]
    this.#watchers.clear()
    for (const { onEnd } of watchers) onEnd()
  }
}
