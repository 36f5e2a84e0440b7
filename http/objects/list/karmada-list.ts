import type { KubeList, KubeObject } from '../../../manifests/kube.js'
import { isExpired } from '../../../manifests/status-error.js'
import { badGateway, failedPrecondition } from '../../failure.js'
import { jsonOf } from '../answer.js'
import type { ListQuery } from '../list-query.js'
import type { ObjectRequests } from '../object-requests.js'
import { apiVersionOf, collectionPath, type ObjectType, type Place } from '../object-type.js'
import type { ObjectCall } from '../objects.js'
import { selects } from './select.js'

/** Objects that are read at once: as many as kubectl and informers ask for. */
const CHUNK = 500
/** What is read at most to sort it here: as many objects, and as many bytes. */
const MOST_OBJECTS = 10_000
const MOST_BYTES = 64 << 20
/** How often a list is begun anew whose continuation has expired, which takes minutes. */
const MOST_READINGS = 3

/**
 * Reads all that matches from the instance itself, which neither sorts nor counts.
 * @throws Failure FAILED_PRECONDITION where that is more than is sorted here, with what to narrow
 */
export async function readWhole<T extends KubeObject>(
  requests: ObjectRequests,
  call: ObjectCall,
  place: Place,
  type: ObjectType,
  query: ListQuery<T>,
): Promise<readonly T[]> {
  for (let reading = 1; ; reading += 1) {
    try {
      return await readOnce(requests, call, place, type, query)
    } catch (error) {
      if (!isExpired(error) || reading >= MOST_READINGS) throw error
    }
  }
}

async function readOnce<T extends KubeObject>(
  requests: ObjectRequests,
  call: ObjectCall,
  place: Place,
  type: ObjectType,
  query: ListQuery<T>,
): Promise<readonly T[]> {
  const isWanted = selects(query)
  const path = collectionPath(place, type, query.namespace)
  const { labelSelector, fieldSelector } = query
  const wanted: T[] = []
  let [read, bytes] = [0, 0]
  let next: string | undefined
  do {
    const request = {
      method: 'GET',
      path,
      query: { limit: CHUNK, labelSelector, fieldSelector, continue: next },
    } as const
    const answer = await requests.send(call, place.instance, request, MOST_BYTES)
    const { items, metadata } = listOf<T>(jsonOf(answer), type)
    bytes += answer.body.length
    read += items.length
    next = metadata?.continue || undefined
    if (read > MOST_OBJECTS || bytes > MOST_BYTES || (next && read === MOST_OBJECTS))
      throw tooMany(type, query)
    for (const item of items) if (isWanted(item)) wanted.push(item)
  } while (next)
  return wanted
}

/** A list's items as whole objects: API servers leave apiVersion and kind out there. @throws Failure UNAVAILABLE */
export function listOf<T extends KubeObject>(
  list: unknown,
  type: ObjectType,
): { readonly items: readonly T[]; readonly metadata?: KubeList<T>['metadata'] } {
  const { items, metadata } = (list ?? {}) as Partial<KubeList<T>>
  const head = { apiVersion: apiVersionOf(type), kind: type.kind }
  // Written in Go, where a list that nothing was put into is null.
  const all = items ?? []
  if (!Array.isArray(all) || all.some(item => typeof item?.metadata?.name !== 'string'))
    throw badGateway(`the instance answered with what is no list of ${type.resource}`)
  return { items: all.map(item => ({ ...head, ...item })), ...(metadata && { metadata }) }
}

const tooMany = ({ resource }: ObjectType, { namespace, labelSelector }: ListQuery<never>) =>
  failedPrecondition(
    `there are more than ${MOST_OBJECTS} ${resource} or ${MOST_BYTES >> 20} MiB of them, the most that are sorted without an index: ${
      namespace ? '' : 'name a namespace, '
    }give ${labelSelector ? 'narrower labels' : 'a label selector'}, or have the index keep ${resource}`,
    { reason: 'ListTooLarge' },
  )
