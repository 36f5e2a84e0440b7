import { setTimeout as sleep } from 'node:timers/promises'
import { PATIENCE_MS, pauses } from '../patience.js'

/**
 * Asks until the answer is neither undefined nor false. Errors count as "not yet", the last one is the cause of giving up.
 * @param what completes "gave up waiting for …"
 */
export async function eventually<T>(
  what: string,
  ask: () => Promise<T | undefined | false> | T | undefined | false,
  timeoutMs = PATIENCE_MS,
): Promise<T> {
  const deadline = performance.now() + timeoutMs
  let last: unknown
  for (const pause of pauses()) {
    if (performance.now() >= deadline) break
    try {
      const answer = await ask()
      if (answer !== undefined && answer !== false) return answer
      last = undefined
    } catch (error) {
      last = error
    }
    await sleep(pause)
  }
  throw new Error(`gave up waiting for ${what}`, { cause: last })
}
