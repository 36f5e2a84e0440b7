import { unavailable } from '../../errors/failure.js'

/** Whether requests are sent: all; none for now; one, on whose outcome it depends. */
export type CircuitState = 'closed' | 'open' | 'halfOpen'

/** What became of one request, reported at most once each way. Only the transport counts: a 500 is an answer as well. */
export interface Attempt {
  /** The head of an answer, or a socket, was there. */
  answered(): void
  /** There was none: refused, reset, no answer in time. */
  broke(): void
  /** The request is over, and may have been given up before either was known. */
  over(): void
}

/** Called when a circuit changes. */
export type CircuitChanged = (from: CircuitState, to: CircuitState) => void

/** What a circuit stands before. */
export interface CircuitOptions {
  /** How it is called in errors, e.g. `the instance`. */
  readonly server: string
  /** Requests in a row that got no answer, after which none is sent. */
  readonly breaksToOpen: number
  /**
   * Finds out whether the server answers, without a caller's request. Absent where only callers' requests can. It never
   * rejects.
   */
  readonly probe?: () => Promise<boolean>
}

/** One break could be a socket that was just closing. */
const BREAKS_TO_OPEN = 5
/** The first pause, in milliseconds. Each failed trial doubles the next. */
const FIRST_PAUSE_MS = 1_000
/** The longest pause, which is how often an actor probes its instance: a recovery is found out as soon as there. */
const LONGEST_PAUSE_MS = 10_000
/** A request that tries the instance may be slow by itself. After this long another may try as well. */
const TRIAL_MS = 10_000

/** Refuses at once what would only wait for a server that does not answer, so that callers hold nothing meanwhile. */
export class Circuit {
  #state: CircuitState = 'closed'
  #breaks = 0
  #pauseMs = FIRST_PAUSE_MS
  /** While open: when a request may try. While half open: when another may. */
  #until = 0
  /** Why it is open. */
  #because = ''
  /** It was opened because the server hangs: then no caller's request is spent on trying it. */
  #hangs = false
  /** Shared by all requests of a closed circuit, which is the common case and costs nothing. */
  readonly #ordinary: Attempt

  constructor(
    readonly now: () => number,
    readonly changed: CircuitChanged = () => undefined,
    readonly options: CircuitOptions = { server: 'the instance', breaksToOpen: BREAKS_TO_OPEN },
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
    this.look()
    const waitMs = this.#until - this.now()
    if (waitMs > 0) {
      const message = `${this.#because}; requests are refused for a moment`
      throw unavailable(message, {
        reason: 'InstanceUnreachable',
        retryAfterSeconds: Math.ceil(waitMs / 1_000),
      })
    }
    return this.#trial()
  }

  /** Looks whether a server that hung answers again, when the pause is over. No request waits for it. */
  look(): void {
    const { probe } = this.options
    if (!probe || !this.#hangs || this.#state === 'closed' || this.now() < this.#until) return
    const trial = this.#trial()
    void probe().then(answers => {
      if (answers) trial.answered()
      else trial.broke()
    })
  }

  /** Opens: the server keeps connections and answers nothing on them. */
  hung(because: string): void {
    this.#because = because
    this.#hangs = true
    if (this.#state === 'closed') this.#open()
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
      // Given up by its caller: nothing is known, and the next may try.
      over: () => {
        if (!known && this.#state === 'halfOpen') this.#until = 0
      },
    }
  }

  /** An answer to any caller shows that the instance can be reached. */
  #close(): void {
    this.#breaks = 0
    if (this.#state === 'closed') return
    this.#pauseMs = FIRST_PAUSE_MS
    this.#turn('closed')
  }

  /** Late breaks of requests from before are no news once the circuit is open. */
  #broke(): void {
    const { server, breaksToOpen, probe } = this.options
    if (this.#state !== 'closed' || ++this.#breaks < breaksToOpen) return
    const times = breaksToOpen === 1 ? '' : ` ${breaksToOpen} times in a row`
    this.#because = `${server} could not be reached${times}`
    // One that opens at the first break costs callers least when none of them has to try.
    this.#hangs = probe !== undefined && breaksToOpen === 1
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
