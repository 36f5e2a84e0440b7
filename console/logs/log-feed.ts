import {
  type StreamWorkloadLogsResponse,
  StreamWorkloadLogsResponse_Type as Type,
} from '../../proto/gen/kairship/workload_pods_pb.js'
import { type Clock, clock } from '../live/clock.js'
import { type Followed, follow } from '../live/follow.js'
import { type LogLine, LogLines } from './log-lines.js'

/** The visible part of a log. */
export interface LogView {
  readonly rows: readonly LogLine[]
  /** The number of rows that were dropped because there were too many. */
  readonly dropped: number
  /** `reading`: earlier lines are being read. `ended`: no more lines follow. `broken`: the stream is retried. */
  readonly state: 'connecting' | 'reading' | 'following' | 'ended' | 'broken' | 'refused'
  readonly problem?: Error
}

/** A row says so where the log was not read for so long, milliseconds: lines of deleted pods and rotated files cannot be read later. */
export const GAP_MS = 10_000
/**
 * The most by which lines of one container come later than those of another, milliseconds, except from members that cannot be read, which a row
 * reports.
 */
export const LATE_MS = 60_000

/** The shortest time between two calls of subscribers, milliseconds. */
const FRAME_MS = 100

type Message = Pick<
  StreamWorkloadLogsResponse,
  'type' | 'cluster' | 'pod' | 'container' | 'time' | 'text' | 'truncated' | 'message'
>

/** Opens the stream of log lines. @param since RFC 3339: only lines since then; absent in the first stream */
export type OpenLog = (since: string | undefined, signal: AbortSignal) => AsyncIterable<Message>

export interface LogFeedOptions {
  /** Follows new lines, and resumes where the stream breaks. */
  readonly follow: boolean
  /** Whether a retry cannot help, because the server refused the request. */
  readonly isFinal: (error: Error) => boolean
  readonly time?: Clock
  readonly lines?: LogLines
}

/**
 * The merged log of a workload, read from `start` to `stop`. A broken stream resumes after the last line of each container, without repeating lines:
 * it requests lines since the container that is furthest behind, and skips those that were read.
 */
export class LogFeed {
  readonly #lines: LogLines
  readonly #time: Clock
  #view: LogView = { rows: [], dropped: 0, state: 'connecting' }
  #run: AbortController | undefined
  #cancelFrame: (() => void) | undefined
  /** The time of the last line of each container. */
  readonly #last = new Map<string, string>()
  /** `#last` at the beginning of the stream: lines that are not newer were read already. */
  #lastAtStart: ReadonlyMap<string, string> = new Map()
  /** When reading stopped; undefined while it is being read. */
  #unreadSince: number | undefined
  readonly #subscribers = new Set<() => void>()

  constructor(
    private readonly open: OpenLog,
    private readonly options: LogFeedOptions,
  ) {
    this.#lines = options.lines ?? new LogLines()
    this.#time = options.time ?? clock
  }

  /** The same object until something changes. */
  readonly view = (): LogView => this.#view

  readonly subscribe = (subscriber: () => void): (() => void) => {
    this.#subscribers.add(subscriber)
    return () => void this.#subscribers.delete(subscriber)
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

  /** Keeps the lines; `start` resumes after them. */
  stop(): void {
    this.#unreadSince ??= this.#time.now()
    this.#run?.abort()
    this.#run = undefined
    this.#cancelFrame?.()
    this.#cancelFrame = undefined
    this.#show()
  }

  /** Drops the visible rows. */
  clear(): void {
    this.#lines.clear()
    this.#show()
  }

  async #read(signal: AbortSignal, answered: () => void): Promise<'again' | 'over'> {
    this.#lastAtStart = new Map(this.#last)
    for await (const message of this.open(sinceOf([...this.#lastAtStart.values()]), signal)) {
      // A stopped stream may still have messages; the next one sends them again.
      if (signal.aborted) return 'over'
      answered()
      this.#take(message)
    }
    if (this.options.follow) return 'again'
    this.#state('ended')
    return 'over'
  }

  #broken(problem: Error): 'again' | 'over' {
    this.#unreadSince ??= this.#time.now()
    const isFinal = this.options.isFinal(problem)
    this.#state(isFinal ? 'refused' : 'broken', problem)
    return isFinal ? 'over' : 'again'
  }

  #take({ type, cluster, pod, container, time, text, truncated, message }: Message): void {
    this.#addGap()
    const of = { cluster, pod, container }
    if (type === Type.LINE) {
      const key = `${cluster}/${pod}/${container}`
      if (time !== '' && inOrder(time, this.#lastAtStart.get(key) ?? '') <= 0) return
      if (time !== '') this.#last.set(key, time)
      this.#lines.add({ ...of, kind: 'line', time, text, truncated })
    }
    const notice = notices[type]
    if (notice) this.#lines.add({ ...of, kind: notice, time: '', text: message, truncated: false })
    this.#state(type === Type.FOLLOWING || this.#view.state === 'following' ? 'following' : 'reading')
  }

  #addGap(): void {
    const { now } = this.#time
    const unreadMs = this.#unreadSince === undefined ? 0 : now() - this.#unreadSince
    this.#unreadSince = undefined
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
    for (const subscriber of this.#subscribers) subscriber()
  }
}

/**
 * The time since which lines are missing; undefined where none were read. A container that writes nothing would hold this back, so `LATE_MS` bounds
 * how much of the others is read again.
 * @param last the time of the last line of each container
 */
function sinceOf(last: readonly string[]): string | undefined {
  const times = [...last].sort(inOrder)
  const [oldest, newest] = [times[0], times.at(-1)]
  if (oldest === undefined || newest === undefined) return undefined
  const late = new Date(Date.parse(newest) - LATE_MS).toISOString()
  return inOrder(oldest, late) < 0 ? late : oldest
}

/** Compares RFC 3339 times in UTC as text. Trailing digits of a second may be missing, so the comparison ignores the zone. */
function inOrder(one: string, other: string): number {
  const [a, b] = [one.replace(/Z$/, ''), other.replace(/Z$/, '')]
  return a < b ? -1 : a > b ? 1 : 0
}

const notices: Readonly<Partial<Record<Type, 'joined' | 'ended' | 'unread'>>> = {
  [Type.JOINED]: 'joined',
  [Type.ENDED]: 'ended',
  [Type.UNREAD]: 'unread',
}
