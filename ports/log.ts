/** Structured logging: a constant message, what varies as key-values (pino's argument order). Never pass a secret. */
export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
  /** A logger that adds these fields to every line. */
  child(fields: Record<string, unknown>): Log
}
