import type { MessageInitShape } from '@bufbuild/protobuf'
import type { InstanceView } from '../../../ports/fleet.js'
import {
  WatchInstancesResponse_Type as Type,
  type WatchInstancesRequest,
  type WatchInstancesResponseSchema,
} from '../../../proto/gen/kairship/instance_pb.js'
import type { Call } from '../../call/call.js'
import type { InstanceFeed } from '../../instances/instance-feed.js'
import { isChosen } from '../../instances/instance-filter.js'
import { ShownObjects } from '../../objects/watch/shown-objects.js'
import { streamDigest } from '../kind/resume-token.js'
import { messageOfView } from './message.js'
import { seenBy } from './seen-by.js'

type Message = MessageInitShape<typeof WatchInstancesResponseSchema>

/**
 * The feed as one caller may see it, and as the filter chooses. An instance that becomes visible to the caller is ADDED, one that
 * ceases to be is DELETED, as far as its changes show it.
 */
export async function* watchInstances(
  feed: InstanceFeed,
  request: WatchInstancesRequest,
  call: Call,
): AsyncGenerator<Message> {
  const isWanted = (view: InstanceView) => isChosen(view, request)
  let shown = new ShownObjects()
  /** Names a position of the feed, and by a digest this stream and the instances that its reader has then. */
  const tokenAt = (position: string) =>
    position && `${position}.${streamDigest([request, call.caller.user, shown.digest])}`

  const positionToGoOnFrom = async (): Promise<string> => {
    const position = request.resumeToken.replace(/\.[^.]*$/, '')
    const views = (await feed.presentAt(position, call.signal)) ?? []
    for (const { instance } of await seenBy(call, views.filter(isWanted))) shown.set(instance)
    return tokenAt(position) === request.resumeToken ? position : ''
  }

  for await (const event of feed.read(request.resumeToken && (await positionToGoOnFrom()), call.signal)) {
    if (!('view' in event)) {
      if (event.type === 'RESET') shown = new ShownObjects()
      yield { type: Type[event.type], total: shown.size, resumeToken: tokenAt(event.token) }
      continue
    }
    const { view, before = view, token } = event
    const { instance } = view
    const isKnown = shown.has(instance)
    const isSeen = event.type !== 'DELETED' && (isKnown || isWanted(view)) && (await call.maySee(view.name))
    const isShown = isSeen && isWanted(view)
    if (isShown) shown.set(instance)
    else shown.delete(instance)
    if (!isShown && !isKnown) continue
    const type = isShown ? (isKnown ? Type.MODIFIED : Type.ADDED) : isSeen ? Type.LEFT : Type.DELETED
    // Not the change itself where the caller may no longer see it.
    const last = isSeen ? view : before
    yield { type, instance: messageOfView(last), total: shown.size, resumeToken: tokenAt(token) }
  }
}
