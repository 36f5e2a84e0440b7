import { expect, it } from 'vitest'
import { hasCaughtUp } from '../../../http/read-your-writes/deletion-wait.js'
import type { IndexFreshness } from '../../../ports/instance-index.js'

const NOW = Date.parse('2026-11-24T12:00:00.000Z')
const ago = (seconds: number) => new Date(NOW - seconds * 1_000).toISOString()

it.each<[string, IndexFreshness, number, boolean]>([
  [
    'a canary that was written after it was seen',
    { state: 'current', lagMs: 25, measuredAt: ago(1), writtenAfter: ago(89) },
    90,
    true,
  ],
  [
    'a canary was found after it that may have been written before',
    { state: 'current', lagMs: 25, measuredAt: ago(1), writtenAfter: ago(91) },
    90,
    false,
  ],
  [
    'a canary was found of which is not known when another replica wrote it',
    { state: 'current', lagMs: 25, measuredAt: ago(1) },
    900,
    false,
  ],
  [
    'it is too short a time ago, as other types may lag more',
    { state: 'current', lagMs: 25, measuredAt: ago(1), writtenAfter: ago(2) },
    59,
    false,
  ],
  [
    'it is not twenty times the lag ago',
    { state: 'current', lagMs: 5_000, measuredAt: ago(1), writtenAfter: ago(6) },
    99,
    false,
  ],
  ['nothing was measured', { state: 'unknown' }, 900, false],
  [
    'the index is stalled',
    { state: 'stalled', lagMs: 25, measuredAt: ago(1), because: 'it does not show' },
    900,
    false,
  ],
])('of a deletion, where %s: whether an index is known to show it', (_, freshness, agoSeconds, caughtUp) => {
  expect(hasCaughtUp(freshness, agoSeconds * 1_000, NOW)).toBe(caughtUp)
})
