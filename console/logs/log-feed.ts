import {
  type StreamWorkloadLogsResponse,
  StreamWorkloadLogsResponse_Type as Type,
} from '../../proto/gen/kairship/workload_pods_pb.js'
import { type Clock, clock } from '../live/clock.js'
import { type Followed, follow } from '../live/follow.js'
import { type LogLine, LogLines } from './log-lines.js'

/** What a screen shows of a log. */
export interface LogView {
  readonly rows: readonly LogLine[]
  /** Rows that were dropped because there were too many. */
  readonly dropped: number
  /** `reading`: earlier lines are on their way. `ended`: there is nothing more to come. `broken`: it is tried again. */
  readonly state: 'connecting' | 'reading' | 'following' | 'ended' | 'broken' | 'refused'
  readonly problem?: Error
}

/** A log that was not read for so long has a row that says so, milliseconds: lines of pods that are gone, and of rotated files, cannot be read later. */
export const GAP_MS = 10_000
/** A container's lines come at most so much later than another's, milliseconds, but for those of members that cannot be read: a row says that. */
export const LATE_MS = 60_000

/** Readers are called so often at most, milliseconds. */
const FRAME_MS = 100

type Message = Pick<
  StreamWorkloadLogsResponse,
  'type' | 'cluster' | 'pod' | 'container' | 'time' | 'text' | 'truncated' | 'message'
>

/** Where log lines come from. @param since RFC 3339: only lines since then; absent in the first stream */
export type OpenLog = (since: string | undefined, signal: AbortSignal) => AsyncIterable<Message>

export interface LogFeedOptions {
  /** Goes on with new lines, and begins again where the stream breaks. */
  readonly follow: boolean
  /** Whether trying again cannot help: the server refused. */
  readonly isFinal: (error: Error) => boolean
  readonly time?: Clock
  readonly lines?: LogLines
}

/**
 * The merged log of a workload, read until it is stopped. A stream that broke goes on after the last line of each container, without lines
 * twice: it requests those since the container that is furthest behind and leaves out those it has.
 */
export class LogFeed {
  readonly #lines: LogLines
  readonly #time: Clock
  #view: LogView = { rows: [], dropped: 0, state: 'connecting' }
  #run: AbortController | undefined
  #cancelFrame: (() => void) | undefined
  /** Of each container, the time of its last line. */
  readonly #last = new Map<string, string>()
  /** The same when the stream began: what is not newer is here already. */
  #had: ReadonlyMap<string, string> = new Map()
  /** Since when it is not read; undefined while it is. */
  #leftAt: number | undefined
  readonly #readers = new Set<() => void>()

  constructor(
    private readonly open: OpenLog,
    private readonly options: LogFeedOptions,
  ) {
    this.#lines = options.lines ?? new LogLines()
    this.#time = options.time ?? clock
  }

  /** The same object until something changes. */
  readonly view = (): LogView => this.#view

  readonly subscribe = (reader: () => void): (() => void) => {
    this.#readers.add(reader)
    return () => void this.#readers.delete(reader)
  }

  start(): void {
    if (this.#run || this.#view.state === 'ended') return
    this.#run = new AbortController()
    const stream: Followed = {
      read: (signal, answered) => this.#read(signal, answered),
      broken: problem => this.#broken(problem),
    }
    void follow(stream, this.#run.signal, { time: this.#time })
  }

  /** Keeps what was read; `start` goes on after it. */
  stop(): void {
    if (this.#run) this.#leftAt ??= this.#time.now()
    this.#run?.abort()
    this.#run = undefined
    this.#cancelFrame?.()
    this.#cancelFrame = undefined
    this.#show()
  }

  /** Forgets the rows that are shown. */
  clear(): void {
    this.#lines.clear()
    this.#show()
  }

  async #read(signal: AbortSignal, answered: () => void): Promise<'again' | 'over'> {
    this.#had = new Map(this.#last)
    for await (const message of this.open(sinceOf([...this.#had.values()]), signal)) {
      // A stream that was stopped may still have messages; the next one brings them again.
      if (signal.aborted) return 'over'
      answered()
      this.#take(message)
    }
    if (this.options.follow) return 'again'
    this.#state('ended')
    return 'over'
  }

  #broken(problem: Error): 'again' | 'over' {
    this.#leftAt ??= this.#time.now()
    const isFinal = this.options.isFinal(problem)
    this.#state(isFinal ? 'refused' : 'broken', problem)
    return isFinal ? 'over' : 'again'
  }

  #take({ type, cluster, pod, container, time, text, truncated, message }: Message): void {
    this.#sayGap()
    const of = { cluster, pod, container }
    if (type === Type.LINE) {
      const key = `${cluster}/${pod}/${container}`
      if (time !== '' && inOrder(time, this.#had.get(key) ?? '') <= 0) return
      this.#last.set(key, time)
      this.#lines.add({ ...of, kind: 'line', time, text, truncated })
    }
    const notice = notices[type]
    if (notice) this.#lines.add({ ...of, kind: notice, time: '', text: message, truncated: false })
    this.#state(type === Type.FOLLOWING || this.#view.state === 'following' ? 'following' : 'reading')
  }

  #sayGap(): void {
    const { now } = this.#time
    const unreadMs = this.#leftAt === undefined ? 0 : now() - this.#leftAt
    this.#leftAt = undefined
    if (unreadMs < GAP_MS || this.#last.size === 0) return
    const nowhere = { cluster: '', pod: '', container: '' }
    this.#lines.add({ ...nowhere, kind: 'gap', time: '', text: '', truncated: false })
  }

  #state(state: LogView['state'], problem?: Error): void {
    const { problem: _, ...view } = this.#view
    this.#view = { ...view, state, ...(problem && { problem }) }
    this.#cancelFrame ??= this.#time.later(() => {
      this.#cancelFrame = undefined
      this.#show()
    }, FRAME_MS)
  }

  #show(): void {
    this.#view = { ...this.#view, rows: this.#lines.rows(), dropped: this.#lines.dropped }
    for (const reader of this.#readers) reader()
  }
}

/**
 * Since when lines are not here yet; undefined where none are. A container that writes nothing is not behind for that: `LATE_MS` bounds how much of the
 * others is read again for it.
 * @param last of each container, the time of its last line
 */
function sinceOf(last: readonly string[]): string | undefined {
  const times = last.filter(time => time !== '').sort(inOrder)
  const [oldest, newest] = [times[0], times.at(-1)]
  if (oldest === undefined || newest === undefined) return undefined
  const late = new Date(Date.parse(newest) - LATE_MS).toISOString()
  return inOrder(oldest, late) < 0 ? late : oldest
}

/** Compares times of one form as text. Digits of a second may be left out at the end: without the zone they compare all the same. */
function inOrder(one: string, other: string): number {
  const [a, b] = [one.replace(/Z$/, ''), other.replace(/Z$/, '')]
  return a < b ? -1 : a > b ? 1 : 0
}

const notices: Readonly<Partial<Record<Type, 'joined' | 'ended' | 'unread'>>> = {
  [Type.JOINED]: 'joined',
  [Type.ENDED]: 'ended',
  [Type.UNREAD]: 'unread',
}
