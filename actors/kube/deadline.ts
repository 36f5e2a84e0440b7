/** The reason of a signal that a deadline aborted. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError'
  constructor(readonly timeoutMs: number) {
    super(`no answer within ${timeoutMs} ms`)
  }
}

/** A signal that aborts with the caller's or when the time is over, whichever is first. */
export interface Deadline {
  readonly signal: AbortSignal
  /** Takes the time limit off; the caller's signal stays. */
  disarm(): void
  /** Lets go of timer and caller's signal. Must be called when the work has ended, or listeners pile up. */
  clear(): void
}

/** Not AbortSignal.any and AbortSignal.timeout, whose listeners and timers outlive the request in Node 20. */
export function deadline(caller: AbortSignal | undefined, timeoutMs: number): Deadline {
  const own = new AbortController()
  const onAbort = (): void => own.abort(caller?.reason)
  if (caller?.aborted) onAbort()
  else caller?.addEventListener('abort', onAbort, { once: true })
  const timer = setTimeout(() => own.abort(new DeadlineError(timeoutMs)), timeoutMs)
  const disarm = (): void => clearTimeout(timer)
  return {
    signal: own.signal,
    disarm,
    clear() {
      disarm()
      caller?.removeEventListener('abort', onAbort)
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
