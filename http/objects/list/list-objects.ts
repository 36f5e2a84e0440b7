import { setImmediate as nextTurn } from 'node:timers/promises'
import type { KubeList, KubeObject } from '../../../manifests/kube.js'
import { isExpired, StatusError } from '../../../manifests/status-error.js'
import type { AnsweredFrom } from '../../call/answered-from.js'
import { badGateway, Failure, failedPrecondition } from '../../errors/failure.js'
import type { AnswerReading } from '../../limits/answer-memory.js'
import type { ReadRules } from '../../proxy/proxy-request.js'
import { karmada } from '../../proxy/route/route.js'
import type { IndexedList, ListQuery, ObjectPage } from '../list-query.js'
import { apiVersionOf, collectionPath, type ObjectType } from '../object-type.js'
import { checkPage } from '../paging.js'
import { type Answer, jsonOf, sourceOfAnswer } from '../requests/answer.js'
import { listRules } from './list-route.js'
import type { Listing } from './listing.js'
import { MOST_BYTES, MOST_OBJECTS, pageOfObjects, selects } from './select.js'

/** Objects that are read at once: as many as kubectl and informers ask for. */
const CHUNK = 500
/** Far more than `MOST_OBJECTS` need: a list may go on without a single object. */
const MOST_CHUNKS = 1_000
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
  const { value, giveBack } = await untilWhole(listing, async read => {
    const first = await read(undefined, rules)
    if (first.answered.source === 'karmada') {
      const objects = await withRest(listing, first, read)
      return { ...pageOfObjects(objects, query), answered: first.answered }
    }
    const isWhole = asked.whole || query.pageSize <= 0
    const page = isWhole ? wholePage(listing, first) : indexPage(query, first)
    if (page)
      return { ...page, answered: first.answered, ...(!isWhole && indexedList(listing, asked.selection)) }
    const objects = await withRest(listing, await read(undefined, NOT_THE_INDEX), read)
    return { ...pageOfObjects(objects, query), answered: UNCOUNTED }
  })
  // A stream reads lists for as long as it lasts, each for one of its messages.
  if (listing.call.answers.lasts) giveBack()
  return value
}

/** The list that the index has just answered. */
function indexedList(
  { requests, place, type, query }: Listing<never>,
  selection: IndexedList['selection'],
): { readonly indexed?: IndexedList } {
  const { instance } = place
  const index = requests.sharedIndex(instance)
  const { namespace = '' } = query
  return index ? { indexed: { index, instance, type, namespace, selection } } : {}
}

/**
 * All that matches, from the instance itself, and the state that it shows.
 * @returns `giveBack` for when the objects are not needed any more
 * @throws Failure FAILED_PRECONDITION as above
 */
export async function readWhole<T extends KubeObject>(
  listing: Listing<T>,
): Promise<{
  readonly objects: T[]
  readonly resourceVersion: string
  readonly giveBack: () => void
}> {
  const { value, giveBack } = await untilWhole(listing, async read => {
    const first = await read(undefined, NOT_THE_INDEX)
    return { objects: await withRest(listing, first, read), resourceVersion: first.resourceVersion }
  })
  return { ...value, giveBack }
}

/** Reads one chunk of a list. */
type Read<T> = (next: string | undefined, rules: ReadRules) => Promise<Chunk<T>>

/** Reads a list, again where it expires between its chunks. What was read of one that did not come to its end does not count. */
async function untilWhole<T extends KubeObject, R>(
  listing: Listing<T>,
  work: (read: Read<T>) => Promise<R>,
): Promise<{ readonly value: R; readonly giveBack: () => void }> {
  const { call, place } = listing
  for (let attempt = 1; ; attempt += 1) {
    const reading = call.answers.reading(place.instance)
    try {
      const value = await work((next, rules) => readChunk(listing, next, rules, reading))
      return { value, giveBack: () => reading.giveBack() }
    } catch (error) {
      reading.giveBack()
      if (!isExpired(error) || attempt >= MOST_READINGS) throw error
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
): Promise<{ readonly objects: T[]; readonly giveBack: () => void } | undefined> {
  const { call, place } = listing
  const reading = call.answers.reading(place.instance)
  const giveBack = () => reading.giveBack()
  try {
    const first = await readChunk(listing, undefined, NOT_THE_INDEX, reading, version)
    if (first.resourceVersion === version) {
      const objects = await withRest(listing, first, (next, rules) =>
        readChunk(listing, next, rules, reading),
      )
      return { objects, giveBack }
    }
  } catch (error) {
    // 410 for one that was compacted; 400, 500 or 504, by the server's version, for one that is no state of it.
    const isNoState =
      error instanceof StatusError && (error.code === 400 || error.code === 410 || error.code >= 500)
    if (!isNoState) throw error
  }
  giveBack()
  return undefined
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
async function withRest<T extends KubeObject>(
  listing: Listing<T>,
  first: Chunk<T>,
  readNext: Read<T>,
): Promise<T[]> {
  const { type, query } = listing
  const isWanted = selects(query)
  const wanted: T[] = []
  let [read, bytes, chunks] = [0, 0, 0]
  for (let chunk = first; ; chunk = await readNext(chunk.next, NOT_THE_INDEX)) {
    const { items, next } = chunk
    read += items.length
    chunks += 1
    if (chunks > MOST_CHUNKS) throw badGateway(`the instance’s list of ${type.resource} has no end`)
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
  reading: AnswerReading,
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
  const answer = await requests
    .send(call, place.instance, request, { most: MOST_BYTES, rules, reading })
    .catch(error => {
      throw error instanceof Failure && error.details.reason === 'AnswerTooLarge'
        ? tooMany(type, query)
        : error
    })
  // Pages of several lists may be here at once: others are served between two of them.
  await nextTurn()
  const { items, metadata } = listOf<T>(answer, type)
  return {
    items,
    resourceVersion: metadata?.resourceVersion ?? '',
    next: metadata?.continue || undefined,
    remaining: Number.isSafeInteger(metadata?.remainingItemCount) ? metadata?.remainingItemCount : undefined,
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

/** The refusal of a list that is sorted or followed here, with what to narrow. */
export const tooMany = ({ resource }: ObjectType, { namespace, labelSelector }: ListQuery<never>) => {
  const what = `there are more than ${MOST_OBJECTS} ${resource} or ${MOST_BYTES >> 20} MiB of them, the most that are sorted here`
  const narrower = [
    ...(namespace ? [] : ['a namespace']),
    labelSelector ? 'narrower labels' : 'a label selector',
    'a pageSize and an order that the index has',
  ]
  return failedPrecondition(`${what}: give ${narrower.join(', or ')}`, { reason: 'ListTooLarge' })
}
