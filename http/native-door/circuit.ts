import type { Upstream } from '../../ports/kube-api.js'
import { unavailable } from '../failure.js'
import { guarded } from './guarded.js'

/** Whether an instance is asked at all: always; not for now; by one request, on whose outcome it depends. */
export type CircuitState = 'closed' | 'open' | 'halfOpen'

/** What became of one request, told at most once each way. Only the transport counts: an answer is an answer, also a 500. */
export interface Attempt {
  /** The head of an answer, or a socket, was there. */
  answered(): void
  /** There was none: refused, reset, no answer in time. */
  broke(): void
  /** The request is over, and may have been given up before either was known. */
  over(): void
}

/** Who wants to know when a circuit changes. */
export type CircuitChanged = (from: CircuitState, to: CircuitState) => void

/** Requests in a row that found nobody, after which nobody is looked for. One could be a socket that was just closing. */
const BREAKS_TO_OPEN = 5
/** The first pause. Each that ends in vain doubles the next. */
const FIRST_PAUSE_MS = 1_000
/** The longest pause: an actor looks at its instance this often too, so nobody hears of its recovery much later. */
const LONGEST_PAUSE_MS = 10_000
/** A request that tries the instance may be slow by itself. After this long another may try as well. */
const TRIAL_MS = 10_000

/**
 * Refuses at once what would only wait for an instance that cannot be reached, so that its callers hear it in time and hold
 * nothing meanwhile.
 */
export class Circuit {
  #state: CircuitState = 'closed'
  #breaks = 0
  #pauseMs = FIRST_PAUSE_MS
  /** While open: when a request may try. While half open: when another may. */
  #until = 0
  /** Shared by all requests of a closed circuit, which is the common case and costs nothing. */
  readonly #ordinary: Attempt

  constructor(
    readonly now: () => number,
    readonly changed: CircuitChanged = () => undefined,
  ) {
    this.#ordinary = {
      answered: () => this.#close(),
      broke: () => this.#broke(),
      over: () => undefined,
    }
  }

  get state(): CircuitState {
    return this.#state
  }

  /** @throws Failure UNAVAILABLE while the circuit is open, with the time after which to ask again */
  enter(): Attempt {
    if (this.#state === 'closed') return this.#ordinary
    const waitMs = this.#until - this.now()
    if (waitMs > 0) {
      throw unavailable(
        `the instance could not be reached ${BREAKS_TO_OPEN} times in a row and is left alone for a moment`,
        { retryAfterSeconds: Math.ceil(waitMs / 1_000) },
      )
    }
    return this.#trial()
  }

  #trial(): Attempt {
    this.#until = this.now() + TRIAL_MS
    this.#turn('halfOpen')
    let known = false
    return {
      answered: () => {
        known = true
        this.#close()
      },
      broke: () => {
        known = true
        if (this.#state !== 'halfOpen') return
        this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS)
        this.#open()
      },
      // Given up by who asked: nothing is known, and the next may try.
      over: () => {
        if (!known && this.#state === 'halfOpen') this.#until = 0
      },
    }
  }

  /** Whoever was answered, the instance can be reached. */
  #close(): void {
    this.#breaks = 0
    if (this.#state === 'closed') return
    this.#pauseMs = FIRST_PAUSE_MS
    this.#turn('closed')
  }

  /** Late breaks of requests from before are no news once the circuit is open. */
  #broke(): void {
    if (this.#state !== 'closed' || ++this.#breaks < BREAKS_TO_OPEN) return
    this.#open()
  }

  #open(): void {
    this.#until = this.now() + this.#pauseMs
    this.#turn('open')
  }

  #turn(to: CircuitState): void {
    const from = this.#state
    if (from === to) return
    this.#state = to
    this.changed(from, to)
  }
}

/** One circuit for each instance, as long as it is reached over the same connection: new credentials or a new address begin anew. */
export class Circuits {
  readonly #guards = new Map<
    string,
    { readonly behind: Upstream; readonly circuit: Circuit; readonly upstream: Upstream }
  >()

  constructor(
    readonly now: () => number,
    readonly changed: (instance: string, ...change: Parameters<CircuitChanged>) => void,
  ) {}

  /** The instance's endpoint behind its circuit. */
  guard(instance: string, behind: Upstream): Upstream {
    const found = this.#guards.get(instance)
    if (found?.behind === behind) return found.upstream
    this.#forget(instance)
    const circuit: Circuit = new Circuit(this.now, (from, to) => {
      if (this.#guards.get(instance)?.circuit === circuit) this.changed(instance, from, to)
    })
    const upstream = guarded(behind, circuit)
    this.#guards.set(instance, { behind, circuit, upstream })
    return upstream
  }

  /** Forgets those of instances that are gone. */
  keepOnly(isThere: (instance: string) => boolean): void {
    for (const instance of this.#guards.keys()) if (!isThere(instance)) this.#forget(instance)
  }

  /** Nothing is left alone by a circuit that is no more. */
  #forget(instance: string): void {
    const state = this.#guards.get(instance)?.circuit.state ?? 'closed'
    this.#guards.delete(instance)
    if (state !== 'closed') this.changed(instance, state, 'closed')
  }
}
