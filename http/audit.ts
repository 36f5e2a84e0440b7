import type { Log } from '../ports/log.js'
import type { Wire } from './call.js'
import { Code, codeName } from './code.js'
import type { Action } from './identity/authorize.js'
import type { Caller } from './identity/caller.js'

/** What an audit record says: who did what to what, from where, and how it ended. Never what was in the request. */
export interface AuditRecord {
  readonly requestId: string
  readonly wire: Wire | 'proxy'
  readonly operation: string
  /** Absent when nobody could be made out. */
  readonly caller?: Caller
  readonly action?: Action
  /** Address of the connection. Forwarded-for headers prove nothing and are not read. */
  readonly remote?: string
  /** Where a proxied answer is from. */
  readonly source?: 'index' | 'karmada'
  readonly code: Code
  readonly durationMs: number
}

const reads = new Set(['get', 'list', 'watch'])

/** Every write leaves a record, and every denial. Reads that were allowed do not: the metrics count them. */
export function audit(log: Log, record: AuditRecord): void {
  const denied = record.code === Code.PERMISSION_DENIED || record.code === Code.UNAUTHENTICATED
  const write = record.action !== undefined && !reads.has(record.action.verb)
  if (!denied && !write) return
  const { caller, action, code, ...rest } = record
  log.info(
    {
      audit: {
        ...rest,
        code: codeName(code),
        ...(caller ? { user: caller.user, groups: caller.groups } : {}),
        ...action,
      },
    },
    denied ? 'denied' : 'written',
  )
}
