import type { KubeObject } from '../../../manifests/kube.js'
import { isNoSuchVersion, StatusError, statusErrorOf } from '../../../manifests/status-error.js'
import { deadline } from '../../../ports/cancellation.js'
import { UnreachableError, type WatchEvent } from '../../../ports/kube-api.js'
import { unavailable } from '../../errors/failure.js'
import type { ListMark } from '../list-mark.js'
import type { ObjectEvent } from '../objects.js'
import { MOST_ATTEMPTS, pauseAfter, pauseFor, SHORTEST_MS } from './changes-since.js'
import { ShownObjects } from './shown-objects.js'

/** A watch is opened again after this time, so that a connection that died without an error is noticed. */
const LONGEST_WATCH_MS = 5 * 60_000

/** A list of the host at one version. */
export interface HostState<T extends KubeObject> {
  readonly objects: readonly T[]
  readonly version: string
}

/** The objects of one type on the host, as one stream follows them. */
export interface HostList<T extends KubeObject> {
  /** Reads the list as it is now, or as it was at a version. @throws what the host answers */
  readonly read: (version?: string) => Promise<HostState<T>>
  /** Opens a watch of the changes since a version. */
  readonly watch: (version: string, signal: AbortSignal) => AsyncIterable<WatchEvent>
  readonly matches: (object: T) => boolean
  readonly signal: AbortSignal
  readonly now?: () => number
  readonly pause?: typeof pauseFor
}

/**
 * Follows a list of the host: RESET, what matches as ADDED in the order of names, BOOKMARK, and then changes, each with how many objects
 * match after it. It starts over with RESET when the host no longer knows the changes since.
 * @param since a mark of the same list: where the host still has that state, the stream begins with its objects as ADDED that are `known`, and
 * BOOKMARK, and goes on after it
 * @throws what refuses the list or the watch; after several attempts that did not work the last failure; the signal's reason
 */
export async function* watchHost<T extends KubeObject>(
  list: HostList<T>,
  since?: ListMark,
): AsyncGenerator<ObjectEvent<T>, void> {
  const { signal, now = () => performance.now(), pause = pauseFor } = list
  let known = since && (await stateAt(list, since))
  for (let expired = 0; ; ) {
    const shown = new ShownObjects()
    const version = yield* showAll(list, shown, known)
    known = undefined
    const begun = now()
    yield* changes(list, shown, version)
    // A host that forgets at once would have its list read again and again.
    expired = now() - begun < SHORTEST_MS ? expired + 1 : 0
    if (expired > 0) await pause(pauseAfter(expired), { signal })
  }
}

/** The list that a stream begins with, or what its reader has of it. Returns its version; the objects are not needed any more then. */
async function* showAll<T extends KubeObject>(
  { read, matches }: HostList<T>,
  shown: ShownObjects,
  known: HostState<T> | undefined,
): AsyncGenerator<ObjectEvent<T>, string> {
  const { objects, version } = known ?? (await read())
  if (!known) yield { type: 'RESET', total: 0 }
  for (const object of [...objects].filter(matches).sort(byName)) {
    shown.set(object)
    yield { type: 'ADDED', object, total: shown.size, ...(known && { known: true }) }
  }
  yield { type: 'BOOKMARK', ...stateOf(shown, version) }
  return version
}

/**
 * The objects that a mark names, where the host still has that state. The digest proves that it is the reader's: the host may have been
 * replaced, or the mark made up.
 */
async function stateAt<T extends KubeObject>(
  { read, matches }: HostList<T>,
  { version, digest }: ListMark,
): Promise<HostState<T> | undefined> {
  const shown = new ShownObjects()
  try {
    const state = await read(version)
    for (const object of state.objects) if (matches(object)) shown.set(object)
    return shown.digest === digest ? state : undefined
  } catch (error) {
    if (!isNoSuchVersion(error)) throw error
    return undefined
  }
}

/** The changes after a version. Ends where the host no longer knows them. A watch that is cut or ends goes on after the last change. */
async function* changes<T extends KubeObject>(
  list: HostList<T>,
  shown: ShownObjects,
  since: string,
): AsyncGenerator<ObjectEvent<T>, void> {
  const { signal, now = () => performance.now(), pause = pauseFor } = list
  let attempts = 0
  for (let version = since; ; ) {
    const before = version
    const begun = now()
    const session = deadline([signal], LONGEST_WATCH_MS)
    let failure: unknown
    try {
      for await (const { type, object: found } of list.watch(version, session.signal)) {
        if (type === 'ERROR') throw statusErrorOf(found)
        const object = found as T
        const next = object.metadata.resourceVersion ?? version
        const step = stepOf(type, object, shown, list.matches)
        if (step) yield { ...step, ...stateOf(shown, next) }
        version = next
      }
    } catch (error) {
      // 410: the changes are forgotten. 404: the type is not served any more, which the list explains.
      if (error instanceof StatusError && (error.code === 410 || error.code === 404)) return
      if (!isCut(error)) throw error
      failure = error
    } finally {
      session.clear()
    }
    signal.throwIfAborted()
    attempts = version !== before || now() - begun >= SHORTEST_MS ? 0 : attempts + 1
    if (attempts >= MOST_ATTEMPTS) throw failure ?? endsAtOnce()
    if (attempts > 0 || failure !== undefined) await pause(pauseAfter(attempts), { signal })
  }
}

/** What a change does to the list; undefined where it is about an object that does not match. */
function stepOf<T extends KubeObject>(
  change: Exclude<WatchEvent['type'], 'ERROR'>,
  object: T,
  shown: ShownObjects,
  matches: (object: T) => boolean,
) {
  if (change === 'BOOKMARK') return { type: change } as const
  const isKnown = shown.has(object)
  if (change !== 'DELETED' && matches(object)) {
    shown.set(object)
    return { type: isKnown ? 'MODIFIED' : 'ADDED', object } as const
  }
  shown.delete(object)
  return isKnown ? ({ type: change === 'DELETED' ? 'DELETED' : 'LEFT', object } as const) : undefined
}

function stateOf(shown: ShownObjects, version: string) {
  const mark = shown.at(version)
  return { total: shown.size, ...(mark && { mark }) }
}

/** Whether the way to the host broke, or the host was too busy, rather than that it refused. */
const isCut = (error: unknown): boolean =>
  error instanceof UnreachableError ||
  (error instanceof StatusError && (error.code === 429 || error.code >= 500))

const byName = (a: KubeObject, b: KubeObject): number => (a.metadata.name < b.metadata.name ? -1 : 1)

const endsAtOnce = () => unavailable('the host ends its watches at once: try again', { retryAfterSeconds: 1 })
