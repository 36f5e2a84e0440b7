import type { KubeObject } from '../../../manifests/kube.js'
import { StatusError } from '../../../manifests/status-error.js'
import { orAborted } from '../../../ports/cancellation.js'
import { Code } from '../../../transcoding/code.js'
import { Failure, unavailable } from '../../errors/failure.js'
import type { Listing } from '../list/listing.js'
import { collectionPath } from '../object-type.js'
import type { ObjectCall } from '../objects.js'
import { type Change, watchEvents } from './watch-events.js'

/** A watch that ends within this time is not opened again at once; without an event it did not work. */
export const SHORTEST_MS = 1_000
/** Attempts in a row that did not work, before the stream fails: about 17 s of pauses. */
export const MOST_ATTEMPTS = 8
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5_000

/**
 * The changes of a list since a version, bookmarks too. A watch that is cut or ends goes on after the last change, so that
 * each comes once.
 * @throws StatusError 410 when the changes since are not known any more; what refuses the watch; after several attempts that
 * did not work the last failure; the reason of the call's signal
 */
export async function* changesSince<T extends KubeObject>(
  { requests, call, place, type, query }: Listing<T>,
  since: string,
): AsyncGenerator<Change, void> {
  const { parts, pause = pauseFor } = requests.options
  const { labelSelector, fieldSelector } = query
  const path = collectionPath(place, type, query.namespace)
  let attempts = 0
  /** Watches in a row that ended at once, whether they worked or not: each takes a connection. */
  let quick = 0
  for (let version = since; ; ) {
    const before = version
    let openedAt: number | undefined
    let failure: unknown
    const opened = () => {
      openedAt ??= parts.now()
    }
    const selectors = { labelSelector, fieldSelector }
    const watch = { watch: 'true', allowWatchBookmarks: 'true', resourceVersion: version, ...selectors }
    const bytes = requests.stream(call, place.instance, { method: 'GET', path, query: watch }, opened)
    try {
      for await (const change of watchEvents(bytes)) {
        yield change
        // Not before the reader has come back: it has shown the change then.
        version = change.object.metadata.resourceVersion || version
      }
    } catch (error) {
      if (!isCut(error)) throw error
      failure = error
    }
    call.signal.throwIfAborted()
    const lasted = openedAt !== undefined && parts.now() - openedAt >= SHORTEST_MS
    quick = lasted ? 0 : quick + 1
    attempts = lasted || version !== before ? 0 : attempts + 1
    if (attempts >= MOST_ATTEMPTS) throw failure ?? endsAtOnce()
    if (quick > 0 || failure !== undefined) await pause(pauseAfter(quick), call)
  }
}

/** Milliseconds after so many attempts that did not work; up to a half is random, so that not all streams return at once. */
export const pauseAfter = (attempts: number): number =>
  Math.min(FIRST_PAUSE_MS * 2 ** attempts, LONGEST_PAUSE_MS) * (1 - Math.random() / 2)

/** Waits, and not longer than for `sooner`. @throws the reason of the call's signal */
export async function pauseFor(
  milliseconds: number,
  { signal }: Pick<ObjectCall, 'signal'>,
  sooner?: Promise<void>,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<void>(resolve => {
    timer = setTimeout(resolve, milliseconds)
    void sooner?.then(resolve)
  })
  try {
    await orAborted(over, signal)
  } finally {
    clearTimeout(timer)
  }
}

/** Whether the way to the instance broke, or the instance was too busy, rather than that it refused. */
function isCut(error: unknown): boolean {
  if (error instanceof StatusError) return error.code === 429 || error.code >= 500
  return (
    error instanceof Failure && (error.code === Code.UNAVAILABLE || error.code === Code.DEADLINE_EXCEEDED)
  )
}

const endsAtOnce = () =>
  unavailable('the instance ends its watches at once: try again', { retryAfterSeconds: 1 })
