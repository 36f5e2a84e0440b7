import { StatusError } from '../../../manifests/status-error.js'
import { orAborted } from '../../../ports/cancellation.js'
import {
  type RawExchange,
  type RawRequest,
  type RawSink,
  type Sender,
  UnreachableError,
  type UpgradeRequest,
  type UpgradeSink,
  type Upstream,
} from '../../../ports/kube-api.js'
import { deadlineExceeded } from '../../errors/failure.js'
import type { Place } from '../../live/in-flight.js'
import { PassingSink } from '../exchange/passing-sink.js'
import type { Attempt, Circuit } from './circuit.js'
import { HangWatch, type Waiting } from './hang-watch.js'
import { answersAt } from './life-sign.js'
import { neverSent } from './never-sent.js'
import { isOfTransport } from './transport-error.js'

/** What stands behind a circuit: an instance's API server, or its index. */
export interface Guarding {
  readonly behind: Sender
  readonly circuit: Circuit
  /** A path that the server answers as long as it answers anything. */
  readonly lifeSign: string
  /**
   * How long the head of an answer took says nothing of the server: a caller may ask for something behind it that never
   * answers. Whether the server hangs, its signs of life say.
   */
  readonly slowIsNoBreak?: boolean
  /** The circuits of parts of the server that are other programs, and may hang by themselves; absent for none. */
  readonly parts?: Parts
  readonly now: () => number
}

/** Parts of a server, such as its aggregated APIs, by the path of their discovery. */
export interface Parts {
  /** The part that answers this path; undefined for the server itself. */
  of(path: string): string | undefined
  /** The circuit of a part that hung; undefined for one that did not. */
  find(part: string): Circuit | undefined
  hung(part: string): void
}

/** An endpoint that gets no requests while its circuit is open, and whose circuit learns from the requests. */
export class GuardedSender implements Sender {
  readonly #watch: HangWatch
  /** Whether something was answered since the last look. */
  readonly #answers = { seen: false }

  constructor(readonly guarding: Guarding) {
    this.#watch = new HangWatch(guarding.now, paths => this.#check(paths))
  }

  /** Whether requests are let through. While they are not, it is found out in the background whether they could be. */
  get admits(): boolean {
    const { circuit } = this.guarding
    circuit.look()
    return circuit.state === 'closed'
  }

  send(request: RawRequest, sink: RawSink): RawExchange {
    return this.guard(request.path, sink, attempt =>
      this.guarding.behind.send(request, new Watched(sink, attempt)),
    )
  }

  /** Begins a request whose sink reports to an attempt. */
  protected guard(
    path: string,
    sink: RawSink,
    begin: (attempt: ReportedAttempt) => RawExchange,
  ): RawExchange {
    let attempt: Attempt
    try {
      attempt = this.#enter(path)
    } catch (error) {
      sink.failed(neverSent(error as Error))
      return NEVER_SENT
    }
    const reported = new GuardedAttempt(attempt, path, this.guarding.slowIsNoBreak ?? false, this.#answers)
    reported.exchange = begin(reported)
    if (!reported.isOver) reported.place = this.#watch.add(reported)
    return reported.exchange
  }

  /**
   * Runs a request of another kind behind the circuit.
   * @throws Failure UNAVAILABLE while the circuit is open, or DEADLINE_EXCEEDED when the server is found to hang; what the
   * request throws
   */
  async ask<T>(path: string, request: () => Promise<T>): Promise<T> {
    const attempt = this.#enter(path)
    const hanging = new AbortController()
    const place = this.#watch.add({ path, giveUp: error => hanging.abort(error) })
    try {
      const answer = await orAborted(request(), hanging.signal)
      this.#answers.seen = true
      attempt.answered()
      return answer
    } catch (error) {
      if (error instanceof StatusError) attempt.answered()
      else if (error instanceof UnreachableError || isOfTransport(error as Error)) attempt.broke()
      throw error
    } finally {
      place.leave()
      attempt.over()
    }
  }

  /** Ends what waits for an answer. */
  giveUp(because: string): void {
    this.#watch.giveUp(
      () => true,
      () => deadlineExceeded(because),
    )
  }

  #enter(path: string): Attempt {
    const { circuit, parts } = this.guarding
    const part = parts?.of(path)
    const ofPart = part === undefined ? undefined : parts?.find(part)
    if (!ofPart) return circuit.enter()
    // Only whether it may be sent: whether the part answers again, its probe finds out.
    ofPart.enter()
    return circuit.enter()
  }

  /** Asks for signs of life of what requests wait for, and gives up what shows none. */
  async #check(paths: readonly string[]): Promise<void> {
    const { behind, circuit, lifeSign, parts } = this.guarding
    this.#answers.seen = false
    const suspects = new Set(paths.map(path => parts?.of(path)).filter(part => part !== undefined))
    const [answers, ...ofParts] = await Promise.all([
      answersAt(behind, lifeSign),
      ...[...suspects].map(async part => ({ part, answers: await answersAt(behind, part) })),
    ])
    if (!answers && !this.#answers.seen) {
      const because = `${circuit.options.server} does not answer: nothing came for ${lifeSign} either`
      circuit.hung(because)
      this.giveUp(because)
      return
    }
    for (const { part, answers } of ofParts) {
      if (answers) continue
      const because = `${circuit.options.server} answers, but ${part} behind it does not`
      parts?.hung(part)
      this.#watch.giveUp(
        path => parts?.of(path) === part,
        () => deadlineExceeded(because),
      )
    }
  }
}

/** An instance's endpoint, where requests may also be upgraded. */
export class GuardedUpstream extends GuardedSender implements Upstream {
  constructor(override readonly guarding: Guarding & { readonly behind: Upstream }) {
    super(guarding)
  }

  upgrade(request: UpgradeRequest, sink: UpgradeSink): RawExchange {
    const { behind } = this.guarding
    return this.guard(request.path, sink, attempt =>
      behind.upgrade(request, new WatchedUpgrade(sink, attempt)),
    )
  }
}

/** An attempt that also gets the error by which it broke. */
interface ReportedAttempt extends Omit<Attempt, 'broke'> {
  broke(error: Error & { readonly code?: unknown }): void
}

/** What a request reports: to the circuit, and that nothing has to watch it any more. */
class GuardedAttempt implements ReportedAttempt, Waiting {
  exchange: RawExchange | undefined
  isOver = false
  /** Among those that are watched; absent while it is not. */
  place: Place | undefined

  constructor(
    private readonly attempt: Attempt,
    readonly path: string,
    private readonly slowIsNoBreak: boolean,
    private readonly answers: { seen: boolean },
  ) {}

  giveUp(error: Error): void {
    this.exchange?.abort(error)
  }

  answered(): void {
    this.answers.seen = true
    this.attempt.answered()
  }

  broke(error: Error & { readonly code?: unknown }): void {
    // It is over, whatever else is given up for it.
    this.place?.leave()
    if (!(this.slowIsNoBreak && error.code === HEAD_TIMEOUT)) this.attempt.broke()
  }

  over(): void {
    this.isOver = true
    this.place?.leave()
    this.attempt.over()
  }
}

/** undici's code for a head that did not come in time, over a connection that was there. */
const HEAD_TIMEOUT = 'UND_ERR_HEADERS_TIMEOUT'

const NEVER_SENT: RawExchange = { resume: () => undefined, abort: () => undefined }

/** Passes an answer on, and reports it to the circuit. */
class Watched extends PassingSink {
  #headSeen = false

  constructor(
    sink: RawSink,
    readonly attempt: ReportedAttempt,
  ) {
    super(sink)
  }

  override head(status: number, message: string, headers: readonly string[]): void {
    this.#headSeen = true
    this.attempt.answered()
    this.attempt.over()
    super.head(status, message, headers)
  }

  override failed(error: Error): void {
    if (!this.#headSeen) {
      if (isOfTransport(error)) this.attempt.broke(error)
      this.attempt.over()
    }
    super.failed(error)
  }
}

/** The same of an upgrade, whose 101 is an answer, too. */
class WatchedUpgrade extends Watched implements UpgradeSink {
  constructor(
    readonly upgradeSink: UpgradeSink,
    attempt: ReportedAttempt,
  ) {
    super(upgradeSink, attempt)
  }

  switched(...answer: Parameters<UpgradeSink['switched']>): void {
    this.attempt.answered()
    this.attempt.over()
    this.upgradeSink.switched(...answer)
  }
}
