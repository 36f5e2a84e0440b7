import type { MessageInitShape } from '@bufbuild/protobuf'
import {
  WatchInstancesResponse_Type as Type,
  type WatchInstancesRequest,
  type WatchInstancesResponseSchema,
} from '../../../proto/gen/kairship/instance_pb.js'
import type { Call } from '../../call.js'
import type { InstanceFeed } from './feed.js'
import { messageOfView } from './message.js'

type Message = MessageInitShape<typeof WatchInstancesResponseSchema>

/** How many reviews are under way at once for one caller's list. */
const REVIEWS_AT_ONCE = 16

/** Those instances that the caller may see, in the order given. */
export async function seenBy<Named extends { readonly name: string }>(
  call: Call,
  all: readonly Named[],
): Promise<readonly Named[]> {
  const seen: boolean[] = []
  const rest = all.entries()
  const review = async () => {
    for (const [index, { name }] of rest) seen[index] = await call.maySee(name)
  }
  await Promise.all(Array.from({ length: Math.min(REVIEWS_AT_ONCE, all.length) }, review))
  return all.filter((_, index) => seen[index])
}

/**
 * The feed as one caller may see it. An instance that becomes visible to the caller is ADDED, one that ceases to be is
 * DELETED, as far as its changes show it.
 */
export async function* watchInstances(
  feed: InstanceFeed,
  { name, resumeToken }: Pick<WatchInstancesRequest, 'name' | 'resumeToken'>,
  call: Call,
): AsyncGenerator<Message> {
  const shown = new Set<string>()
  for await (const event of feed.read(resumeToken, call.signal)) {
    if (!('view' in event)) {
      if (event.type === 'RESET') shown.clear()
      yield { type: Type[event.type], resumeToken: event.token }
      continue
    }
    const { view, token } = event
    if (name && view.name !== name) continue
    const type = await typeFor(event.type, shown.has(view.name), () => call.maySee(view.name))
    if (type === Type.DELETED) shown.delete(view.name)
    else if (type !== undefined) shown.add(view.name)
    if (type !== undefined) yield { type, instance: messageOfView(view), resumeToken: token }
  }
}

/** The type of a change for a caller to whom this stream has, or has not, shown the instance; undefined for no message. */
async function typeFor(
  change: 'ADDED' | 'MODIFIED' | 'DELETED',
  shown: boolean,
  maySee: () => Promise<boolean>,
): Promise<Type | undefined> {
  // An earlier stream showed it to a caller that resumed, if the caller may see it.
  if (change === 'DELETED') return shown || (await maySee()) ? Type.DELETED : undefined
  if (await maySee()) return shown ? Type.MODIFIED : Type[change]
  return shown ? Type.DELETED : undefined
}
