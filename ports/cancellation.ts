/** A signal that aborts with the first of others. */
export interface Joined {
  readonly signal: AbortSignal
  /** Lets go of the others. Must be called when the work has ended, or listeners pile up. */
  clear(): void
}

/** A signal that aborts with a caller's or when the time is over, whichever is first. */
export interface Deadline extends Joined {
  /** Takes the time limit off; the callers' signals stay. */
  disarm(): void
  /** Aborts now, with a reason of its own. */
  end(reason: unknown): void
}

/** The reason of a signal that a deadline aborted, unless the deadline was given another. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError'
  constructor(readonly timeoutMs: number) {
    super(`no answer within ${timeoutMs} ms`)
  }
}

/** The reasons of a deadline's signal. */
export interface Reasons {
  /** When the time is over; a DeadlineError by default. */
  readonly late?: (timeoutMs: number) => unknown
  /** When a caller's signal aborts; the caller's own reason by default. */
  readonly caller?: (reason: unknown) => unknown
}

/** The longest time of a timer of Node.js, milliseconds. A longer one would end at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** Not AbortSignal.any, whose listeners outlive the request in Node 20. */
export function joined(callers: readonly (AbortSignal | undefined)[]): Joined {
  return join(callers, new AbortController(), reason => reason)
}

function join(
  callers: readonly (AbortSignal | undefined)[],
  own: AbortController,
  reasonOf: (reason: unknown) => unknown,
): Joined {
  function onAbort(this: AbortSignal): void {
    own.abort(reasonOf(this.reason))
  }
  for (const caller of callers)
    if (caller?.aborted) own.abort(reasonOf(caller.reason))
    else caller?.addEventListener('abort', onAbort, { once: true })
  return {
    signal: own.signal,
    clear() {
      for (const caller of callers) caller?.removeEventListener('abort', onAbort)
    },
  }
}

/** Not AbortSignal.timeout, whose timers outlive the request in Node 20. Without a time it only joins the callers. */
export function deadline(
  callers: readonly (AbortSignal | undefined)[],
  timeoutMs: number | undefined,
  { late = ms => new DeadlineError(ms), caller = reason => reason }: Reasons = {},
): Deadline {
  const own = new AbortController()
  const { signal, clear } = join(callers, own, caller)
  const timer =
    timeoutMs === undefined
      ? undefined
      : setTimeout(() => own.abort(late(timeoutMs)), Math.min(timeoutMs, LONGEST_TIMER_MS))
  const disarm = (): void => clearTimeout(timer)
  return {
    signal,
    disarm,
    end: reason => own.abort(reason),
    clear() {
      disarm()
      clear()
    },
  }
}

/** Settles as the promise does, or rejects with the signal's reason as soon as it aborts. Others may go on waiting for the promise. */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason)
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
