import type { AuditService } from '../../../proto/gen/kairship/audit_pb.js'
import type { PlacedEvent, RecentEvents } from '../../audit/recent-events.js'
import type { Order } from '../../objects/cursor.js'
import { pageOf } from '../../objects/paging.js'
import type { ServiceHandlers } from '../../operation/operation.js'
import { afterFirstItem } from '../concurrency/after-first-item.js'
import { PageTokens } from '../kind/page-token.js'
import { isChosenBy } from './audit-filter.js'
import { auditMessageOf } from './audit-message.js'
import { seenEvents } from './seen-events.js'
import { watchAuditEvents } from './watch.js'

/** Places have 16 digits until the year 2286, so their texts are in their order. */
const NEWEST_FIRST: Order<PlacedEvent> = { keysOf: ({ place }) => [String(place)], descending: 1 }

/** Who did what during the last hours. */
export function auditHandlers(events: RecentEvents): ServiceHandlers<typeof AuditService> {
  return {
    async listAuditEvents(request, call) {
      const tokens = new PageTokens(request, call)
      const completeSince = BigInt(Math.ceil(events.forgotten / 1_000))
      const chosen = events.after(0).filter(isChosenBy(request))
      const seen = await seenEvents(events, call, chosen.reverse())
      const page = pageOf(seen, tokens.request, NEWEST_FIRST)
      return {
        items: page.items.map(auditMessageOf),
        pagination: tokens.pagination(page),
        completeSince,
      }
    },

    watchAuditEvents: (request, call) => afterFirstItem(watchAuditEvents(events, request, call)),
  }
}
