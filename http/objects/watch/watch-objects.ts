import type { KubeObject } from '../../../manifests/kube.js'
import { isExpired, isNotFound } from '../../../manifests/status-error.js'
import { unavailable } from '../../failure.js'
import { NOT_THE_INDEX, readWhole } from '../list/list-objects.js'
import type { Listing } from '../list/listing.js'
import { BY_NAME, comparison, selects } from '../list/select.js'
import { apiVersionOf, collectionPath, keyOf, objectPath } from '../object-type.js'
import type { ObjectEvent } from '../objects.js'
import { watchEvents } from './watch-events.js'

/** A watch that ends within this time without an event is not restarted at once: that would be a hot loop. */
const SHORTEST_MS = 1_000

/**
 * Follows a list: RESET, what matches now as ADDED, BOOKMARK, and then changes, each with how many objects match after it.
 * An object that no longer matches but is still there has LEFT. It starts over with RESET when the instance no longer knows
 * the changes since. Page and size of the query do not count.
 */
export async function* watchObjects<T extends KubeObject>(
  listing: Listing<T>,
): AsyncGenerator<ObjectEvent<T>, void> {
  for (;;) {
    const shown = new Map<string, T>()
    const { objects, resourceVersion } = await readWhole(listing)
    yield { type: 'RESET', total: 0 }
    for (const object of [...objects].sort(comparison(listing.query.sort ?? BY_NAME))) {
      shown.set(placeIn(object), object)
      yield { type: 'ADDED', object, total: shown.size }
    }
    yield { type: 'BOOKMARK', total: shown.size }
    try {
      yield* follow(listing, shown, resourceVersion)
    } catch (error) {
      if (!isExpired(error)) throw error
    }
  }
}

/** @throws StatusError 410 when the changes since are not known any more */
async function* follow<T extends KubeObject>(
  listing: Listing<T>,
  shown: Map<string, T>,
  since: string,
): AsyncGenerator<ObjectEvent<T>, void> {
  const { requests, call, place, type, query } = listing
  const head = { apiVersion: apiVersionOf(type), kind: type.kind }
  const matches = selects(query)
  const { labelSelector, fieldSelector } = query
  for (let version = since; ; ) {
    const begun = requests.options.parts.now()
    const request = {
      method: 'GET',
      path: collectionPath(place, type, query.namespace),
      query: {
        watch: 'true',
        allowWatchBookmarks: 'true',
        resourceVersion: version,
        labelSelector,
        fieldSelector,
      },
    } as const
    const before = version
    for await (const { type: change, object: found } of watchEvents(
      requests.stream(call, place.instance, request),
    )) {
      version = found.metadata.resourceVersion || version
      if (change === 'BOOKMARK') continue
      const object = { ...head, ...found } as T
      const key = placeIn(object)
      if (change !== 'DELETED') await query.learn?.(object)
      const known = shown.has(key)
      if (change !== 'DELETED' && matches(object)) {
        shown.set(key, object)
        yield { type: known ? 'MODIFIED' : 'ADDED', object, total: shown.size }
      } else if (known) {
        shown.delete(key)
        const left = change !== 'DELETED' || (await isThere(listing, object))
        yield { type: left ? 'LEFT' : 'DELETED', object, total: shown.size }
      }
    }
    if (version === before && requests.options.parts.now() - begun < SHORTEST_MS)
      throw unavailable('the instance ends its watches at once: try again', { retryAfterSeconds: 1 })
  }
}

/** An API server also tells of an object that its selectors no longer select as of one that was deleted. */
async function isThere<T extends KubeObject>(
  { requests, call, place, type, query }: Listing<T>,
  object: T,
): Promise<boolean> {
  if (!query.labelSelector && !query.fieldSelector) return false
  const path = objectPath(place, type, keyOf(object))
  try {
    const found = (await requests.json(
      call,
      place.instance,
      { method: 'GET', path },
      NOT_THE_INDEX,
    )) as KubeObject
    return found.metadata.uid === object.metadata.uid
  } catch (error) {
    if (isNotFound(error)) return false
    throw error
  }
}

const placeIn = ({ metadata: { namespace = '', name } }: KubeObject): string => `${namespace}/${name}`
