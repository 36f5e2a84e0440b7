import type { RawExchange, RawSink, Sender } from '../../../ports/kube-api.js'
import { eachHeader, valuesOf } from '../../../ports/raw-headers.js'
import { MarkRemover } from './mark-remover.js'

/** What is read at an index. */
export interface IndexRead {
  readonly target: string
  readonly accept: string
  readonly long: boolean
  /** What the index adds to each object. */
  readonly mark: string
  /** The instance cannot be reached, so a Warning of the index that it may be out of date is no reason against it. */
  readonly mayBeOld?: boolean
  /** Whether a list that names the state it shows has reached what it must; absent where lists name none. */
  readonly showsAtLeast?: (resourceVersion: string) => boolean
  /** A list that names no state may be empty because the index lost its objects, so it is not passed on. */
  readonly refuseEmpty?: boolean
}

/** An index answers from memory or one query: one that takes longer is in trouble. */
export const HEAD_TIMEOUT_MS = 5_000
/** How long an answer may bring nothing while its reader waits for it. */
const IDLE_TIMEOUT_MS = 15_000
/** A list names its state before its items; what has not done so by now will not. */
const LIST_HEAD_BYTES = 4_096
const ITEMS = '"items"'
/** The start of a list's items, as far as it says whether there is one. */
const FIRST_ITEM = /^\s*:\s*(?:null|\[\s*(\S))/

const OPENING = '{'.charCodeAt(0)
const FAILURE = '{"kind":"Status"'

/** Headers of an answer that are still true after it went through us: the length is not, once marks are taken out. Each once. */
const KEPT = new Set(['content-type', 'cache-control', 'date', 'audit-id', 'vary'])

/**
 * An answer of an index on its way to its reader. Where it is no good one, `refused` is called once with the reason, before
 * the sink has received anything, so that the read can still be sent elsewhere. After the head it is passed on as it comes.
 */
export class IndexAnswer implements RawSink {
  /** undefined before the head; the head while its object has not begun, or a list has not named its state; then `passing`, and `over`. */
  #stage: { readonly begin: () => void } | 'passing' | 'over' | undefined
  #waiting: Buffer[] = []
  #exchange: RawExchange | undefined
  readonly #unmarked: MarkRemover

  constructor(
    readonly read: IndexRead,
    readonly sink: RawSink,
    readonly refused: (because: string) => void,
  ) {
    this.#unmarked = new MarkRemover(read.mark)
  }

  readFrom(upstream: Sender): RawExchange {
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
    const problem = problemOf(status, headers, this.read.mayBeOld)
    if (problem !== undefined) {
      this.#refuse(problem)
      return
    }
    this.#stage = { begin: () => this.sink.head(status, message, keptOf(headers)) }
    // The reader of a watch waits for its head; the beginning of anything else is checked first.
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
    const { showsAtLeast, refuseEmpty } = this.read
    if (!showsAtLeast && !refuseEmpty) return start.length >= FAILURE.length
    if (start.length >= LIST_HEAD_BYTES) return true
    return refuseEmpty ? hasItems(start) !== undefined : start.includes(ITEMS)
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
    const { showsAtLeast, refuseEmpty } = this.read
    const start = Buffer.concat(this.#waiting)
    if (!this.read.long && !isObject(start)) {
      this.#refuse('it answered 200 with what is no object')
      return true
    }
    if (refuseEmpty && !hasItems(start)) {
      this.#refuse(EMPTY)
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

/** Whether a list has items; undefined while that is not known. */
function hasItems(start: Buffer): boolean | undefined {
  const at = start.indexOf(ITEMS)
  const found = at < 0 ? null : FIRST_ITEM.exec(start.toString('latin1', at + ITEMS.length, at + 256))
  return found ? found[1] === '{' : undefined
}

/** Why an empty list is not passed on: whether the objects are gone or the index lost them, only the instance knows. */
export const EMPTY = 'it shows no objects'
/** Why a list is not passed on that shows an older state than it must. */
export const BEHIND = 'it is behind'
/** Why an index refuses an object, or a type that it does not know. */
export const NOT_FOUND = 'it answered 404'

/** Why an answer is not passed on. Only good ones are; that an object is not there, the instance says itself. */
function problemOf(status: number, headers: readonly string[], mayBeOld = false): string | undefined {
  if (status !== 200) return `it answered ${status}`
  if (!mayBeOld && valuesOf(headers, 'warning').length > 0) return 'it says that it may be out of date'
  const type = valuesOf(headers, 'content-type').find(value => !value.startsWith('application/json'))
  if (type !== undefined) return `it answered with ${type}`
  const encoding = valuesOf(headers, 'content-encoding').find(value => value !== 'identity')
  return encoding === undefined ? undefined : `it answered in ${encoding}`
}

function keptOf(headers: readonly string[]): string[] {
  const kept: string[] = []
  const seen = new Set<string>()
  eachHeader(headers, (name, value) => {
    const key = name.toLowerCase()
    // The host's API server sets its own, and then adds those of the index's server behind it.
    if (!KEPT.has(key) || seen.has(key)) return
    seen.add(key)
    kept.push(name, value)
  })
  return kept
}
