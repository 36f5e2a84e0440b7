import type { AuditStage } from '../../manifests/audit-event.js'
import { codeName } from '../../transcoding/code.js'
import type { AuditDetails } from '../call/audit-details.js'
import { ANONYMOUS } from './audit-event.js'
import { messageOf } from './details.js'
import { type AuditRecord, type Outcome, outcomeOf, statusOf } from './record.js'
import { subjectOf } from './subject.js'

/** A record in short: what is kept in memory and shown to those who ask. Texts are empty where the record has none. */
export interface RecentEvent {
  readonly id: string
  readonly stage: AuditStage
  /** When it ended, or its answer began where it goes on, milliseconds since 1970. */
  readonly endedAt: number
  readonly durationMs: number
  readonly user: string
  /** In whose name it was made; empty where that was the user's own. */
  readonly actingAs: string
  /** Empty of what no request stands for. */
  readonly wire: AuditRecord['wire'] | ''
  readonly operation: string
  readonly verb: string
  readonly instance: string
  readonly cluster: string
  readonly apiGroup: string
  readonly apiVersion: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  /** Absent of a request that goes on. */
  readonly outcome?: Outcome
  /** Of google.rpc.Code; empty of a request that goes on. */
  readonly code: string
  /** The HTTP status; over gRPC what it would be over HTTP. */
  readonly status: number
  readonly remote: string
  readonly userAgent: string
  /**
   * What became of a role: which, whose, until when and why. Of a request what its object's name does not say: whom a lock names. Of a dry run
   * that it was one.
   */
  readonly message: string
  /** The same as facts. Absent where the message is empty. */
  readonly details?: AuditDetails
}

/** What is kept of a record. */
export function recentEventOf(record: AuditRecord): RecentEvent {
  const { verb, object, instance = '', cluster = '' } = subjectOf(record)
  const { caller, wire, operation, code, remote = '', userAgent = '' } = record
  return {
    id: record.requestId,
    stage: record.stage ?? 'ResponseComplete',
    endedAt: Math.floor(record.endedAt),
    durationMs: Math.round(record.durationMs),
    user: caller?.user ?? ANONYMOUS,
    actingAs: record.actsAs?.user ?? '',
    wire,
    operation,
    verb,
    instance,
    cluster,
    apiGroup: object?.apiGroup ?? '',
    apiVersion: object?.apiVersion ?? '',
    resource: object?.resource ?? '',
    subresource: object?.subresource ?? '',
    namespace: object?.namespace ?? '',
    name: object?.name ?? '',
    ...(!record.stage && { outcome: outcomeOf(code) }),
    code: record.stage ? '' : codeName(code),
    status: statusOf(record),
    remote,
    userAgent,
    ...said(record.details ?? (record.dryRun && { dryRun: true })),
  }
}

/** A message, and what it says. */
export const said = (details: AuditDetails | undefined): Pick<RecentEvent, 'message' | 'details'> =>
  details ? { message: messageOf(details), details } : { message: '' }
