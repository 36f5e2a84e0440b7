import type { KubeObject } from '../../../manifests/kube.js'
import type { JsonObject } from '../../apimachinery/json.js'
import { customStatus } from '../../apiserver/api-status.js'
import { BOOKMARK_MS } from '../../apiserver/operations/open-watches.js'
import { tooOld, type WatchOptions } from '../../apiserver/operations/watch.js'
import type { WatchItem } from '../../apiserver/operations/watch-item.js'
import { WatchQueue } from '../../apiserver/operations/watch-queue.js'
import { readVersions, versionOf, withVersion, writeVersions } from './cluster-versions.js'
import type { CacheEvent } from './event-window.js'
import type { ListRequest } from './list-request.js'
import type { MemberCache } from './member-cache.js'
import { cachedFrom } from './merged-list.js'
import type { CachedTypeOfCluster, MultiClusterCache } from './multi-cluster-cache.js'

/** Marks the bookmark after the objects that were there when a watch began. */
const INITIAL_EVENTS_END = { 'k8s.io/initial-events-end': 'true' }

/**
 * Watches a type in all clusters that have it, from the version of each. It ends as soon as one of them ends, and when a
 * cluster comes: its client begins anew, with the clusters of that time.
 * @returns items whose resourceVersion is that of all clusters together
 * @throws StatusError 429 while a cache is not complete
 */
export function mergedWatch(
  cache: MultiClusterCache,
  request: ListRequest,
  options: WatchOptions,
): WatchQueue {
  const queue = new WatchQueue()
  const initial: WatchItem[] = []
  // As many as there are: only what comes later counts against a slow reader.
  let sink = (item: WatchItem): void => void initial.push(item)
  let versions = readVersions(request.resourceVersion)
  const sources = cache.clusters.flatMap(cluster => {
    const cached = cache.find(cluster, request.type)
    return cached ? [{ cluster, cached, from: versionOf(versions, cluster) }] : []
  })
  if (sources.some(({ cached }) => !cached.cache.isReady)) throw notReady()
  /** An item as the client gets it: with its cluster, at the version of all clusters. */
  const send = (cluster: string, type: WatchItem['type'], object: KubeObject, revision: string) => {
    versions = withVersion(versions, cluster, revision)
    const sent = cachedFrom(cluster, object)
    const metadata = { ...sent.metadata, resourceVersion: writeVersions(versions) }
    sink({ type, object: { ...sent, metadata } as unknown as JsonObject })
  }
  const bookmark = (
    { cluster, cached }: { readonly cluster: string; readonly cached: CachedTypeOfCluster },
    annotations?: Readonly<Record<string, string>>,
  ) => send(cluster, 'BOOKMARK', bookmarkOf(request, annotations), cached.cache.revision)

  for (const source of sources) {
    const { cluster, cached } = source
    const offer = (event: CacheEvent) => {
      const item = crossing(event, request)
      if (item) send(cluster, item.type, item.object, item.object.metadata.resourceVersion ?? '')
    }
    const isUnset = source.from === '' || source.from === '0'
    if (options.sendInitialEvents ?? isUnset) {
      for (const object of cached.cache.list(request.namespace).filter(request.matches))
        send(cluster, 'ADDED', object, object.metadata.resourceVersion ?? '')
      if (options.sendInitialEvents && options.bookmarks) bookmark(source, INITIAL_EVENTS_END)
    } else if (!isUnset) {
      const expired = resumed(cached.cache, Number(source.from), offer)
      if (expired) {
        initial.push(expired)
        queue.end()
      }
    }
    const after = isUnset || options.sendInitialEvents ? 0 : Number(source.from)
    const onEvent = (event: CacheEvent) => {
      if (event.revision > after) offer(event)
    }
    queue.onEnd(cached.cache.watch({ onEvent, onEnd: () => queue.end() }))
  }
  queue.begin(initial.values())
  sink = item => queue.push(item)
  queue.onEnd(cache.onClusterAdded(() => queue.end()))
  const bookmarks = () => {
    for (const source of sources) bookmark(source)
  }
  if (options.bookmarks) queue.every(BOOKMARK_MS, bookmarks)
  queue.after(options.timeoutSeconds * 1000, () => {
    if (options.bookmarks) bookmarks()
    queue.end()
  })
  if (sources.length === 0) queue.end()
  return queue
}

/** Offers what a cache remembers of the time after a revision. @returns the error of a revision that it has forgotten */
function resumed(
  cache: MemberCache,
  revision: number,
  offer: (event: CacheEvent) => void,
): WatchItem | undefined {
  const missed = cache.since(revision)
  for (const event of missed ?? []) offer(event)
  return missed ? undefined : { type: 'ERROR', object: tooOld(revision, cache.oldest) }
}

const notReady = () =>
  customStatus(429, 'TooManyRequests', 'storage is (re)initializing', { retryAfterSeconds: 1 })

const bookmarkOf = (
  { type: { group, version, kind } }: ListRequest,
  annotations?: Readonly<Record<string, string>>,
): KubeObject =>
  ({
    apiVersion: group === '' ? version : `${group}/${version}`,
    kind,
    metadata: { creationTimestamp: null, ...(annotations && { annotations }) },
  }) as unknown as KubeObject

/** What a change is to the watcher: an object that comes into its selection is ADDED, one that leaves it DELETED. */
function crossing(
  { type, object, previous, revision }: CacheEvent,
  { namespace, matches }: ListRequest,
): { readonly type: WatchItem['type']; readonly object: KubeObject } | undefined {
  if (namespace !== '' && object.metadata.namespace !== namespace) return undefined
  const before = previous !== undefined && matches(previous)
  const after = type !== 'DELETED' && matches(object)
  if (after) return { type: before ? 'MODIFIED' : 'ADDED', object }
  if (!before || !previous) return undefined
  const metadata = { ...previous.metadata, resourceVersion: String(revision) }
  return { type: 'DELETED', object: { ...previous, metadata } }
}
