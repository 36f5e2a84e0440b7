import { ConnectionError } from '../../client/errors.js'
import { type Clock, clock } from './clock.js'
import { Pause, retryAfterMs } from './retry.js'

/** A stream that is read again after it ended or failed. */
export interface Followed {
  /**
   * Reads the stream to its end.
   * @param answered called for each message: the server answers, so the next failure counts as the first
   * @returns `over` where there is nothing more to read
   */
  read(signal: AbortSignal, answered: () => void): Promise<'again' | 'over'>
  /**
   * Called when the stream ended or failed, before the pause.
   * @returns `wait` to read it again only after `Pause.end()`, `over` never to read it again
   */
  broken(problem: Error): 'again' | 'wait' | 'over'
}

/**
 * Reads a stream until the signal aborts or the stream is over. After it ended or failed it is read again, after pauses that grow. It never rejects.
 */
export async function follow(
  stream: Followed,
  signal: AbortSignal,
  { time = clock, pause = new Pause(time) }: { readonly time?: Clock; readonly pause?: Pause } = {},
): Promise<void> {
  let failures = 0
  const answered = () => {
    failures = 0
  }
  while (!signal.aborted) {
    let problem: Error = new ConnectionError('the stream has ended')
    try {
      if ((await stream.read(signal, answered)) === 'over') return
    } catch (error) {
      problem = asError(error)
    }
    if (signal.aborted) return
    failures += 1
    const next = stream.broken(problem)
    if (next === 'over') return
    await pause.wait(next === 'wait' ? undefined : retryAfterMs(failures, problem), signal)
  }
}

export const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))
