import { Observable } from 'rxjs'
import { type GroupVersionResource, type KubeList, type KubeObject, resourcePath } from '../manifests/kube.js'
import { statusErrorOf } from '../manifests/status-error.js'
import type { KubeApi, WatchEvent } from '../ports/kube-api.js'
import type { Applied, Bookmarked, Deleted, Listed, Synced } from './seen.js'

/** The two requests a watcher is made of. Both are cold, may fail, and end their request when unsubscribed. */
export interface ListWatch<T> {
  /** What this collection is called in messages, e.g. `instances.kairship.io`. */
  readonly name: string
  /** Pages, then one `synced`. `whole` asks for a single page: a list that expired between pages is not paged again. */
  list(options: { readonly whole: boolean }): Observable<Listed<T> | Synced>
  /** `opened`, then the changes after `cursor`; completes when the server closes it, at the latest after `timeoutSeconds`. */
  watch(cursor: string, timeoutSeconds: number): Observable<Opened | Applied<T> | Deleted<T> | Bookmarked>
}

/** The server has accepted the watch. */
export interface Opened {
  readonly type: 'opened'
}

/** What part of a collection to see. */
export interface ListWatchOptions {
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
  /** Objects per page; 500 is client-go's page size. */
  readonly limit?: number
  /** As of a WatchRequest. */
  readonly urgent?: boolean
}

/** More than the database of an API server holds at ease, 8 GiB. A list that goes on after them is given up: it may have no end. */
const MOST_OBJECTS = 250_000
const MOST_PAGES = 10_000
/** A name or namespace has 253 characters at most, and a uid or version fewer; names of roles have no bound. */
const LONGEST_IDENTITY = 1_024
/** A page of 500 objects through a cluster proxy on a bad day. */
const PAGE_TIMEOUT_MS = 60_000

/**
 * One collection of a Kubernetes API. Lists are consistent reads (no resourceVersion requested), because a list out of
 * another replica's cache may be older than what was already seen.
 */
export function listWatch<T extends KubeObject>(
  api: KubeApi,
  resource: GroupVersionResource,
  { namespace, labelSelector, fieldSelector, limit = 500, urgent = false }: ListWatchOptions = {},
): ListWatch<T> {
  const path = resourcePath(resource, namespace === undefined ? {} : { namespace })
  const selectors = { labelSelector, fieldSelector }

  const list: ListWatch<T>['list'] = ({ whole }) =>
    produce(async (emit, signal) => {
      let token: string | undefined
      let [pages, objects] = [0, 0]
      do {
        const query = { ...selectors, limit: whole ? undefined : limit, continue: token }
        const timeoutMs = PAGE_TIMEOUT_MS
        const page = parseList<T>(path, await api.request({ method: 'GET', path, query, signal, timeoutMs }))
        pages += 1
        objects += page.objects.length
        if (pages > MOST_PAGES || objects > MOST_OBJECTS)
          throw new Error(
            `${path}: the list has no end: it goes on after ${MOST_OBJECTS} objects or ${MOST_PAGES} pages`,
          )
        emit({ type: 'listed', objects: page.objects })
        token = page.token
        if (!token) emit({ type: 'synced', cursor: page.cursor })
      } while (token)
    })

  const watch: ListWatch<T>['watch'] = (cursor, timeoutSeconds) =>
    produce(async (emit, signal) => {
      const query = { ...selectors, resourceVersion: cursor, allowWatchBookmarks: true, timeoutSeconds }
      const opened = (): void => emit({ type: 'opened' })
      for await (const event of api.watch({ path, query, signal, opened, urgent })) {
        if (signal.aborted) return
        emit(parseEvent<T>(path, event))
      }
    })

  return { name: resource.group ? `${resource.resource}.${resource.group}` : resource.resource, list, watch }
}

/** An asynchronous task as an Observable: its end completes, its failure errors, unsubscribing aborts its signal. */
function produce<Item>(
  work: (emit: (item: Item) => void, signal: AbortSignal) => Promise<void>,
): Observable<Item> {
  return new Observable(subscriber => {
    const abort = new AbortController()
    work(item => subscriber.next(item), abort.signal).then(
      () => subscriber.complete(),
      error => subscriber.error(error), // has no effect after an unsubscription
    )
    return () => abort.abort()
  })
}

/** Items of built-in types carry no apiVersion and kind in a list, but do in a watch: here they always do. */
function parseList<T extends KubeObject>(path: string, answer: unknown) {
  const { apiVersion, kind, metadata, items } = (answer ?? {}) as Partial<KubeList<T>>
  const cursor = metadata?.resourceVersion
  if (typeof kind !== 'string' || !kind.endsWith('List') || !(items === null || Array.isArray(items)))
    throw new Error(`${path}: the answer is not a list`)
  if (!cursor) throw new Error(`${path}: the list has no resourceVersion, so it cannot be watched`)
  const type = { apiVersion, kind: kind.slice(0, -'List'.length) }
  const objects = (items ?? []).map(item => identified(path, { ...type, ...item } as T))
  return { objects, cursor, token: metadata.continue || undefined }
}

function parseEvent<T extends KubeObject>(
  path: string,
  { type, object }: WatchEvent,
): Applied<T> | Deleted<T> | Bookmarked {
  if (type === 'ERROR') throw statusErrorOf(object)
  const cursor = (object as Partial<T>).metadata?.resourceVersion
  if (!cursor) throw new Error(`${path}: the watch sent a ${type} event without a resourceVersion`)
  if (type === 'BOOKMARK') return { type: 'bookmarked', cursor }
  return { type: type === 'DELETED' ? 'deleted' : 'applied', object: identified(path, object as T), cursor }
}

function identified<T extends KubeObject>(path: string, object: T): T {
  const { name, namespace, uid, resourceVersion } = object.metadata ?? {}
  if (typeof name !== 'string') throw new Error(`${path}: the server sent an object without a name`)
  // These are kept for as long as the object is there, of each object of a server that may send what it likes.
  for (const part of [name, namespace, uid, resourceVersion])
    if (part && part.length > LONGEST_IDENTITY)
      throw new Error(`${path}: the server sent an object whose identity is longer than ${LONGEST_IDENTITY}`)
  return object
}
