import { deadlineExceeded } from '../../errors/failure.js'
import { closeSource } from '../concurrency/live-merge.js'
import type { LogLine } from './log-lines.js'

/** The log of one container as far as it is written. */
export interface PastLog<Of> {
  readonly of: Of
  readonly lines: AsyncGenerator<LogLine, void>
  /** Ends a log whose next line is awaited. */
  readonly giveUp: (reason: Error) => void
}

/** What the next line of a container may take: the others wait for it, because it may be the oldest. */
const PATIENCE_MS = 5_000

/**
 * The lines of several logs by their times; of one log they stay in their order. One line of each is held. A log that fails, or does not
 * go on in time, ends with its error and does not hold the others.
 */
export async function* mergeByTime<Of>(
  logs: readonly PastLog<Of>[],
  patienceMs = PATIENCE_MS,
): AsyncGenerator<{ readonly of: Of } & ({ readonly line: LogLine } | { readonly error: unknown }), void> {
  const heads = new Map<PastLog<Of>, LogLine>()
  try {
    const first = await Promise.all(logs.map(async log => ({ log, step: await next(log, patienceMs) })))
    for (const { log, step } of first) {
      if ('error' in step) yield { of: log.of, error: step.error }
      else if (step.line) heads.set(log, step.line)
    }
    while (heads.size > 0) {
      const [log, line] = oldest(heads)
      yield { of: log.of, line }
      const step = await next(log, patienceMs)
      if (!('error' in step) && step.line) heads.set(log, step.line)
      else heads.delete(log)
      if ('error' in step) yield { of: log.of, error: step.error }
    }
  } finally {
    for (const { lines } of logs) closeSource(lines)
  }
}

function oldest<Of>(heads: ReadonlyMap<PastLog<Of>, LogLine>): readonly [PastLog<Of>, LogLine] {
  let found: readonly [PastLog<Of>, LogLine] | undefined
  for (const head of heads) if (!found || head[1].at < found[1].at) found = head
  return found as readonly [PastLog<Of>, LogLine]
}

type Next = { readonly line: LogLine | undefined } | { readonly error: unknown }

/** The next line; none at the end of the log. */
async function next({ lines, giveUp }: PastLog<unknown>, patienceMs: number): Promise<Next> {
  const late = setTimeout(
    () => giveUp(deadlineExceeded(`the container’s log did not go on within ${patienceMs / 1_000} s`)),
    patienceMs,
  )
  try {
    const { done, value } = await lines.next()
    return { line: done ? undefined : value }
  } catch (error) {
    return { error }
  } finally {
    clearTimeout(late)
  }
}
