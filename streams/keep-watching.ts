import {
  asyncScheduler,
  catchError,
  concat,
  defer,
  EMPTY,
  filter,
  mergeMap,
  type Observable,
  of,
  repeat,
  type SchedulerLike,
  takeUntil,
  tap,
  throwError,
  timeout,
  timer,
} from 'rxjs'
import { isExpired, StatusError } from '../manifests/status-error.js'
import { type Backoff, CLIENT_GO_BACKOFF, FailureStreak, fullJitter } from './backoff.js'
import type { ListWatch, Opened } from './list-watch.js'
import type { Applied, Bookmarked, Deleted, Interrupted, Listed, Restarted, Seen, Synced } from './seen.js'
import { OutOfOrderError, WatchOrder } from './watch-order.js'

/** How to keep watching; a test replaces time and chance. */
export interface KeepWatchingOptions {
  /**
   * After so many milliseconds without contact the next session lists. A resumed watch sends nothing while nothing changes;
   * only a list shows that everything held is still true. Default: resume as long as the server remembers the cursor.
   */
  readonly relistAfterMs?: number
  readonly scheduler?: SchedulerLike
  /** Yields numbers in [0, 1). */
  readonly random?: () => number
  readonly backoff?: Backoff
}

/** Each watch requests a timeout: a random time in this range, so that the load of the server spreads; client-go's. */
const WATCH_SECONDS = { shortest: 300, longest: 600 } as const
/** How long after that the server's close may be under way; then the connection is taken for dead. */
const CLOSE_MARGIN_MS = 30_000
/** A list that yields no page for this long is taken for dead. */
const LIST_SILENCE_MS = 90_000
/**
 * A watch closed sooner than this was not closed for its age: the server has trouble, or does not want us. A watch that was
 * held open for this long was in contact.
 */
const EARLY_CLOSE_MS = 10_000

/**
 * Lists once, watches from there, resumes where it broke, and lists again only when the server has forgotten (410).
 * Never errors and never completes: trouble is an `interrupted` item, and only unsubscribing ends it.
 *
 * Every session is followed by a pause. After an ordinary close it is short; with failures in a row it grows, with full
 * jitter. Failures are forgotten after a quiet period, not after the first success, so that a server that accepts every list
 * and then expires every watch is opened ever more rarely. A watch that was held open as long as the longest pause also ends
 * the series: a connection that is reset every minute is resumed at once each time.
 *
 * Back-off and contact are counted apart. An `interrupted` says for how long the server has been silent; its reader decides
 * when contact is lost.
 *
 * Items are passed on as they are read and none are queued, so memory stays bounded and a slow reader slows the socket.
 */
export function keepWatching<T>(
  source: ListWatch<T>,
  options: KeepWatchingOptions = {},
): Observable<Seen<T>> {
  const {
    scheduler = asyncScheduler,
    random = Math.random,
    backoff = CLIENT_GO_BACKOFF,
    relistAfterMs = Number.POSITIVE_INFINITY,
  } = options

  return defer(() => {
    const streak = new FailureStreak(backoff)
    let cursor: string | undefined // where to resume; undefined means: list
    let whole = false // the last list expired between its pages
    let pauseMs = 0
    let contactAt = scheduler.now() // when the server was last known to be there
    let openedAt: number | undefined // when the server accepted the watch that is under way

    const list = (): Observable<Restarted | Listed<T> | Synced> =>
      concat(
        of({ type: 'restarted' } as const),
        defer(() => source.list({ whole })),
      ).pipe(
        timeout({ each: LIST_SILENCE_MS, scheduler, with: () => fails(`${source.name}: the list stalled`) }),
        catchError(error => {
          whole = isExpired(error)
          throw error
        }),
        tap(seen => {
          if (seen.type !== 'restarted') contactAt = scheduler.now()
          if (seen.type !== 'synced') return
          cursor = seen.cursor
          whole = false
        }),
      )

    const watch = (from: string): Observable<Applied<T> | Deleted<T> | Bookmarked> => {
      const seconds = Math.round(between(WATCH_SECONDS.shortest, WATCH_SECONDS.longest, random()))
      const overdue = timer(seconds * 1000 + CLOSE_MARGIN_MS, scheduler)
      const startedAt = scheduler.now()
      const order = new WatchOrder(from)
      const closed = defer(() => {
        const livedMs = scheduler.now() - startedAt
        return livedMs < EARLY_CLOSE_MS
          ? fails(`${source.name}: the watch was closed after ${livedMs} ms`)
          : EMPTY
      })
      return concat(source.watch(from, seconds), closed).pipe(
        takeUntil(
          overdue.pipe(
            mergeMap(() =>
              fails(`${source.name}: the watch outlived its ${seconds} s; the connection is dead`),
            ),
          ),
        ),
        filter((seen): seen is Exclude<typeof seen, Opened> => {
          if (seen.type === 'opened') {
            openedAt = scheduler.now()
            return false
          }
          contactAt = scheduler.now()
          return seen.type === 'bookmarked' ? order.isProgress(seen.cursor) : order.isNews(seen.cursor)
        }),
        tap(seen => {
          cursor = seen.cursor
        }),
      )
    }

    const interrupted = (reason: unknown): Interrupted => {
      const now = scheduler.now()
      const heldMs = openedAt === undefined ? 0 : now - openedAt
      if (heldMs >= EARLY_CLOSE_MS) contactAt = now
      if (heldMs >= backoff.longestMs) streak.end()
      const silentMs = now - contactAt
      if (isExpired(reason) || reason instanceof OutOfOrderError || silentMs >= relistAfterMs)
        cursor = undefined
      const error = reason instanceof Error ? reason : new Error(String(reason))
      const attempt = streak.failed(now)
      pauseMs = Math.max(fullJitter(backoff, attempt, random()), askedToWaitMs(error))
      return { type: 'interrupted', error, attempt, silentMs, retryInMs: pauseMs }
    }

    const session = defer((): Observable<Seen<T>> => {
      openedAt = undefined
      pauseMs = fullJitter(backoff, 1, random())
      const watching = defer(() => (cursor === undefined ? EMPTY : watch(cursor)))
      return cursor === undefined ? concat(list(), watching) : watching
    })

    return session.pipe(
      catchError(reason => of(interrupted(reason))),
      repeat({ delay: () => timer(pauseMs, scheduler) }),
    )
  })
}

/** What a server under pressure asks for (429 and 503 with Retry-After). */
const askedToWaitMs = (error: Error): number =>
  error instanceof StatusError ? (error.status.details?.retryAfterSeconds ?? 0) * 1000 : 0

const between = (low: number, high: number, share: number): number => low + (high - low) * share

const fails = (message: string): Observable<never> => throwError(() => new Error(message))
