import { setImmediate as nextTurn } from 'node:timers/promises'
import type { KubeList, KubeObject } from '../../../manifests/kube.js'
import { valuesOf } from '../../../ports/raw-headers.js'
import type { AcrossPage, AcrossRequest, IndexedList } from '../list-query.js'
import { apiVersionOf, collectionPath } from '../object-type.js'
import type { ObjectCall } from '../objects.js'
import { jsonOf } from '../requests/answer.js'
import type { ObjectRequests } from '../requests/object-requests.js'
import { acrossQuery } from './index-query.js'
import { MOST_BYTES } from './select.js'

/** Names of instances that fit in an address. */
const MOST_NAMES_LENGTH = 8_000

/**
 * Part of one list over the instances of these lists. The index authorizes nothing, but each of them was answered to this caller before.
 * @returns undefined for lists that no one index can join, and for an answer that is no such list
 * @throws what the index's endpoint reports; Failure RESOURCE_EXHAUSTED at the limits; the reason of the call's signal
 */
export async function listAcross<T extends KubeObject>(
  requests: ObjectRequests,
  call: ObjectCall,
  { lists, order, offset, limit }: AcrossRequest,
): Promise<AcrossPage<T> | undefined> {
  const [first] = lists
  const clusters = lists.map(({ index }) => index.cluster)
  if (!first || !areAlike(lists) || clusters.join().length > MOST_NAMES_LENGTH) return undefined
  const { index, instance, type, namespace, selection } = first
  const path = collectionPath({ instance }, type, namespace)
  const query = acrossQuery(selection, clusters, order, { limit, offset })
  const reading = call.answers.reading(instance)
  const answer = await requests.readIndex(
    call,
    instance,
    { index: index.upstream, path: `${path}?${query}` },
    { most: MOST_BYTES, reading },
  )
  if (answer.status !== 200 || valuesOf(answer.headers, 'warning').length > 0) return undefined
  // Lists of others may be here at once: they are served before this one is parsed.
  await nextTurn()
  const { items, metadata } = (jsonOf(answer) ?? {}) as Partial<KubeList<T>>
  const remaining = metadata?.remainingItemCount
  if (!Array.isArray(items) || remaining === undefined || !Number.isSafeInteger(remaining)) return undefined
  const head = { apiVersion: apiVersionOf(type), kind: type.kind }
  const instances = new Map(lists.map(one => [one.index.cluster, one.instance]))
  const located: { instance: string; object: T }[] = []
  for (const item of items as readonly T[]) {
    const from = instances.get(item?.metadata?.annotations?.[index.annotation] ?? '')
    if (from === undefined || typeof item.metadata.name !== 'string') return undefined
    located.push({ instance: from, object: { ...head, ...withoutAnnotation(item, index.annotation) } })
  }
  const total = Math.max(0, offset + located.length + remaining)
  const isWhole = located.length === Math.min(limit, Math.max(0, total - offset))
  return isWhole ? { items: located, total } : undefined
}

/** Whether they are of one index, and select the same. */
function areAlike(lists: readonly IndexedList[]): boolean {
  const key = ({ type, namespace, selection }: IndexedList): string =>
    JSON.stringify([apiVersionOf(type), type.resource, type.kind, type.namespaced, namespace, selection])
  const [first] = lists
  return lists.every(one => first && one.index.upstream === first.index.upstream && key(one) === key(first))
}

/** The object as its instance has it: without what the index added, and without annotations where that was the only one. */
function withoutAnnotation<T extends KubeObject>(object: T, added: string): T {
  const { [added]: _, ...own } = object.metadata.annotations ?? {}
  if (Object.keys(own).length > 0) return { ...object, metadata: { ...object.metadata, annotations: own } }
  const { annotations: __, ...metadata } = object.metadata
  return { ...object, metadata }
}
