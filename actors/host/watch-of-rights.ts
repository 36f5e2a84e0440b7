import type { WatchManner } from '../watches/collection.js'

/**
 * What takes rights away must not be missed on a watch that broke without a word, behind a load balancer for instance, while the host
 * answers all else: within 35 s the next one resumes where it broke. That is less than the time for which rights count without the host.
 * A server sends a bookmark before it ends a watch, so that nothing is listed anew.
 *
 * It counts within a second, so it waits for nothing: while a fleet comes up, dozens of answers and events wait for their turns of the
 * event loop, which take 13 ms each and some 40 (ADR 96).
 */
export const WATCH_OF_RIGHTS: WatchManner = {
  life: { shortest: 20, longest: 30, marginMs: 5_000 },
  urgent: true,
}
