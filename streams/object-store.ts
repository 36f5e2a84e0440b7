import type { KubeObject } from '../manifests/kube.js'
import type { Seen } from './seen.js'

/** One difference between two moments of a collection. `previous` is what the store held before. */
export type Change<T> =
  | { readonly type: 'ADDED'; readonly object: T }
  | { readonly type: 'MODIFIED'; readonly object: T; readonly previous: T }
  | { readonly type: 'DELETED'; readonly object: T }
  | { readonly type: 'SYNCED' }

/** `namespace/name`, or the bare name of a cluster-scoped object: unique within one resource type at any one moment. */
export const objectKey = ({ metadata }: KubeObject): string =>
  metadata.namespace ? `${metadata.namespace}/${metadata.name}` : metadata.name

/**
 * The objects of one collection as last seen, by `objectKey`. An object is the one with its uid: when a name comes back with
 * another uid, the old object was deleted and a new one created, even if the watch missed both.
 */
export class ObjectStore<T extends KubeObject> {
  readonly #objects = new Map<string, T>()
  /** While a list is under way: the keys it has named. */
  #named: Set<string> | undefined
  #synced = false

  /** True from the end of the first list on; stays true while a later list is under way. */
  get synced(): boolean {
    return this.#synced
  }
  get size(): number {
    return this.#objects.size
  }
  get(key: string): T | undefined {
    return this.#objects.get(key)
  }
  values(): IterableIterator<T> {
    return this.#objects.values()
  }

  /** Takes one item in and says what it changed, in order. Each `synced` ends with a SYNCED, whether or not anything did. */
  take(seen: Seen<T>): readonly Change<T>[] {
    switch (seen.type) {
      case 'restarted':
        this.#named = new Set()
        return []
      case 'listed':
        return seen.objects.flatMap(object => this.#put(object))
      case 'synced':
        this.#synced = true
        return [...this.#prune(), { type: 'SYNCED' }]
      case 'applied':
        return this.#put(seen.object)
      case 'deleted':
        return this.#remove(seen.object)
      case 'bookmarked':
      case 'interrupted':
        return []
    }
  }

  #put(object: T): readonly Change<T>[] {
    const key = objectKey(object)
    const previous = this.#objects.get(key)
    this.#named?.add(key)
    if (previous && isSameVersion(previous, object)) return [] // and who holds the old one holds the same
    this.#objects.set(key, object)
    if (!previous) return [{ type: 'ADDED', object }]
    if (previous.metadata.uid === object.metadata.uid) return [{ type: 'MODIFIED', object, previous }]
    return [
      { type: 'DELETED', object: previous },
      { type: 'ADDED', object },
    ]
  }

  #remove(object: T): readonly Change<T>[] {
    const key = objectKey(object)
    const held = this.#objects.get(key)
    if (!held || held.metadata.uid !== object.metadata.uid) return []
    this.#objects.delete(key)
    return [{ type: 'DELETED', object }]
  }

  /** What a complete list did not name is gone. Its last known state is the best there is. */
  #prune(): Change<T>[] {
    const gone: Change<T>[] = []
    for (const [key, object] of this.#objects) {
      if (this.#named?.has(key)) continue
      this.#objects.delete(key)
      gone.push({ type: 'DELETED', object })
    }
    this.#named = undefined
    return gone
  }
}

const isSameVersion = ({ metadata: a }: KubeObject, { metadata: b }: KubeObject): boolean =>
  a.uid === b.uid && a.resourceVersion !== undefined && a.resourceVersion === b.resourceVersion
