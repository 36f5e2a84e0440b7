import { deadline, orAborted, type Reasons } from '../../../ports/cancellation.js'
import { deadlineExceeded } from '../../errors/failure.js'
import type { ObjectCall } from '../../objects/objects.js'

/**
 * Does some work of a call within a time of its own, in milliseconds. It is over when the time is, also where the work does not heed its
 * signal.
 * @throws what the work throws; `late`, when the time is over; the reason of the call's signal, or what `caller` makes of it
 */
export async function withinPatience<T>(
  call: ObjectCall,
  ms: number,
  reasons: Reasons,
  work: (call: ObjectCall) => Promise<T>,
): Promise<T> {
  const { signal, clear } = deadline([call.signal], ms, reasons)
  try {
    signal.throwIfAborted()
    return await orAborted(work({ ...call, signal }), signal)
  } finally {
    clear()
  }
}

/**
 * Asks one member, which has this many milliseconds.
 * @throws Failure DEADLINE_EXCEEDED when it does not answer in time; what the work throws; the reason of the call's signal
 */
export const askMember = <T>(
  call: ObjectCall,
  ms: number,
  work: (call: ObjectCall) => Promise<T>,
): Promise<T> =>
  withinPatience(
    call,
    ms,
    { late: () => deadlineExceeded(`the member did not answer within ${ms / 1_000} s`) },
    work,
  )
