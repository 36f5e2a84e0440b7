import type { IndexFreshness } from '../../ports/instance-index.js'

/** The shortest wait for a deletion that only time bounds: another type may lag although the canary does not. */
const LEAST_MS = 60_000
/** How many times the measured lag is waited for: types lag differently, and the canary is one of them. */
const LAGS = 20

/**
 * Whether an index that does not say how far it is shows by now everything before a moment: a canary that was written after
 * that moment has arrived, and many times its lag is over. Without a canary, never.
 * @param agoMs how long ago that moment was
 * @param now milliseconds since the epoch
 */
export function hasCaughtUp(freshness: IndexFreshness, agoMs: number, now: number): boolean {
  if (freshness.state !== 'current' || freshness.writtenAfter === undefined) return false
  const { lagMs, writtenAfter } = freshness
  const writtenAgoMs = now - Date.parse(writtenAfter)
  return writtenAgoMs < agoMs && agoMs >= Math.max(LEAST_MS, LAGS * lagMs)
}
