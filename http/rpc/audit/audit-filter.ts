import {
  AuditOutcome,
  type ListAuditEventsRequest,
  type WatchAuditEventsRequest,
} from '../../../proto/gen/kairship/audit_pb.js'
import type { PlacedEvent } from '../../audit/recent-events.js'
import type { Outcome } from '../../audit/record.js'
import { invalidFields } from '../../errors/failure.js'

/** The fields by which requests choose events. */
export type AuditFilter = ListAuditEventsRequest | WatchAuditEventsRequest

/** Fields that are compared as a whole, and choose nothing where they are empty. */
const TEXTS = ['user', 'instance', 'cluster', 'namespace', 'resource', 'name', 'verb'] as const

/** Outcomes, as messages have them. */
const OUTCOMES: Readonly<Record<Outcome, AuditOutcome>> = {
  succeeded: AuditOutcome.SUCCEEDED,
  denied: AuditOutcome.DENIED,
  failed: AuditOutcome.FAILED,
  unknown: AuditOutcome.UNKNOWN,
}

/** The outcome in messages; unspecified of a request that goes on. */
export const outcomeNumber = (outcome: Outcome | undefined): AuditOutcome =>
  outcome === undefined ? AuditOutcome.AUDIT_OUTCOME_UNSPECIFIED : OUTCOMES[outcome]

/** Whether an event is one that a request chooses. @throws Failure INVALID_ARGUMENT for a time before 1970 */
export function isChosenBy(filter: AuditFilter): (placed: PlacedEvent) => boolean {
  const since = Number(filter.since)
  if (since < 0)
    throw invalidFields([
      { field: 'since', description: `is ${since}: it counts milliseconds since 1970-01-01 UTC` },
    ])
  const given = TEXTS.filter(field => filter[field] !== '')
  return ({ event }) =>
    event.endedAt >= since &&
    given.every(field => event[field] === filter[field]) &&
    (filter.outcome === AuditOutcome.AUDIT_OUTCOME_UNSPECIFIED ||
      outcomeNumber(event.outcome) === filter.outcome)
}
