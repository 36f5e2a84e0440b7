import { Code, httpStatus } from '../../transcoding/code.js'
import type { AuditDetails } from '../call/audit-details.js'
import type { Wire } from '../call/call.js'
import type { Action } from '../identity/authorize.js'
import type { Caller } from '../identity/caller.js'

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

/** Who did what to what, from where, and how it ended. It never holds the request: neither its body nor its query. */
export interface AuditRecord {
  /** The answer has begun and goes on. Absent of a request that is over. */
  readonly stage?: 'ResponseStarted'
  readonly requestId: string
  readonly wire: Wire | 'proxy'
  /** What was called: an operation's id, the path inside an instance, or what an unknown request asked for. */
  readonly operation: string
  /** The path of the request, without its query; over gRPC that of its method. */
  readonly uri: string
  readonly userAgent?: string
  /** Absent when the caller was not authenticated. */
  readonly caller?: Caller
  /** Who the caller asked to act as (`kubectl --as`), whether it may or not. */
  readonly actsAs?: Caller
  /** What Kairship authorized on the host. */
  readonly action?: Action
  /** A role or the host has decided about the action, whatever came of the request after that. */
  readonly isDecided?: boolean
  /** What the request was about inside an instance. */
  readonly target?: AuditTarget
  /** What the object's name does not say: whom a lock names. */
  readonly details?: AuditDetails
  /** It was sent as a dry run: nothing was to be stored, however it ended. */
  readonly dryRun?: true
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
  /** When it ended, or its answer began where it goes on, milliseconds since 1970. */
  readonly endedAt: number
}

/** The HTTP status of a request; over gRPC what it would be over HTTP. */
export const statusOf = ({ status, code }: Pick<AuditRecord, 'status' | 'code'>): number =>
  status ?? (code === Code.OK ? 200 : httpStatus[code])

/**
 * What became of the request. `failed` requests changed nothing, as far as an API server's refusal is reliable;
 * of an `unknown` one is not known: the connection, the deadline or the server broke before an answer came.
 */
export type Outcome = 'succeeded' | 'denied' | 'failed' | 'unknown'

/** What became of a request that ended with this code. */
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
/** Reads of these leave a record too: their answers are credentials. */
const credentials = new Set(['secrets', 'instances/kubeconfig'])

/**
 * Every write leaves a record, and every denial, also one that the host or an instance decided, every read of credentials, and whatever
 * is done as somebody else.
 * Other reads leave none: the metrics count them.
 */
export function leavesRecord({
  code,
  actsAs,
  action,
  target,
}: Pick<AuditRecord, 'code' | 'actsAs' | 'action' | 'target'>): boolean {
  if (outcomeOf(code) === 'denied' || actsAs !== undefined) return true
  if (action === undefined) return false
  const isOfCredentials =
    ('resource' in action && credentials.has(action.resource)) ||
    (!target?.group && credentials.has(target?.resource ?? ''))
  return isOfCredentials || !reads.has(action.verb)
}
