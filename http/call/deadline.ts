import { setMaxListeners } from 'node:events'
import { type Deadline, deadline } from '../../ports/cancellation.js'
import { cancelled, deadlineExceeded, type Failure, invalidArgument } from '../errors/failure.js'

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
export const startDeadline = (
  signals: readonly (AbortSignal | undefined)[],
  timeoutMs?: number,
  late?: Failure,
): Deadline => {
  const made = deadline(signals, timeoutMs, {
    late: ms => late ?? deadlineExceeded(`the deadline of ${Math.round(ms)} ms passed`),
    caller: failureOf,
  })
  setMaxListeners(0, made.signal) // each request of the call listens
  return made
}

const failureOf = (reason: unknown): Failure =>
  reason instanceof Error && reason.name === 'Failure' ? (reason as Failure) : cancelled('the caller hung up')
