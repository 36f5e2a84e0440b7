/** The reason of a signal that a deadline aborted. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError'
  constructor(readonly timeoutMs: number) {
    super(`no answer within ${timeoutMs} ms`)
  }
}

/** A signal that aborts with a caller's or when the time is over, whichever is first. */
export interface Deadline {
  readonly signal: AbortSignal
  /** Takes the time limit off; the callers' signals stay. */
  disarm(): void
  /** Lets go of timer and callers' signals. Must be called when the work has ended, or listeners pile up. */
  clear(): void
}

/** A signal that aborts with the first of others. */
export interface Joined {
  readonly signal: AbortSignal
  /** Lets go of the others. Must be called when the work has ended, or listeners pile up. */
  clear(): void
}

/** Not AbortSignal.any, whose listeners outlive the request in Node 20. */
export function joined(callers: readonly (AbortSignal | undefined)[], own = new AbortController()): Joined {
  function onAbort(this: AbortSignal): void {
    own.abort(this.reason)
  }
  for (const caller of callers)
    if (caller?.aborted) own.abort(caller.reason)
    else caller?.addEventListener('abort', onAbort, { once: true })
  return {
    signal: own.signal,
    clear() {
      for (const caller of callers) caller?.removeEventListener('abort', onAbort)
    },
  }
}

/** Not AbortSignal.timeout, whose timers outlive the request in Node 20. */
export function deadline(callers: readonly (AbortSignal | undefined)[], timeoutMs: number): Deadline {
  const own = new AbortController()
  const { signal, clear } = joined(callers, own)
  const timer = setTimeout(() => own.abort(new DeadlineError(timeoutMs)), timeoutMs)
  const disarm = (): void => clearTimeout(timer)
  return {
    signal,
    disarm,
    clear() {
      disarm()
      clear()
    },
  }
}

/** What the promise brings, unless the signal aborts first: then its reason. The promise goes on for others who wait for it. */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason)
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
