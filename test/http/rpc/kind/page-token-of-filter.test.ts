import { create } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import type { Call } from '../../../../http/call/call.js'
import { apiextensionsHandlers } from '../../../../http/rpc/apiextensions/handlers.js'
import { eventHandlers } from '../../../../http/rpc/core/event-handlers.js'
import { ListCustomResourceDefinitionsRequestSchema } from '../../../../proto/gen/kairship/apiextensions_pb.js'
import {
  ListEventsRequestSchema,
  ListInstanceEventsRequestSchema,
} from '../../../../proto/gen/kairship/core_pb.js'
import { recordingObjects } from '../recording-objects.js'

const call = { caller: { user: 'ann', groups: [], extra: {} } } as unknown as Call

/** Objects whose every page is followed by another. */
function endless() {
  const { objects } = recordingObjects(() => undefined)
  const list: typeof objects.list = async (...given) =>
    ({
      ...(await objects.list(...given)),
      next: { after: ['a', 'b', 'c'], offset: 1, sorted: 'here', before: [] },
    }) as never
  return { ...objects, list }
}

describe('a page token of a list whose filter is none of the common ones', () => {
  const events = eventHandlers(endless())
  const definitions = apiextensionsHandlers(endless())
  it.each([
    [
      'the events of an instance, by name',
      (fields: object) => events.listInstanceEvents(create(ListInstanceEventsRequestSchema, fields), call),
      { name: 'web' },
    ],
    [
      'the events of a namespace, by name',
      (fields: object) => events.listEvents(create(ListEventsRequestSchema, fields), call),
      { kindName: 'web' },
    ],
    [
      'the events of a namespace, by kind',
      (fields: object) => events.listEvents(create(ListEventsRequestSchema, fields), call),
      { kind: 'Pod' },
    ],
    [
      'CustomResourceDefinitions, by name',
      (fields: object) =>
        definitions.listCustomResourceDefinitions(
          create(ListCustomResourceDefinitionsRequestSchema, fields),
          call,
        ),
      { name: 'web' },
    ],
  ])('is refused with another filter: %s', async (_, list, filter) => {
    const of = { instance: 'i', pageSize: 1 }
    const pageToken = (await list({ ...of, ...filter })).pagination?.nextPageToken ?? ''
    await expect(list({ ...of, ...filter, pageToken })).resolves.toBeDefined()
    await expect(list({ ...of, pageToken })).rejects.toMatchObject({
      details: {
        violations: [{ field: 'pageToken', description: expect.stringContaining('another request') }],
      },
    })
  })
})
