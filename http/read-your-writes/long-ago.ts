import type { IndexFreshness } from '../../ports/instance-index.js'

/** The least that a deletion is waited for where only time tells. A replica that does not lead finds canaries later than they were written. */
const LEAST_MS = 60_000
/** How many times the measured lag is waited for: types lag differently, and the canary is one of them. */
const LAGS = 20

/**
 * Whether an index that does not say how far it is shows what happened so long ago: a canary that was written since then
 * has arrived, and many times its lag is over. Without a canary, never.
 * @param agoMs how long ago it happened
 * @param now milliseconds since the epoch
 */
export function isLongAgo(freshness: IndexFreshness, agoMs: number, now: number): boolean {
  if (freshness.state !== 'current') return false
  const { lagMs, measuredAt } = freshness
  const writtenAgoMs = now - (Date.parse(measuredAt) - lagMs)
  return writtenAgoMs < agoMs && agoMs >= Math.max(LEAST_MS, LAGS * lagMs)
}
