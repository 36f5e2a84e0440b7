import type { StoredObject } from './stored-object.js'

/** One change of one object, as watches see it. */
export interface StoreEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly revision: number
  /** The object after the change; for DELETED its last state, under the revision of the deletion. */
  readonly current: StoredObject
  /** The object before the change; absent for ADDED. */
  readonly previous?: StoredObject
  /** Milliseconds since the epoch: how long it is remembered. */
  readonly time: number
}

/**
 * How much of the past a watch can resume from: everything younger than 75 s (kube-apiserver's watch cache keeps as
 * much), at least the last hundred changes until a sweep finds them old, never more than 20,000.
 */
const HISTORY = { fresh: 75_000, least: 100, most: 20_000 } as const

/** All objects of one resource type in one logical cluster, with their recent past. */
export class Collection {
  readonly #objects = new Map<string, StoredObject>()
  /** Sorted keys; undefined while a write has left them stale. */
  #keys: string[] | undefined
  #events: StoreEvent[] = []
  /** Events up to and including this revision are forgotten. */
  #forgotten = 0
  readonly #watchers = new Set<(event: StoreEvent) => void>()

  /** @param id `resource.group`, for messages and the journal */
  constructor(readonly id: string) {}

  get size(): number {
    return this.#objects.size
  }
  get watchers(): number {
    return this.#watchers.size
  }
  get(key: string): StoredObject | undefined {
    return this.#objects.get(key)
  }

  /** All objects, or those of one namespace, in the order of their keys. */
  list(namespace = ''): StoredObject[] {
    this.#keys ??= [...this.#objects.keys()].sort()
    const keys = namespace === '' ? this.#keys : range(this.#keys, `${namespace}/`)
    return keys.map(key => this.#objects.get(key) as StoredObject)
  }

  /** In no particular order. */
  values(): IterableIterator<StoredObject> {
    return this.#objects.values()
  }

  /**
   * The objects as they were at an earlier revision, found by undoing what happened since.
   * @returns undefined when that is forgotten
   */
  listAt(revision: number, namespace = ''): StoredObject[] | undefined {
    const undone = this.since(revision)
    if (undone === undefined) return undefined
    if (undone.length === 0) return this.list(namespace)
    const objects = new Map(this.list(namespace).map(object => [object.key, object]))
    const within = namespace === '' ? '' : `${namespace}/`
    for (const { current, previous } of undone.reverse()) {
      if (!current.key.startsWith(within)) continue
      if (previous === undefined) objects.delete(current.key)
      else objects.set(previous.key, previous)
    }
    return [...objects.values()].sort((a, b) => (a.key < b.key ? -1 : 1))
  }

  /** What happened after `revision`, oldest first; undefined when part of it is forgotten. */
  since(revision: number): StoreEvent[] | undefined {
    if (revision < this.#forgotten) return undefined
    let first = this.#events.length
    while (first > 0 && (this.#events[first - 1] as StoreEvent).revision > revision) first -= 1
    return this.#events.slice(first)
  }

  /** Records a change and notifies the watchers. Called by the store alone, in the order of revisions. */
  apply(event: StoreEvent): void {
    const { key } = event.current
    if (event.type === 'DELETED') this.#objects.delete(key)
    else this.#objects.set(key, event.current)
    if (event.type === 'ADDED') {
      const last = this.#keys?.at(-1)
      if (this.#keys && (last === undefined || last < key)) this.#keys.push(key)
      else this.#keys = undefined
    } else if (event.type === 'DELETED') this.#keys = undefined
    this.#events.push(event)
    if (this.#events.length > HISTORY.least * 2) this.#trim(event.time)
    for (const watcher of this.#watchers) watcher(event)
  }

  /** Takes up an object that was kept, without an event. */
  restore(object: StoredObject): void {
    this.#objects.set(object.key, object)
    this.#keys = undefined
  }

  /** Forgets the past up to and including `revision`. */
  forget(revision: number): void {
    this.#forgotten = Math.max(this.#forgotten, revision)
    this.#events = this.#events.filter(event => event.revision > this.#forgotten)
  }

  /** Forgets what is older than `age` milliseconds, also of the last hundred. */
  sweep(now: number, age: number): void {
    const last = this.#events.findLast(event => event.time < now - age)
    if (last) this.forget(last.revision)
  }

  /** Calls `watcher` for every change until the returned function is called. */
  watch(watcher: (event: StoreEvent) => void): () => void {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  #trim(now: number): void {
    const keep = this.#events.findIndex(event => event.time >= now - HISTORY.fresh)
    const old = keep === -1 ? this.#events.length : keep
    const excess = Math.max(
      Math.min(old, this.#events.length - HISTORY.least),
      this.#events.length - HISTORY.most,
    )
    if (excess <= 0) return
    const dropped = this.#events.splice(0, excess)
    this.#forgotten = (dropped.at(-1) as StoreEvent).revision
  }
}

/** The keys that start with `prefix`, by binary search. */
function range(keys: readonly string[], prefix: string): string[] {
  const from = lowerBound(keys, prefix)
  // '0' follows '/' in ASCII, so `ns0` is the first key behind all of `ns/…`.
  const to = lowerBound(keys, `${prefix.slice(0, -1)}0`)
  return keys.slice(from, to)
}

function lowerBound(keys: readonly string[], key: string): number {
  let low = 0
  let high = keys.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((keys[middle] as string) < key) low = middle + 1
    else high = middle
  }
  return low
}
