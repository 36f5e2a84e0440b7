import { setTimeout } from 'node:timers/promises'
import { PATIENCE_MS, pauses } from '../../patience.js'

/**
 * Waits until a condition holds and returns what it returned. The time limit is far above what it takes: reaching it
 * means failure, and a slow machine does not.
 * @param look returns something truthy once the condition holds; may throw until then
 * @param story told when it never holds
 */
export async function eventually<T>(
  what: string,
  look: () => T | Promise<T>,
  { withinMs = PATIENCE_MS, story = () => '' }: { withinMs?: number; story?: () => string } = {},
): Promise<NonNullable<T>> {
  const until = performance.now() + withinMs
  let last: unknown
  for (const pause of pauses()) {
    try {
      last = await look()
      if (last) return last as NonNullable<T>
    } catch (error) {
      last = error
    }
    if (performance.now() > until) break
    await setTimeout(pause)
  }
  throw new Error(
    `not within ${withinMs} ms: ${what}\nlast: ${last instanceof Error ? last.message : JSON.stringify(last)}\n${story()}`,
  )
}
