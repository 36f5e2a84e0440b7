import type { KubeList, KubeObject } from '../../../manifests/kube.js'
import { isExpired, StatusError } from '../../../manifests/status-error.js'
import type { AnsweredFrom } from '../../answered-from.js'
import { badGateway, failedPrecondition } from '../../failure.js'
import type { ReadRules } from '../../proxy/proxy-request.js'
import { karmada } from '../../proxy/route/route.js'
import { type Answer, jsonOf, sourceOfAnswer } from '../answer.js'
import type { ListQuery, ObjectPage } from '../list-query.js'
import { apiVersionOf, collectionPath, type ObjectType } from '../object-type.js'
import { checkPage } from '../paging.js'
import { listRules } from './list-route.js'
import type { Listing } from './listing.js'
import { MOST_BYTES, MOST_OBJECTS, pageOfObjects, selects } from './select.js'

/** Objects that are read at once: as many as kubectl and informers ask for. */
const CHUNK = 500
/** How often a list is restarted whose continue token has expired, which takes minutes. */
const MOST_READINGS = 3

/**
 * A page of what matches: the index's own where the rules send the list there, else cut out here of all that matches.
 * @throws Failure FAILED_PRECONDITION where that is more than is sorted here, with what to narrow
 */
export async function listObjects<T extends KubeObject>(listing: Listing<T>): Promise<ObjectPage<T>> {
  const { place, type, query } = listing
  checkPage(query)
  const { rules, asked } = listRules(place, type, query)
  for (let reading = 1; ; reading += 1) {
    try {
      const first = await readChunk(listing, undefined, rules)
      if (first.answered.source === 'karmada') {
        const objects = await withRest(listing, first)
        return { ...pageOfObjects(objects, query), answered: first.answered }
      }
      const page = asked.whole || query.pageSize <= 0 ? wholePage(listing, first) : indexPage(query, first)
      if (page) return { ...page, answered: first.answered }
      const objects = await withRest(listing, await readChunk(listing, undefined, NOT_THE_INDEX))
      return { ...pageOfObjects(objects, query), answered: UNCOUNTED }
    } catch (error) {
      if (!isExpired(error) || reading >= MOST_READINGS) throw error
    }
  }
}

/**
 * All that matches, from the instance itself, and the state that it shows.
 * @throws Failure FAILED_PRECONDITION as above
 */
export async function readWhole<T extends KubeObject>(
  listing: Listing<T>,
): Promise<{ readonly objects: readonly T[]; readonly resourceVersion: string }> {
  for (let reading = 1; ; reading += 1) {
    try {
      const first = await readChunk(listing, undefined, NOT_THE_INDEX)
      return { objects: await withRest(listing, first), resourceVersion: first.resourceVersion }
    } catch (error) {
      if (!isExpired(error) || reading >= MOST_READINGS) throw error
    }
  }
}

/**
 * All that matched at a version, from the instance itself; undefined where it no longer has that state, or never had it.
 * @throws Failure FAILED_PRECONDITION as above
 */
export async function readWholeAt<T extends KubeObject>(
  listing: Listing<T>,
  version: string,
): Promise<readonly T[] | undefined> {
  try {
    const first = await readChunk(listing, undefined, NOT_THE_INDEX, version)
    return first.resourceVersion === version ? await withRest(listing, first) : undefined
  } catch (error) {
    // 410 for one that was compacted; 400, 500 or 504, by the server's version, for one that is no state of it.
    if (error instanceof StatusError && (error.code === 400 || error.code === 410 || error.code >= 500))
      return undefined
    throw error
  }
}

interface Chunk<T> {
  readonly resourceVersion: string
  readonly items: readonly T[]
  readonly next: string | undefined
  /** How many more match; absent where it was not said. */
  readonly remaining: number | undefined
  readonly bytes: number
  readonly answered: AnsweredFrom
}

/** A page as the index made it; undefined where it did not say how many there are. */
function indexPage<T extends KubeObject>(
  { page: asked, pageSize }: ListQuery<T>,
  { items, remaining }: Chunk<T>,
): Omit<ObjectPage<T>, 'answered'> | undefined {
  if (remaining === undefined) return undefined
  const page = Math.max(1, asked)
  // Of a page past the end it is negative.
  const total = Math.max(0, (page - 1) * pageSize + items.length + remaining)
  return { items, pagination: { total, page, pageSize, pages: Math.ceil(total / pageSize) } }
}

function wholePage<T extends KubeObject>(
  { type, query }: Listing<T>,
  { items, remaining }: Chunk<T>,
): Omit<ObjectPage<T>, 'answered'> | undefined {
  if (remaining === undefined) return undefined
  if (remaining > 0) throw tooMany(type, query)
  return pageOfObjects(items.filter(selects(query)), query)
}

/** The chunks after the first, which only the instance continues. */
async function withRest<T extends KubeObject>(listing: Listing<T>, first: Chunk<T>): Promise<readonly T[]> {
  const { type, query } = listing
  const isWanted = selects(query)
  const wanted: T[] = []
  let [read, bytes] = [0, 0]
  for (let chunk = first; ; chunk = await readChunk(listing, chunk.next, NOT_THE_INDEX)) {
    const { items, next } = chunk
    read += items.length
    bytes += chunk.bytes
    if (read > MOST_OBJECTS || bytes > MOST_BYTES || (next && read === MOST_OBJECTS))
      throw tooMany(type, query)
    for (const item of items) if (isWanted(item)) wanted.push(item)
    if (!next) return wanted
  }
}

/** What has begun with the instance is continued there. */
export const NOT_THE_INDEX: ReadRules = {
  target: '',
  route: () => karmada(['ContinueToken', () => true, 'it continues a list of the instance']),
}
const UNCOUNTED: AnsweredFrom = {
  source: 'karmada',
  reason: 'IndexFailed',
  warning: 'answered by Karmada: the index did not say how many objects there are',
}

async function readChunk<T extends KubeObject>(
  { requests, call, place, type, query }: Listing<T>,
  next: string | undefined,
  rules: ReadRules,
  version?: string,
): Promise<Chunk<T>> {
  const { labelSelector, fieldSelector } = query
  const request = {
    method: 'GET',
    path: collectionPath(place, type, query.namespace),
    query: {
      ...{ limit: CHUNK, labelSelector, fieldSelector, continue: next },
      ...(version && { resourceVersion: version, resourceVersionMatch: 'Exact' }),
    },
  } as const
  const answer = await requests.send(call, place.instance, request, { most: MOST_BYTES, rules })
  const { items, metadata } = listOf<T>(answer, type)
  return {
    items,
    resourceVersion: metadata?.resourceVersion ?? '',
    next: metadata?.continue || undefined,
    remaining: metadata?.remainingItemCount,
    bytes: answer.body.length,
    answered: sourceOfAnswer(answer) ?? UNCOUNTED,
  }
}

/** A list's items as whole objects: API servers leave apiVersion and kind out there. @throws Failure UNAVAILABLE */
function listOf<T extends KubeObject>(
  answer: Answer,
  type: ObjectType,
): { readonly items: readonly T[]; readonly metadata?: KubeList<T>['metadata'] } {
  const { items, metadata } = (jsonOf(answer) ?? {}) as Partial<KubeList<T>>
  const head = { apiVersion: apiVersionOf(type), kind: type.kind }
  // Written in Go, where a list that nothing was put into is null.
  const all = items ?? []
  if (!Array.isArray(all) || all.some(item => typeof item?.metadata?.name !== 'string'))
    throw badGateway(`the instance answered with what is no list of ${type.resource}`)
  return { items: all.map(item => ({ ...head, ...item })), ...(metadata && { metadata }) }
}

const tooMany = ({ resource }: ObjectType, { namespace, labelSelector }: ListQuery<never>) => {
  const what = `there are more than ${MOST_OBJECTS} ${resource} or ${MOST_BYTES >> 20} MiB of them, the most that are sorted here`
  const narrower = [
    ...(namespace ? [] : ['a namespace']),
    labelSelector ? 'narrower labels' : 'a label selector',
    'a pageSize and an order that the index has',
  ]
  return failedPrecondition(`${what}: give ${narrower.join(', or ')}`, { reason: 'ListTooLarge' })
}
