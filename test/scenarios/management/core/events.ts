import { describe, expect, it } from 'vitest'
import type { CoreService } from '../../../../proto/gen/kairship/core_pb.js'
import { type ManagedWorld, TYPES } from '../../support/managed-world.js'
import { requestsTo } from '../requests.js'

/** Events of an instance and its members. */
export function eventCases(world: ManagedWorld<typeof CoreService>): void {
  const { at, whole } = requestsTo(world)

  describe('events', () => {
    const event = (name: string, about: object, more: object = {}) => ({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name },
      involvedObject: { namespace: 'default', ...about },
      reason: 'Tested',
      message: name,
      source: { component: 'test' },
      type: 'Normal',
      count: 1,
      firstTimestamp: '2026-11-20T10:00:00Z',
      lastTimestamp: '2026-11-20T10:00:00Z',
      ...more,
    })
    const messagesOf = ({ items }: { items: { message: string }[] }) => items.map(({ message }) => message)

    it('of an instance are listed newest first, by kind, object and type', async () => {
      const about = { kind: 'Widget', name: 'a' }
      await world.create(world.control, TYPES.events, event('older', about))
      await world.create(
        world.control,
        TYPES.events,
        event('newer', about, { type: 'Warning', lastTimestamp: '2026-11-20T11:00:00Z' }),
      )
      await world.create(world.control, TYPES.events, event('other', { kind: 'Widget', name: 'b,c=d' }))
      const list = async (more: object) =>
        messagesOf(await world.calls.read('listInstanceEvents', { ...whole(), kind: 'Widget', ...more }))
      expect(await list({ name: 'a' })).toEqual(['newer', 'older'])
      expect(await list({ name: 'b,c=d' })).toEqual(['other'])
      expect(await list({ type: ['Warning'] })).toEqual(['newer'])
      expect(await list({ type: ['Warning', 'Normal'] })).toHaveLength(3)
      expect(await list({ kind: 'Gadget' })).toEqual([])
      const one = await world.calls.read('listEvents', {
        ...at(),
        kind: 'Widget',
        kindName: 'a',
        pageSize: 1,
      })
      expect(one).toMatchObject({
        items: [
          {
            involvedObject: { kind: 'Widget', name: 'a', namespace: 'default' },
            reason: 'Tested',
            source: { component: 'test' },
            type: 'Warning',
            cluster: '',
            lastTimestamp: String(Date.parse('2026-11-20T11:00:00Z')),
          },
        ],
        pagination: { total: 2 },
      })
      const kinds = await world.calls.read('listInstanceEventKinds', whole())
      expect(kinds.data).toContain('Widget')
      expect(kinds.data).toEqual([...new Set(kinds.data)].sort())
    })

    it('of a member are listed when it is named', async () => {
      const [cluster = ''] = world.members
      await world.create(
        world.member(cluster).local,
        TYPES.events,
        event('there', { kind: 'Gear', name: 'g' }),
      )
      const list = await world.calls.read('listEvents', { ...at(), cluster, kind: 'Gear', kindName: 'g' })
      expect(list.items).toMatchObject([{ message: 'there', cluster }])
      expect((await world.calls.read('listInstanceEventKinds', { ...whole(), cluster })).data).toContain(
        'Gear',
      )
      expect(
        messagesOf(await world.calls.read('listInstanceEvents', { ...whole(), cluster, kind: 'Gear' })),
      ).toEqual(['there'])
      expect(messagesOf(await world.calls.read('listInstanceEvents', { ...whole(), kind: 'Gear' }))).toEqual(
        [],
      )
    })
  })
}
