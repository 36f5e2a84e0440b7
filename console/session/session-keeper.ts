import { type Clock, clock } from '../live/clock.js'
import type { Session } from './session.js'

/** A session is renewed when a fifth of its time is left, within these bounds, milliseconds. The renewal takes time and may fail once. */
const MIN_LEFT_MS = 20_000
const MAX_LEFT_MS = 120_000
/** The pause after a renewal that the network lost, milliseconds. */
const RETRY_MS = 10_000
/** The longest time of a browser's timer, which has 31 bits. */
const MAX_TIMER_MS = 2_147_000_000

/** Requests of the keeper. They may reject while the server is away. */
export interface SessionCalls {
  current(): Promise<Session | undefined>
  renew(): Promise<Session | undefined>
  /** Runs `work` under a lock that all tabs of the browser share. */
  withLock(work: () => Promise<void>): Promise<void>
}

/** The state of the page's session. */
export type SessionState =
  | { readonly is: 'valid'; readonly session: Session }
  /** Its token has ended. The server refuses every request until somebody signs in. */
  | { readonly is: 'over'; readonly session: Session }
  /** Another user signed in, in this tab or in another one. */
  | { readonly is: 'another'; readonly session: Session; readonly other: Session }

/** Renews one session while its page is open, and reports its end. */
export class SessionKeeper {
  #state: SessionState
  #cancel: (() => void) | undefined
  #checking: Promise<void> | undefined
  #isRunning = false
  readonly #subscribers = new Set<(state: SessionState) => void>()

  constructor(
    session: Session,
    private readonly calls: SessionCalls,
    private readonly time: Clock = clock,
  ) {
    this.#state = { is: 'valid', session }
  }

  /** The same object until something changes. */
  readonly state = (): SessionState => this.#state

  readonly onChange = (subscriber: (state: SessionState) => void): (() => void) => {
    this.#subscribers.add(subscriber)
    return () => void this.#subscribers.delete(subscriber)
  }

  start(): void {
    this.#isRunning = true
    this.#scheduleRenewal()
  }

  stop(): void {
    this.#isRunning = false
    this.#cancel?.()
    this.#cancel = undefined
  }

  /**
   * Reads the session from the server. Called when somebody may have signed in or out, a request was refused as unauthenticated, or the machine has
   * slept. Never rejects.
   */
  check(): Promise<void> {
    this.#checking ??= this.#readSession().finally(() => {
      this.#checking = undefined
    })
    return this.#checking
  }

  async #readSession(): Promise<void> {
    try {
      const found = await this.calls.current()
      if (found) this.#adopt(found)
      // The token may have ended without the session: renew it. A session that is over stays over until somebody signs in.
      else if (this.#state.is === 'valid') await this.#renew()
    } catch {
      // The server is away: keep the last state. The next refused request checks again.
    }
  }

  #scheduleRenewal(): void {
    this.#cancel?.()
    this.#cancel = undefined
    const { is, session } = this.#state
    if (!this.#isRunning || is !== 'valid' || session.expiresAt === undefined) return
    const left = session.expiresAt - this.time.now()
    const spare = session.isRenewable ? Math.min(Math.max(left / 5, MIN_LEFT_MS), MAX_LEFT_MS) : 0
    this.#renewAfter(Math.max(0, left - spare))
  }

  #renewAfter(ms: number): void {
    this.#cancel = this.time.later(
      () => {
        const { is, session } = this.#state
        if (is === 'valid') void (session.isRenewable ? this.#renew() : this.check())
      },
      Math.min(ms, MAX_TIMER_MS),
    )
  }

  /** Renews the session, unless another tab did while this one waited for the lock. Never rejects. */
  async #renew(): Promise<void> {
    const { session } = this.#state
    try {
      await this.calls.withLock(async () => {
        const found = await this.calls.current()
        const isNewer = found && (found.user !== session.user || found.expiresAt !== session.expiresAt)
        const renewed = isNewer ? found : await this.calls.renew()
        if (renewed) this.#adopt(renewed)
        else if (found) this.#adopt({ ...found, isRenewable: false })
        else this.#change({ is: 'over', session })
      })
    } catch {
      // The server is away: try again later. By then the session may have ended.
      this.#cancel?.()
      if (this.#isRunning) this.#renewAfter(RETRY_MS)
    }
  }

  #adopt(found: Session): void {
    const { session } = this.#state
    this.#change(
      found.user === session.user
        ? { is: 'valid', session: found }
        : { is: 'another', session, other: found },
    )
    this.#scheduleRenewal()
  }

  #change(state: SessionState): void {
    this.#state = state
    for (const subscriber of this.#subscribers) subscriber(state)
  }
}
