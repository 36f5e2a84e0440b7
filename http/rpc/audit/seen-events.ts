import type { PlacedEvent } from '../../audit/recent-events.js'
import type { Call } from '../../call/call.js'
import { seenBy } from '../instance/seen-by.js'

/** Stands for all instances where rights are asked for: events that are about none are shown to those who may read all. */
const ALL = ''

/** Those events that the caller may see, in the order given: its own, and those of instances whose events it may read. @throws what a review throws */
export async function seenEvents(
  call: Pick<Call, 'maySee' | 'caller'>,
  events: readonly PlacedEvent[],
): Promise<readonly PlacedEvent[]> {
  const isOwn = ({ event }: PlacedEvent) => event.user === call.caller.user
  const asked = new Set(events.filter(placed => !isOwn(placed)).map(({ event }) => event.instance || ALL))
  const seen = await seenBy(
    call,
    [...asked].map(name => ({ name })),
  )
  const readable = new Set(seen.map(({ name }) => name))
  return events.filter(placed => isOwn(placed) || readable.has(placed.event.instance || ALL))
}
