import { expect, it } from 'vitest'
import type { Call } from '../../../../http/call/call.js'
import { eventHandlers } from '../../../../http/rpc/core/event-handlers.js'
import { EventType } from '../../../../proto/gen/kairship/core_pb.js'
import { recordingObjects } from '../recording-objects.js'

it.each([
  [{}, ''],
  [{ kind: 'Pod', kindName: 'web' }, 'involvedObject.kind=Pod,involvedObject.name=web'],
  [{ kindName: 'a,type=Normal' }, 'involvedObject.name=a\\,type\\=Normal'],
  [{ kindName: 'a\\' }, 'involvedObject.name=a\\\\'],
  [{ type: [EventType.Warning] }, 'type=Warning'],
  [{ type: [EventType.Warning, EventType.Normal] }, ''],
  [{ type: [EventType.EVENT_TYPE_UNSPECIFIED, EventType.Normal] }, 'type=Normal'],
])('a list of the Events of %j selects by %j', async (about, fieldSelector) => {
  const { objects, recorded } = recordingObjects(() => undefined)
  const request = { instance: 'i', namespace: 'a', page: 1, pageSize: 0, kind: '', kindName: '', type: [] }
  await eventHandlers(objects).listEvents({ ...request, ...about } as never, {} as Call)
  expect(recorded).toMatchObject([{ verb: 'list', resource: 'events', query: { fieldSelector } }])
})
