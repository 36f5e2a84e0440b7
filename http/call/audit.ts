import type { Log } from '../../ports/log.js'
import { Code, codeName } from '../../transcoding/code.js'
import type { Action } from '../identity/authorize.js'
import type { Caller } from '../identity/caller.js'
import type { Wire } from './call.js'

/** An object or collection inside an instance, as a request names it. */
export interface AuditTarget {
  readonly instance: string
  /** The member behind the instance, for its objects. */
  readonly cluster?: string
  /** Kubernetes' verb inside the instance: get, list, watch, create, update, patch, delete, deletecollection. */
  readonly verb: string
  /** Empty for the core group. Absent, like version and resource, for paths that name no resource. */
  readonly group?: string
  readonly version?: string
  readonly resource?: string
  readonly subresource?: string
  readonly namespace?: string
  readonly name?: string
}

/** An audit record: who did what to what, from where, and how it ended. It never holds what was in the request. */
export interface AuditRecord {
  readonly requestId: string
  readonly wire: Wire | 'proxy'
  readonly operation: string
  /** Absent when the caller was not authenticated. */
  readonly caller?: Caller
  /** What Kairship authorized on the host. */
  readonly action?: Action
  /** What the request was about inside an instance. */
  readonly target?: AuditTarget
  /** Address of the connection. Forwarded-for headers prove nothing and are not read. */
  readonly remote?: string
  /** Where a proxied answer came from. */
  readonly source?: 'index' | 'karmada'
  /**
   * How it ended, decided by Kairship, the host or the instance (`codeOfStatus` of its HTTP status). A stream's
   * or an upgraded connection's code is that of its end.
   */
  readonly code: Code
  /** The HTTP status that the caller received; absent over gRPC and where the caller received none. */
  readonly status?: number
  readonly durationMs: number
}

/**
 * What became of the request. `failed` requests changed nothing, as far as an API server's refusal is reliable;
 * of an `unknown` one is not known: the connection, the deadline or the server broke before an answer came.
 */
export type Outcome = 'succeeded' | 'denied' | 'failed' | 'unknown'

export function outcomeOf(code: Code): Outcome {
  if (code === Code.OK) return 'succeeded'
  if (code === Code.PERMISSION_DENIED || code === Code.UNAUTHENTICATED) return 'denied'
  return withoutAnswer.has(code) ? 'unknown' : 'failed'
}

const withoutAnswer = new Set<Code>([
  Code.CANCELLED,
  Code.UNKNOWN,
  Code.DEADLINE_EXCEEDED,
  Code.INTERNAL,
  Code.UNAVAILABLE,
  Code.DATA_LOSS,
])

const reads = new Set(['get', 'list', 'watch'])

/**
 * Every write leaves a record, and every denial, also one that the host or an instance decided. Other reads leave none:
 * the metrics count them.
 */
export const leavesRecord = (code: Code, action: Action | undefined): boolean =>
  outcomeOf(code) === 'denied' || (action !== undefined && !reads.has(action.verb))

/** Writes the record of a call, if it leaves one. */
export function audit(log: Log, record: AuditRecord): void {
  if (leavesRecord(record.code, record.action)) write(log, record)
}

/**
 * Writes the record of a call of something that is not served. It may have been meant as a write, and who looks for what is not
 * there is worth knowing. Its name is the caller's, and cut to what a log line can hold.
 */
export function auditUnknown(log: Log, record: Omit<AuditRecord, 'action' | 'durationMs'>): void {
  write(log, { ...record, operation: record.operation.slice(0, LONGEST_UNKNOWN), durationMs: 0 })
}

const LONGEST_UNKNOWN = 256

function write(log: Log, { caller, action, code, ...rest }: AuditRecord): void {
  const outcome = outcomeOf(code)
  log.info(
    {
      audit: {
        ...rest,
        outcome,
        code: codeName(code),
        ...(caller ? { user: caller.user, groups: caller.groups } : {}),
        ...action,
      },
    },
    `request ${outcome}`,
  )
}
