import type { KubeObject } from '../../../manifests/kube.js'
import { isExpired, isNotFound } from '../../../manifests/status-error.js'
import { deadlineExceeded } from '../../errors/failure.js'
import { NOT_THE_INDEX, tooMany } from '../list/chunk.js'
import type { Listing } from '../list/listing.js'
import { BY_NAME, comparison, MOST_OBJECTS, selects } from '../list/select.js'
import { readWhole, readWholeAt } from '../list/whole-list.js'
import type { ListMark } from '../list-mark.js'
import type { ListQuery } from '../list-query.js'
import { apiVersionOf, keyOf, objectPath } from '../object-type.js'
import type { ObjectEvent } from '../objects.js'
import { changesSince, pauseAfter, pauseFor } from './changes-since.js'
import { ShownObjects } from './shown-objects.js'

/** How long the reader may take for the whole list that a watch begins with: that holds memory which others wait for. */
const TAKING_MS = 60_000

/** A state of the list to begin with. */
interface State<T> {
  /** Emptied when they are not needed any more. */
  readonly objects: T[]
  readonly resourceVersion: string
  /** The reader has it. */
  readonly known?: true
  /** Counts them out. */
  readonly giveBack: () => void
}

/**
 * Follows a list: RESET, what matches now as ADDED, BOOKMARK, and then changes, each with how many objects match after it.
 * An object that no longer matches but is still there has LEFT. It starts over with RESET when the instance no longer knows
 * the changes since. Page and size of the query do not count. A list that grows beyond what is sorted here ends with that refusal.
 * @param since a mark of the same list: where the instance still has that state, the events up to the first BOOKMARK are those of
 * it and `known`; where it has not, the list starts as without a mark
 */
export async function* watchObjects<T extends KubeObject>(
  listing: Listing<T>,
  since?: ListMark,
): AsyncGenerator<ObjectEvent<T>, void> {
  const { requests, call, query } = listing
  const { parts, pause = pauseFor } = requests.options
  let state: State<T> | undefined = since && (await stateAt(listing, since))
  for (let expired = 0; ; ) {
    const shown = new ShownObjects()
    const resourceVersion = yield* showAll(query, shown, state ?? (await readWhole(listing)))
    state = undefined
    const begun = parts.now()
    try {
      yield* follow(listing, shown, resourceVersion)
    } catch (error) {
      if (!isExpired(error)) throw error
    }
    // One that forgets at once would have its list read again and again.
    expired = parts.now() - begun < 1_000 ? expired + 1 : 0
    if (expired > 0) await pause(pauseAfter(expired), call)
  }
}

/**
 * The list that a watch begins with. Its objects are not needed any more when they were passed on.
 * @throws Failure DEADLINE_EXCEEDED where the reader does not take it in time; its memory is given back by then
 */
async function* showAll<T extends KubeObject>(
  { sort = BY_NAME }: ListQuery<T>,
  shown: ShownObjects,
  { objects, resourceVersion, known, giveBack }: State<T>,
): AsyncGenerator<ObjectEvent<T>, string> {
  const isKnown = known ? { known } : {}
  const late = new AbortController()
  const drop = () => {
    objects.length = 0
    giveBack()
  }
  // The reader may never come back, so the memory cannot wait for it.
  const timer = setTimeout(() => {
    late.abort(notTaken())
    drop()
  }, TAKING_MS)
  try {
    yield { type: 'RESET', total: 0, ...isKnown }
    for (const object of objects.sort(comparison(sort))) {
      shown.set(object)
      yield { type: 'ADDED', object, total: shown.size, ...isKnown }
    }
    late.signal.throwIfAborted()
  } finally {
    clearTimeout(timer)
    drop()
  }
  yield { type: 'BOOKMARK', total: shown.size, ...markOf(shown, resourceVersion), ...isKnown }
  return resourceVersion
}

const notTaken = () =>
  deadlineExceeded(
    `the list was not read within ${TAKING_MS / 1000} s: read it faster, or watch less at once`,
    { reason: 'ListNotRead' },
  )

/**
 * The state that a mark describes, where the instance still has it. The digest proves that it is the reader's: the instance may
 * have been replaced, or the mark made up.
 */
async function stateAt<T extends KubeObject>(
  listing: Listing<T>,
  { version, digest }: ListMark,
): Promise<State<T> | undefined> {
  const read = await readWholeAt(listing, version)
  if (!read) return undefined
  const shown = new ShownObjects()
  for (const object of read.objects) shown.set(object)
  if (shown.at(version)?.digest === digest) return { ...read, resourceVersion: version, known: true }
  read.giveBack()
  return undefined
}

/** @throws StatusError 410 when the changes since are not known any more */
async function* follow<T extends KubeObject>(
  listing: Listing<T>,
  shown: ShownObjects,
  since: string,
): AsyncGenerator<ObjectEvent<T>, void> {
  const { type, query } = listing
  const head = { apiVersion: apiVersionOf(type), kind: type.kind }
  const matches = selects(query)
  for await (const { type: change, object: found } of changesSince(listing, since)) {
    const { resourceVersion = '' } = found.metadata
    const state = () => ({ total: shown.size, ...markOf(shown, resourceVersion) })
    if (change === 'BOOKMARK') {
      yield { type: 'BOOKMARK', ...state() }
      continue
    }
    const object = { ...head, ...found } as T
    if (change !== 'DELETED') await query.learn?.(object)
    const known = shown.has(object)
    if (change !== 'DELETED' && matches(object)) {
      shown.set(object)
      // One that is begun anew would be refused, too.
      if (shown.size > MOST_OBJECTS) throw tooMany(type, query)
      yield { type: known ? 'MODIFIED' : 'ADDED', object, ...state() }
    } else if (known) {
      const left = change !== 'DELETED' || (await isThere(listing, object))
      shown.delete(object)
      yield { type: left ? 'LEFT' : 'DELETED', object, ...state() }
    }
  }
}

function markOf(shown: ShownObjects, version: string): { readonly mark?: ListMark } {
  const mark = shown.at(version)
  return mark ? { mark } : {}
}

/** An API server also reports an object that its selectors no longer select as deleted. */
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
