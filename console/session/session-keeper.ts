import { type Clock, clock } from '../live/clock.js'
import type { Session } from './session.js'

/** Of a session's time, what is left when it is renewed, at least and at most; milliseconds. A request takes some of it, and may fail once. */
const LEAST_LEFT_MS = 20_000
const MOST_LEFT_MS = 120_000
/** After a renewal that the network lost. */
const AGAIN_MS = 10_000
/** Browsers' timers hold 31 bits. */
const LONGEST_MS = 2_147_000_000

/** What a keeper asks the server. Each may reject where the server is away. */
export interface SessionCalls {
  current(): Promise<Session | undefined>
  renew(): Promise<Session | undefined>
  /** Runs `work` while no other tab of the browser does. */
  alone(work: () => Promise<void>): Promise<void>
}

/** How the session of the page is. */
export type SessionState =
  | { readonly is: 'valid'; readonly session: Session }
  /** Its token has ended: the server answers nothing more before somebody signs in. */
  | { readonly is: 'over'; readonly session: Session }
  /** Somebody else signed in, in this or in another tab. */
  | { readonly is: 'another'; readonly session: Session; readonly other: Session }

/** Keeps one session alive while its page is open, and says when it is over. */
export class SessionKeeper {
  #state: SessionState
  #cancel: (() => void) | undefined
  #looking: Promise<void> | undefined
  #isRunning = false
  readonly #readers = new Set<(state: SessionState) => void>()

  constructor(
    session: Session,
    private readonly calls: SessionCalls,
    private readonly time: Clock = clock,
  ) {
    this.#state = { is: 'valid', session }
  }

  /** The same object until something changes. */
  readonly state = (): SessionState => this.#state

  readonly whenChanged = (reader: (state: SessionState) => void): (() => void) => {
    this.#readers.add(reader)
    return () => void this.#readers.delete(reader)
  }

  start(): void {
    this.#isRunning = true
    this.#plan()
  }

  stop(): void {
    this.#isRunning = false
    this.#cancel?.()
    this.#cancel = undefined
  }

  /** Somebody may have signed in or out, a request was refused as of nobody, or the machine has slept. It never rejects. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined
    })
    return this.#looking
  }

  async #look(): Promise<void> {
    try {
      const found = await this.calls.current()
      if (found) this.#found(found)
      // Its token may have ended while nobody looked, and the session not. One that is over stays so until somebody signs in.
      else if (this.#state.is === 'valid') await this.#renew()
    } catch {
      // The server is away: what was known of the session still counts, and the next refusal asks again.
    }
  }

  #plan(): void {
    this.#cancel?.()
    this.#cancel = undefined
    const { is, session } = this.#state
    if (!this.#isRunning || is !== 'valid' || session.expiresAt === undefined) return
    const left = session.expiresAt - this.time.now()
    const spare = session.isRenewable ? Math.min(Math.max(left / 5, LEAST_LEFT_MS), MOST_LEFT_MS) : 0
    this.#later(Math.max(0, left - spare))
  }

  #later(ms: number): void {
    this.#cancel = this.time.later(
      () => {
        const { is, session } = this.#state
        if (is === 'valid') void (session.isRenewable ? this.#renew() : this.look())
      },
      Math.min(ms, LONGEST_MS),
    )
  }

  /** Another tab may have renewed it while this one waited for its turn. It never rejects. */
  async #renew(): Promise<void> {
    const { session } = this.#state
    try {
      await this.calls.alone(async () => {
        const found = await this.calls.current()
        const isNewer = found && (found.user !== session.user || found.expiresAt !== session.expiresAt)
        const renewed = isNewer ? found : await this.calls.renew()
        if (renewed) this.#found(renewed)
        else if (found) this.#found({ ...found, isRenewable: false })
        else this.#change({ is: 'over', session })
      })
    } catch {
      // The server is away. The session may still be renewed, or end; either is found out then.
      this.#cancel?.()
      if (this.#isRunning) this.#later(AGAIN_MS)
    }
  }

  #found(found: Session): void {
    const { session } = this.#state
    this.#change(
      found.user === session.user
        ? { is: 'valid', session: found }
        : { is: 'another', session, other: found },
    )
    this.#plan()
  }

  #change(state: SessionState): void {
    this.#state = state
    for (const reader of this.#readers) reader(state)
  }
}
