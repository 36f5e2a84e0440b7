import { performance } from 'node:perf_hooks'

/**
 * How long answers and events are worked on before everything else has a turn of the event loop, milliseconds. While a fleet comes up beside a
 * proxy, a get waits for about three turns, of which each is this, the last piece of work begun, and what the sockets brought meanwhile.
 */
const TURN_MS = 2

/** The clock and the event loop; a test replaces them. */
export interface TurnsOptions {
  /** Milliseconds of a clock that does not jump. */
  readonly now?: () => number
  /** Calls back after the event loop has looked at its sockets and timers. */
  readonly nextTurn?: (begin: () => void) => void
}

/**
 * Divides the work that follows from answers and watch events over turns of the event loop. What comes in one read of a socket, which can be
 * dozens of watch events of 2 ms each, would be worked on in microtasks, one after the other, and meanwhile more comes in: callers of the proxy
 * were answered after seconds (docs/adr/0096-work-is-divided-over-turns.md).
 */
export class Turns {
  readonly #now: () => number
  readonly #nextTurn: (begin: () => void) => void
  #beganAt: number | undefined
  /** Who waits, in the order of asking. Each is called once: thousands that would look again in each turn took more time than their work. */
  readonly #waiting = new Set<() => void>()

  constructor({
    now = () => performance.now(),
    nextTurn = begin => void setImmediate(begin),
  }: TurnsOptions = {}) {
    this.#now = now
    this.#nextTurn = nextTurn
  }

  /** Whether this turn has been worked in for long enough. It begins with the first that asks, who may always go on. */
  isOver(): boolean {
    const now = this.#now()
    if (this.#beganAt === undefined) {
      this.#beganAt = now
      this.#nextTurn(() => {
        this.#beganAt = undefined
        this.#letGoOn()
      })
      return false
    }
    return now - this.#beganAt >= TURN_MS
  }

  /**
   * Resolves in a turn that is not over, in the order of asking. Where a turn is seldom over, ask `isOver` first: a promise costs more.
   * @param signal ends the wait: who hands the lease over would wait behind thousands for the end of work that it has given up
   * @throws the reason of `signal` when it aborts before that
   */
  async mine(signal?: AbortSignal): Promise<void> {
    if (!this.isOver()) return
    signal?.throwIfAborted()
    await new Promise<void>((resolve, reject) => {
      const abandon = (): void => {
        this.#waiting.delete(goOn)
        reject(signal?.reason)
      }
      const goOn = (): void => {
        signal?.removeEventListener('abort', abandon)
        resolve()
      }
      signal?.addEventListener('abort', abandon, { once: true })
      this.#waiting.add(goOn)
    })
  }

  /** One after the other, each when the one before has done its work, until the turn is over. */
  #letGoOn(): void {
    const [first] = this.#waiting
    if (first === undefined || this.isOver()) return
    this.#waiting.delete(first)
    first()
    // What follows from an answer is done in microtasks; a tick that is asked for in one comes after all of them.
    queueMicrotask(() => process.nextTick(() => this.#letGoOn()))
  }
}

/** Those of this process: it has one event loop. */
export const TURNS = new Turns()
