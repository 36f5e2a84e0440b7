import {
  asyncScheduler,
  defer,
  Observable,
  type Observer,
  type SchedulerLike,
  type Subscriber,
  Subscription,
} from 'rxjs'
import { askedToWaitMs, isExpired } from '../manifests/status-error.js'
import { type Backoff, CLIENT_GO_BACKOFF, FailureStreak, fullJitter } from './backoff.js'
import type { ListWatch, Opened } from './list-watch.js'
import type { Applied, Bookmarked, Deleted, Listed, Seen, Synced } from './seen.js'
import { OutOfOrderError, WatchOrder } from './watch-order.js'

/** How to keep watching; a test replaces time and chance. */
export interface KeepWatchingOptions {
  /**
   * After so many milliseconds without contact the next session lists. A resumed watch sends nothing while nothing changes;
   * only a list shows that everything held is still true. Default: resume as long as the server remembers the cursor.
   */
  readonly relistAfterMs?: number
  /**
   * How long a watch lives, which bounds for how long one that broke without a word is taken for one on which nothing changes. Default:
   * client-go's. Asked for with each watch.
   */
  readonly life?: () => WatchLife
  readonly scheduler?: SchedulerLike
  /** Yields numbers in [0, 1). */
  readonly random?: () => number
  readonly backoff?: Backoff
}

/** For how long watches are asked for. */
export interface WatchLife {
  /** Each watch requests a timeout: a random time in this range, so that the load of the server spreads; seconds. */
  readonly shortest: number
  readonly longest: number
  /** How long after that the server's close may be under way, milliseconds; then the connection is taken for dead. */
  readonly marginMs: number
}

/** Client-go's range. */
export const USUAL_LIFE: WatchLife = { shortest: 300, longest: 600, marginMs: 30_000 }
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
 *
 * Written out instead of composed of operators: each operator is an object and some closures that live as long as the watch, and
 * a fleet holds thousands of watches (docs/adr/0049-what-an-instance-keeps-in-memory.md).
 */
export const keepWatching = <T>(
  source: ListWatch<T>,
  options: KeepWatchingOptions = {},
): Observable<Seen<T>> =>
  new Observable(subscriber => {
    const watcher = new Watcher(source, options, subscriber)
    // An item may already end it, and then there is nobody to end it again.
    subscriber.add(() => watcher.stop())
    watcher.start()
  })

/** One subscription of `keepWatching`: a list or a watch that is under way, or the pause before the next. */
class Watcher<T> {
  readonly #source: ListWatch<T>
  readonly #subscriber: Subscriber<Seen<T>>
  readonly #scheduler: SchedulerLike
  readonly #random: () => number
  readonly #backoff: Backoff
  readonly #relistAfterMs: number
  readonly #life: () => WatchLife
  readonly #streak: FailureStreak
  /** Where to resume; undefined means: list. */
  #cursor: string | undefined
  /** The last list expired between its pages. */
  #whole = false
  #pauseMs = 0
  /** When the server was last known to be there. */
  #contactAt: number
  /** When the server accepted the watch that is under way. */
  #openedAt: number | undefined
  /** The request under way. */
  #request = Subscription.EMPTY
  /** What ends the request if it takes too long, or the pause after it. */
  #timer = Subscription.EMPTY

  constructor(source: ListWatch<T>, options: KeepWatchingOptions, subscriber: Subscriber<Seen<T>>) {
    const { scheduler = asyncScheduler, random = Math.random, backoff = CLIENT_GO_BACKOFF } = options
    this.#source = source
    this.#subscriber = subscriber
    this.#scheduler = scheduler
    this.#random = random
    this.#backoff = backoff
    this.#relistAfterMs = options.relistAfterMs ?? Number.POSITIVE_INFINITY
    this.#life = options.life ?? (() => USUAL_LIFE)
    this.#streak = new FailureStreak(backoff)
    this.#contactAt = scheduler.now()
  }

  /** Begins a session: a list where there is no cursor, and then a watch. */
  start(): void {
    this.#openedAt = undefined
    this.#pauseMs = fullJitter(this.#backoff, 1, this.#random())
    if (this.#cursor === undefined) this.#list()
    else this.#watch(this.#cursor)
  }

  stop(): void {
    this.#request.unsubscribe()
    this.#timer.unsubscribe()
  }

  #list(): void {
    this.#subscriber.next({ type: 'restarted' })
    if (this.#subscriber.closed) return
    this.#failAfter(LIST_SILENCE_MS, 'the list stalled')
    this.#follow(() => this.#source.list({ whole: this.#whole }), {
      next: seen => this.#listed(seen),
      error: error => {
        this.#whole = isExpired(error)
        this.#failed(error)
      },
      complete: () => {
        if (this.#cursor === undefined) this.#pause()
        else this.#watch(this.#cursor)
      },
    })
  }

  #listed(seen: Listed<T> | Synced): void {
    this.#failAfter(LIST_SILENCE_MS, 'the list stalled')
    this.#contactAt = this.#scheduler.now()
    if (seen.type === 'synced') {
      this.#cursor = seen.cursor
      this.#whole = false
    }
    this.#subscriber.next(seen)
  }

  #watch(from: string): void {
    const { shortest, longest, marginMs } = this.#life()
    const seconds = Math.round(shortest + (longest - shortest) * this.#random())
    const startedAt = this.#scheduler.now()
    const order = new WatchOrder(from)
    this.#failAfter(seconds * 1000 + marginMs, `the watch outlived its ${seconds} s; the connection is dead`)
    this.#follow(() => this.#source.watch(from, seconds), {
      next: seen => this.#watched(seen, order),
      error: error => this.#failed(error),
      complete: () => {
        const livedMs = this.#scheduler.now() - startedAt
        if (livedMs >= EARLY_CLOSE_MS) this.#pause()
        else this.#failed(this.#error(`the watch was closed after ${livedMs} ms`))
      },
    })
  }

  #watched(seen: Opened | Applied<T> | Deleted<T> | Bookmarked, order: WatchOrder): void {
    const now = this.#scheduler.now()
    if (seen.type === 'opened') {
      this.#openedAt = now
      return
    }
    this.#contactAt = now
    try {
      if (!(seen.type === 'bookmarked' ? order.isProgress(seen.cursor) : order.isNews(seen.cursor))) return
    } catch (error) {
      this.#failed(error)
      return
    }
    this.#cursor = seen.cursor
    this.#subscriber.next(seen)
  }

  /** Ends the session, reports why, and backs off. */
  #failed(reason: unknown): void {
    this.stop()
    const now = this.#scheduler.now()
    const heldMs = this.#openedAt === undefined ? 0 : now - this.#openedAt
    if (heldMs >= EARLY_CLOSE_MS) this.#contactAt = now
    if (heldMs >= this.#backoff.longestMs) this.#streak.end()
    const silentMs = now - this.#contactAt
    if (isExpired(reason) || reason instanceof OutOfOrderError || silentMs >= this.#relistAfterMs)
      this.#cursor = undefined
    const error = reason instanceof Error ? reason : new Error(String(reason))
    const attempt = this.#streak.failed(now)
    this.#pauseMs = Math.max(fullJitter(this.#backoff, attempt, this.#random()), askedToWaitMs(error))
    this.#subscriber.next({ type: 'interrupted', error, attempt, silentMs, retryInMs: this.#pauseMs })
    this.#pause()
  }

  #pause(): void {
    this.#after(this.#pauseMs, () => this.start())
  }

  #failAfter(ms: number, what: string): void {
    this.#after(ms, () => this.#failed(this.#error(what)))
  }

  /** Replaces the timer. */
  #after(ms: number, act: () => void): void {
    this.#timer.unsubscribe()
    if (!this.#subscriber.closed) this.#timer = this.#scheduler.schedule(act, ms)
  }

  /** Sends a request. It may end, and another may be under way, before this returns; one that was given up is not heard any more. */
  #follow<Item>(send: () => Observable<Item>, { next, error, complete }: Observer<Item>): void {
    if (this.#subscriber.closed) return
    const request = new Subscription()
    this.#request = request
    const answer = defer(send).subscribe({
      next: item => void (request.closed || next(item)),
      error: reason => void (request.closed || error(reason)),
      complete: () => void (request.closed || complete()),
    })
    request.add(answer)
  }

  #error(what: string): Error {
    return new Error(`${this.#source.name}: ${what}`)
  }
}
