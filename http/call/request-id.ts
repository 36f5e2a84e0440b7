import { randomUUID } from 'node:crypto'

/** The `X-Request-Id` that a caller gave, where it is harmless in a log line, or a new one. */
export const requestIdOf = (given: unknown): string =>
  typeof given === 'string' && /^[\w.-]{1,64}$/.test(given) ? given : randomUUID()
