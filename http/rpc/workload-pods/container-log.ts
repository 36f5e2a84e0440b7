import { setTimeout } from 'node:timers/promises'
import { joined } from '../../../ports/cancellation.js'
import { Code } from '../../../transcoding/code.js'
import { toFailure } from '../../errors/to-failure.js'
import type { Place } from '../../objects/object-type.js'
import type { LogQuery, ObjectCall, Objects } from '../../objects/objects.js'
import { sideCall } from '../../objects/side-call.js'
import { type LogLine, logLines } from './log-lines.js'
import type { PastLog } from './merge-by-time.js'
import type { LoggedContainer } from './pod-containers.js'

/** A container of a pod of a member. */
export interface ContainerAt extends LoggedContainer {
  readonly place: Place & { readonly cluster: string }
  readonly namespace: string
  readonly pod: string
}

/** Which lines of each container are wanted. */
export type Wanted = Omit<LogQuery, 'container' | 'follow'>

/** How far a log was read: the time of its last line, and how many lines had that time. */
export interface ReadSoFar {
  readonly time: string
  readonly at: bigint
  readonly count: number
}

/** A log that is followed: its lines, or that it cannot be read for now. */
export type Followed = { readonly line: LogLine } | { readonly error: unknown }

/** Until a log that broke is read again. */
const RETRY_MS = 2_000

/** Reads containers' logs. */
export class ContainerLogs {
  readonly #read = new Map<string, ReadSoFar>()

  constructor(
    readonly objects: Objects,
    readonly call: ObjectCall,
    readonly wanted: Wanted,
  ) {}

  /** What is there of a container's log now. */
  past(of: ContainerAt): PastLog<ContainerAt> {
    const own = new AbortController()
    const { signal, clear } = joined([this.call.signal, own.signal])
    const lines = this.#lines(of, { ...this.wanted, container: of.name }, signal, clear)
    return { of, lines, giveUp: reason => own.abort(reason) }
  }

  async *#lines(
    of: ContainerAt,
    query: LogQuery,
    signal: AbortSignal,
    clear: () => void,
  ): AsyncGenerator<LogLine, void> {
    try {
      for await (const line of logLines(this.#bytes(of, query, signal))) {
        this.#note(of, line)
        yield line
      }
    } finally {
      clear()
    }
  }

  #bytes(of: ContainerAt, query: LogQuery, signal: AbortSignal): AsyncIterable<Uint8Array> {
    const call = { ...sideCall(this.call), signal }
    return this.objects.log(call, of.place, { namespace: of.namespace, name: of.pod }, query)
  }

  #note({ run }: ContainerAt, { time, at }: LogLine): void {
    const before = this.#read.get(run)
    this.#read.set(run, {
      time: time || before?.time || '',
      at,
      count: before?.at === at ? before.count + 1 : 1,
    })
  }

  /**
   * Follows a container's log after what was read of it, to its end. Where it breaks, that is said and it is read again. A kubelet knows
   * whole seconds only, so lines that were read come again and are left out.
   * @param isNew a container that was not there when the past was read: it is read from its first line
   */
  async *follow(of: ContainerAt, isNew: boolean, signal: AbortSignal): AsyncGenerator<Followed, void> {
    for (;;) {
      const known = this.#read.get(of.run)
      try {
        for await (const line of after(
          known,
          logLines(this.#bytes(of, this.#restOf(of, known, isNew), signal)),
        )) {
          this.#note(of, line)
          yield { line }
        }
        return
      } catch (error) {
        signal.throwIfAborted()
        yield { error }
        if (FINAL.has(toFailure(error).code)) return
        await setTimeout(RETRY_MS, undefined, { signal })
      }
    }
  }

  #restOf({ name }: ContainerAt, known: ReadSoFar | undefined, isNew: boolean): LogQuery {
    const query = { container: name, follow: true }
    if (known?.time) return { ...query, sinceTime: known.time.replace(/\.\d+/, '') }
    return isNew ? query : { ...this.wanted, ...query }
  }
}

/** What does not come right by itself: the pod is gone, or has no such log, or is not for this caller. */
const FINAL: ReadonlySet<Code> = new Set([
  ...[Code.NOT_FOUND, Code.INVALID_ARGUMENT, Code.PERMISSION_DENIED, Code.UNAUTHENTICATED],
])

/** The lines after those that were read. */
async function* after(
  known: ReadSoFar | undefined,
  lines: AsyncIterable<LogLine>,
): AsyncGenerator<LogLine, void> {
  let same = known?.count ?? 0
  for await (const line of lines) {
    if (known && line.at < known.at) continue
    if (known && line.at === known.at && same > 0) same -= 1
    else yield line
  }
}
