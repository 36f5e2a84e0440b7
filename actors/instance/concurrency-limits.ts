import { ConcurrencyLimiter } from './concurrency-limiter.js'
import type { InstanceDependencies } from './dependencies.js'

/** Effects work inside so many control planes at once. */
const VISITED_AT_ONCE = 32
/** How long a control plane that does not answer keeps its place, milliseconds. */
const STUCK_AFTER_MS = 1_000
/** As many as the host connection has sockets for requests: an effect's time must not pass while it waits for one. */
const WRITING_AT_ONCE = 16
/** First figures are gathered from so many instances at once; each needs some twenty requests. */
const GATHERING_AT_ONCE = 8
/** First figures of a healthy control plane take a second or two; eight that hang must not delay all others, milliseconds. */
const GATHERING_PATIENCE_MS = 10_000

/** The concurrency limits that all instances share: docs/adr/0013-coming-up-in-turn.md. */
export const instanceLimiters = (): Pick<InstanceDependencies, 'visiting' | 'writing' | 'gathering'> => ({
  visiting: new ConcurrencyLimiter(VISITED_AT_ONCE, STUCK_AFTER_MS),
  writing: new ConcurrencyLimiter(WRITING_AT_ONCE),
  gathering: new ConcurrencyLimiter(GATHERING_AT_ONCE, GATHERING_PATIENCE_MS),
})
