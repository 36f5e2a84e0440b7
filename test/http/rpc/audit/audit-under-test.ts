import { create, type MessageInitShape } from '@bufbuild/protobuf'
import type { RecentEvent } from '../../../../http/audit/recent-event.js'
import { RecentEvents } from '../../../../http/audit/recent-events.js'
import type { Call } from '../../../../http/call/call.js'
import { auditHandlers } from '../../../../http/rpc/audit/handlers.js'
import {
  ListAuditEventsRequestSchema,
  WatchAuditEventsRequestSchema,
  type WatchAuditEventsResponseSchema,
} from '../../../../proto/gen/kairship/audit_pb.js'
import { ListChange_Type as Type } from '../../../../proto/gen/kairship/types_pb.js'
import { recentEvent } from '../../audit/recent-event.js'

/** When the clock begins, milliseconds since 1970. */
export const START = Date.UTC(2026, 10, 23)
type Step = MessageInitShape<typeof WatchAuditEventsResponseSchema>

/** Who reads: `ann` unless named, by a token for one instance alone where that is given. */
interface Reader {
  readonly user?: string
  readonly only?: string
}

/** Audit events, and calls of the user `ann`, who may see the events of these instances; of all by the name ''. */
export function audit(readable: Set<string> = new Set(), most = 100) {
  const clock = { now: START }
  const instances = new Set(['north', 'south'])
  const events = new RecentEvents({ most, now: () => clock.now, isInstance: name => instances.has(name) })
  const handlers = auditHandlers(events)
  const ended = new AbortController()
  const asked: string[] = []
  const call = ({ user = 'ann', only }: Reader = {}) =>
    ({
      caller: { user, groups: [], extra: {}, ...(only && { credential: { instance: only } }) },
      signal: ended.signal,
      maySee: async (name: string) => {
        asked.push(name)
        return (only === undefined || name === only) && (readable.has(name) || readable.has(''))
      },
    }) as unknown as Call
  const keep = (id: string, more: Partial<RecentEvent> = {}) => {
    clock.now += 1_000
    events.keep(recentEvent({ id, endedAt: clock.now, user: 'bob', ...more }))
  }
  const list = async (request: MessageInitShape<typeof ListAuditEventsRequestSchema> = {}, by?: Reader) => {
    const {
      items = [],
      pagination,
      completeSince,
    } = await handlers.listAuditEvents(create(ListAuditEventsRequestSchema, request), call(by))
    return { ids: items.map(({ id }) => id), items, pagination, completeSince }
  }
  const watch = async (request: MessageInitShape<typeof WatchAuditEventsRequestSchema> = {}, by?: Reader) =>
    reader(await handlers.watchAuditEvents(create(WatchAuditEventsRequestSchema, request), call(by)))
  return { keep, list, watch, asked, readable, clock, instances }
}

/** Reads a stream step by step. */
function reader(stream: AsyncIterable<Step>) {
  const iterator = stream[Symbol.asyncIterator]()
  const tokens: string[] = []
  return {
    tokens,
    /** What the next steps say: the type, the total, and the id of the event. */
    async next(count: number): Promise<unknown[][]> {
      const said: unknown[][] = []
      while (said.length < count) {
        const { value } = (await iterator.next()) as { value: Step }
        const { type, total, event, resumeToken } = value
        said.push([Type[type!], total, ...(event ? [event.id] : [])])
        if (resumeToken) tokens.push(resumeToken)
      }
      return said
    },
  }
}
