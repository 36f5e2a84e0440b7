import type { RawExchange, RawSink, Upstream } from '../../ports/kube-api.js'
import { Unmarked } from './unmarked.js'

/** What is read at an index. */
export interface IndexRead {
  readonly target: string
  readonly accept: string
  readonly long: boolean
  /** What the index adds to each object. */
  readonly mark: string
  /** Whether the list names the state it shows, and what it must have reached; undefined where it does not say. */
  readonly showsAtLeast?: (resourceVersion: string) => boolean
}

/** An index answers from memory or one query: one that takes longer is in trouble. */
const HEAD_TIMEOUT_MS = 5_000
/** How long an answer may stand still while its reader waits. */
const IDLE_TIMEOUT_MS = 15_000
/** A list names its state before its items; what has not done so by now will not. */
const LIST_HEAD_BYTES = 4_096
const ITEMS = '"items"'

const OPENING = '{'.charCodeAt(0)
const FAILURE = '{"kind":"Status"'

/** Headers of an answer that are still true after it went through us: the length is not, once marks are taken out. */
const KEPT = new Set(['content-type', 'cache-control', 'date', 'audit-id', 'vary'])

/**
 * An answer of an index on its way to its reader. Unless it is a good one, `refused` is told why, once, before the sink
 * has heard anything, so that the same can still be asked elsewhere. After the head it is the sink's, whatever becomes of it.
 */
export class IndexAnswer implements RawSink {
  /** undefined before the head; the head while its object has not begun, or a list has not named its state; then `passing`, and `over`. */
  #stage: { readonly begin: () => void } | 'passing' | 'over' | undefined
  #waiting: Buffer[] = []
  #exchange: RawExchange | undefined
  readonly #unmarked: Unmarked

  constructor(
    readonly read: IndexRead,
    readonly sink: RawSink,
    readonly refused: (because: string) => void,
  ) {
    this.#unmarked = new Unmarked(read.mark)
  }

  askedOf(upstream: Upstream): RawExchange {
    const { target, accept, long } = this.read
    this.#exchange = upstream.send(
      {
        method: 'GET',
        path: target,
        headers: ['Accept', accept, 'User-Agent', 'kairship'],
        long,
        headTimeoutMs: HEAD_TIMEOUT_MS,
        ...(long ? {} : { idleTimeoutMs: IDLE_TIMEOUT_MS }),
      },
      this,
    )
    return this.#exchange
  }

  head(status: number, message: string, headers: readonly string[]): void {
    if (this.#stage === 'over') return
    const problem = problemOf(status, headers)
    if (problem !== undefined) {
      this.#refuse(problem)
      return
    }
    this.#stage = { begin: () => this.sink.head(status, message, keptOf(headers)) }
    // Whoever watches waits for the head; how anything else begins is looked at first.
    if (this.read.long) this.#begin()
  }

  data(chunk: Uint8Array): boolean {
    if (this.#stage === 'passing') return this.#pass(chunk)
    if (this.#stage === 'over') return true
    this.#waiting.push(Buffer.from(chunk))
    const start = Buffer.concat(this.#waiting)
    return this.#isEnough(start) ? this.#begin() : true
  }

  #isEnough(start: Buffer): boolean {
    if (!this.read.showsAtLeast) return start.length >= FAILURE.length
    return start.length >= LIST_HEAD_BYTES || start.includes(ITEMS)
  }

  end(): void {
    if (this.#stage !== 'passing' && this.#stage !== 'over') this.#begin()
    if (this.#stage === 'over') return
    this.#stage = 'over'
    const rest = this.#unmarked.end()
    if (rest.length > 0) this.sink.data(rest)
    this.sink.end()
  }

  failed(error: Error): void {
    if (this.#stage === 'over') return
    const begun = this.#stage === 'passing'
    this.#stage = 'over'
    if (begun) this.sink.failed(error)
    else this.refused(`it did not answer: ${error.message}`)
  }

  /** Lets the answer begin, unless it shows an older state than it must. */
  #begin(): boolean {
    const { showsAtLeast } = this.read
    const start = Buffer.concat(this.#waiting)
    if (!this.read.long && !isObject(start)) {
      this.#refuse('it answered 200 with what is no object')
      return true
    }
    if (showsAtLeast) {
      const [before = ''] = start.toString('latin1').split(ITEMS, 1)
      const version = /"resourceVersion":"(\d+)"/.exec(before)?.[1]
      const problem = version === undefined ? 'it does not know the type yet' : BEHIND
      if (version === undefined || !showsAtLeast(version)) {
        this.#refuse(problem)
        return true
      }
    }
    const stage = this.#stage
    this.#stage = 'passing'
    this.#waiting = []
    if (typeof stage === 'object') stage.begin()
    return start.length === 0 || this.#pass(start)
  }

  #pass(chunk: Uint8Array): boolean {
    const clean = this.#unmarked.push(chunk)
    return clean.length === 0 || this.sink.data(clean)
  }

  #refuse(because: string): void {
    this.#stage = 'over'
    this.#exchange?.abort(new Error(because))
    this.refused(because)
  }
}

/** Whether an answer begins as an object does, and not as one that says what failed, whatever its code is. */
const isObject = (start: Buffer): boolean =>
  start[0] === OPENING && start.toString('latin1', 0, FAILURE.length) !== FAILURE

/** Why a list is not passed on that shows an older state than it must. */
export const BEHIND = 'it is behind'
/** Why an index refuses an object, or a type that it does not know. */
export const NOT_FOUND = 'it answered 404'

/** Why an answer is not passed on. Only good ones are; that an object is not there, the instance says itself. */
function problemOf(status: number, headers: readonly string[]): string | undefined {
  if (status !== 200) return `it answered ${status}`
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index]?.toLowerCase()
    const value = headers[index + 1] ?? ''
    if (name === 'warning') return 'it says that it may be out of date'
    if (name === 'content-type' && !value.startsWith('application/json')) return `it answered with ${value}`
    if (name === 'content-encoding' && value !== 'identity') return `it answered in ${value}`
  }
  return undefined
}

function keptOf(headers: readonly string[]): string[] {
  const kept: string[] = []
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const [name = '', value = ''] = [headers[index], headers[index + 1]]
    if (KEPT.has(name.toLowerCase())) kept.push(name, value)
  }
  return kept
}
