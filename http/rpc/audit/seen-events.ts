import type { PlacedEvent, RecentEvents } from '../../audit/recent-events.js'
import type { Call } from '../../call/call.js'
import { seenBy } from '../instance/seen-by.js'

/**
 * Those events that the caller may see, in the order given: its own, and those of instances whose events it may read. Those of no instance, whose
 * name is empty, are shown to who may read all. With a token for one instance its own are those there. @throws what a review throws
 */
export async function seenEvents(
  kept: Pick<RecentEvents, 'instanceOf'>,
  call: Pick<Call, 'maySee' | 'caller'>,
  events: readonly PlacedEvent[],
): Promise<readonly PlacedEvent[]> {
  const { user, credential } = call.caller
  const only = credential?.instance
  // Who holds a token for one instance need not be its user, whose other instances are none of the holder's.
  const isOwn = (placed: PlacedEvent) =>
    placed.event.user === user && (only === undefined || kept.instanceOf(placed) === only)
  const asked = new Set(events.filter(placed => !isOwn(placed)).map(placed => kept.instanceOf(placed)))
  const seen = await seenBy(
    call,
    [...asked].map(name => ({ name })),
  )
  const readable = new Set(seen.map(({ name }) => name))
  return events.filter(placed => isOwn(placed) || readable.has(kept.instanceOf(placed)))
}
