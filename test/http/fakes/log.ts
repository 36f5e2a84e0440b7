import type { Log } from '../../../ports/log.js'

/** One line as it would be written. */
export interface Line {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly fields: Record<string, unknown>
  readonly message: string
}

/** A log that keeps its lines. */
export interface FakeLog extends Log {
  readonly lines: Line[]
  /** The audit records among the lines. */
  audits(): Record<string, unknown>[]
}

export function fakeLog(lines: Line[] = [], bound: Record<string, unknown> = {}): FakeLog {
  const write = (level: Line['level']) => (fields: object, message: string) =>
    void lines.push({ level, fields: { ...bound, ...fields }, message })
  return {
    lines,
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: fields => fakeLog(lines, { ...bound, ...fields }),
    audits: () =>
      lines.flatMap(({ fields }) => (fields.audit ? [fields.audit as Record<string, unknown>] : [])),
  }
}
