import type { MessageInitShape } from '@bufbuild/protobuf'
import type { AuditEventSchema } from '../../../proto/gen/kairship/audit_pb.js'
import type { PlacedEvent } from '../../audit/recent-events.js'
import { outcomeNumber } from './audit-filter.js'

/** An event as callers receive it. */
export const auditMessageOf = ({ event }: PlacedEvent): MessageInitShape<typeof AuditEventSchema> => ({
  ...event,
  endedAt: BigInt(event.endedAt),
  durationMs: BigInt(event.durationMs),
  outcome: outcomeNumber(event.outcome),
})
