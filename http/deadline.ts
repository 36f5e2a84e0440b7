import { cancelled, deadlineExceeded, type Failure, invalidArgument } from './failure.js'

/** A signal with an end of its own. `release` must be called when the call is over: it frees the timer and the listeners. */
export interface Deadline {
  readonly signal: AbortSignal
  release(): void
}

/** Milliseconds per unit of the `grpc-timeout` header; the header is honoured over REST too. */
const units: Readonly<Record<string, number>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1_000,
  m: 1,
  u: 0.001,
  n: 0.000_001,
}

/**
 * Milliseconds of a `grpc-timeout` header, e.g. `250m`; undefined where there is none.
 * @throws Failure INVALID_ARGUMENT when it cannot be read
 */
export function requestTimeout(header: string | undefined): number | undefined {
  if (header === undefined) return undefined
  const [, digits, unit] = /^(\d{1,8})([HMSmun])$/.exec(header) ?? []
  const factor = units[unit ?? '']
  if (!digits || !factor) {
    throw invalidArgument(
      `grpc-timeout ${JSON.stringify(header)} is not 1 to 8 digits and one of H M S m u n`,
    )
  }
  return Number(digits) * factor
}

/**
 * Aborts with a Failure as reason: CANCELLED when one of `signals` aborts (or its own reason where that is a Failure),
 * `late` (DEADLINE_EXCEEDED by default) after `timeoutMs`.
 */
export function startDeadline(
  signals: readonly (AbortSignal | undefined)[],
  timeoutMs?: number,
  late?: Failure,
): Deadline {
  const controller = new AbortController()
  const abort = (reason: Failure) => {
    if (!controller.signal.aborted) controller.abort(reason)
  }
  const listeners = signals.flatMap(signal => {
    if (!signal) return []
    const listener = () => abort(failureOf(signal.reason))
    if (signal.aborted) listener()
    else signal.addEventListener('abort', listener, { once: true })
    return [() => signal.removeEventListener('abort', listener)]
  })
  const timer =
    timeoutMs === undefined
      ? undefined
      : setTimeout(
          () => abort(late ?? deadlineExceeded(`the deadline of ${Math.round(timeoutMs)} ms passed`)),
          Math.min(timeoutMs, 2 ** 31 - 1),
        )
  return {
    signal: controller.signal,
    release() {
      clearTimeout(timer)
      for (const remove of listeners) remove()
    },
  }
}

const failureOf = (reason: unknown): Failure =>
  reason instanceof Error && reason.name === 'Failure' ? (reason as Failure) : cancelled('the caller hung up')

/** Settles as `promise` does, or rejects with the signal's reason as soon as it aborts. */
export async function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  let onAbort: () => void = () => undefined
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
  })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
