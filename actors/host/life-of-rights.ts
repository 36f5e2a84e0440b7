import type { WatchLife } from '../../streams/keep-watching.js'

/**
 * What takes rights away must not be missed on a watch that broke without a word, behind a load balancer for instance, while the host
 * answers all else: within 35 s the next one resumes where it broke. That is less than the time for which rights count without the host.
 * A server sends a bookmark before it ends a watch, so that nothing is listed anew.
 */
export const LIFE_OF_RIGHTS: WatchLife = { shortest: 20, longest: 30, marginMs: 5_000 }
