import type { Log } from '../ports/log.js'

const ignore = (): void => undefined

/** A log that says nothing. `http/fakes/log.ts` keeps what it is told. */
export const silent: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore, child: () => silent }
