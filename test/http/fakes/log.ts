import { Audit, type AuditSink } from '../../../http/audit/audit.js'
import { outcomeOf } from '../../../http/audit/record.js'
import type { Log } from '../../../ports/log.js'
import { codeName } from '../../../transcoding/code.js'

/** One line as it would be written. */
export interface Line {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly fields: Record<string, unknown>
  readonly message: string
}

/** A log that keeps its lines. */
export interface FakeLog extends Log {
  readonly lines: Line[]
  /** Keeps audit records among the lines. */
  readonly auditSink: AuditSink
  readonly audit: Audit
  /** The audit records among the lines, each with the user, the action and the outcome beside the rest. */
  audits(): Record<string, unknown>[]
}

export function fakeLog(lines: Line[] = [], bound: Record<string, unknown> = {}): FakeLog {
  const write = (level: Line['level']) => (fields: object, message: string) =>
    void lines.push({ level, fields: { ...bound, ...fields }, message })
  const auditSink: AuditSink = ({ caller, action, code, ...rest }) => {
    const { user, groups } = caller ?? {}
    const who = caller ? { user, groups } : {}
    const audit = { ...rest, outcome: outcomeOf(code), code: codeName(code), ...who, ...action }
    lines.push({ level: 'info', fields: { ...bound, audit }, message: 'an audit record' })
  }
  return {
    lines,
    auditSink,
    audit: new Audit(auditSink),
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: fields => fakeLog(lines, { ...bound, ...fields }),
    audits: () =>
      lines.flatMap(({ fields }) => (fields.audit ? [fields.audit as Record<string, unknown>] : [])),
  }
}
