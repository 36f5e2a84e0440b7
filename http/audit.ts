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

const isDenial = (code: Code): boolean => code === Code.PERMISSION_DENIED || code === Code.UNAUTHENTICATED

/** Every write leaves a record, and every denial. Reads that were allowed do not: the metrics count them. */
export const leavesRecord = (code: Code, action: Action | undefined): boolean =>
  isDenial(code) || (action !== undefined && !reads.has(action.verb))

/** Writes the record of a call, if it leaves one. */
export function audit(log: Log, record: AuditRecord): void {
  const { caller, action, code, ...rest } = record
  if (!leavesRecord(code, action)) return
  log.info(
    {
      audit: {
        ...rest,
        code: codeName(code),
        ...(caller ? { user: caller.user, groups: caller.groups } : {}),
        ...action,
      },
    },
    isDenial(code) ? 'denied' : 'written',
  )
}
