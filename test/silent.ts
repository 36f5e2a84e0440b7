import { Audit } from '../http/audit/audit.js'
import type { Log } from '../ports/log.js'
import type { Meter } from '../ports/meter.js'

const ignore = (): void => undefined

/** A log that says nothing. `http/fakes/log.ts` keeps what it is told. */
export const silent: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore, child: () => silent }

/** A meter that counts nothing. */
export const unmetered: Meter = { count: ignore, gauge: ignore, observe: ignore }

/** Keeps no audit record. */
export const unaudited = new Audit(ignore)

/** For parts that report an error nothing handles: it fails the test, as it ends a process. */
export const failed = (error: unknown): never => {
  throw error
}
