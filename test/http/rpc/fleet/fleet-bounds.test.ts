import { create, toBinary } from '@bufbuild/protobuf'
import { describe, expect, it, vi } from 'vitest'
import { FleetScope, ListFleetObjectsResponseSchema } from '../../../../proto/gen/kairship/fleet_pb.js'
import { SortBy } from '../../../../proto/gen/kairship/types_pb.js'
import { Code } from '../../../../transcoding/code.js'
import { FakeFleet } from './fake-fleet.js'

const names = ({ items = [] }: Awaited<ReturnType<FakeFleet['list']>>) =>
  items.map(({ metadata }) => metadata?.name)
const reasons = ({ places = [] }: Awaited<ReturnType<FakeFleet['list']>>) =>
  places.map(({ error }) => error?.reason)

/** A fleet of one instance with these objects. */
function one(...objects: readonly string[]) {
  const fleet = new FakeFleet()
  fleet.put({ instance: 'i' }, ...objects)
  return fleet
}

describe('a list over the fleet', () => {
  it.each([
    ['of 1000', { pageSize: 1_000 }],
    ['over 1000 named instances', { instances: Array(1_000).fill('i') }],
    ['over 1000 named clusters', { clusters: Array(1_000).fill('m') }],
    ['of secrets of another group', { group: 'example.io', resource: 'secrets' }],
    ['of a type with the longest name', { resource: 'x'.repeat(253) }],
  ])('has a page %s', async (_, request) => {
    await expect(one('a').list(request)).resolves.toBeDefined()
  })

  it.each([
    ['instances', { instances: Array(1_001).fill('i') }, 'has 1001 names, but may have 1000'],
    ['clusters', { clusters: Array(1_001).fill('m') }, 'has 1001 names, but may have 1000'],
    ['resource', { resource: 'x'.repeat(254) }, 'which is no resource of an API'],
  ])('refuses %s beyond their bound', async (field, request, message) => {
    await expect(one('a').list(request)).rejects.toThrow(new RegExp(`^${field}: .*${message}`))
  })

  it('is sorted by name, and descending by a key without a direction', async () => {
    const fleet = one('b', 'a', 'c')
    expect(names(await fleet.list({}))).toEqual(['a', 'b', 'c'])
    expect(names(await fleet.list({ sortBy: SortBy.field_name }))).toEqual(['c', 'b', 'a'])
  })

  it('counts as many as its message can hold, in each place and in all', async () => {
    const fleet = one('a', 'b')
    fleet.put({ instance: 'j' }, 'a', 'b')
    for (const at of ['i/', 'j/']) fleet.moods.set(at, 'counts beyond')
    const answer = await fleet.list({ pageSize: 1 })
    expect(answer.pagination?.total).toBe(2 ** 31 - 1)
    expect(() =>
      toBinary(ListFleetObjectsResponseSchema, create(ListFleetObjectsResponseSchema, answer)),
    ).not.toThrow()
  })

  it('is asked for twice where a place answers with fewer than it has', async () => {
    const fleet = one('a', 'b')
    fleet.moods.set('i/', 'answers fewer')
    expect(reasons(await fleet.list({}))).toEqual(['Incomplete'])
    expect(fleet.asked).toHaveLength(2)
  })

  it('asks each member of an instance that refuses at once, however many refuse', async () => {
    const fleet = new FakeFleet()
    const members = ['a', 'b', 'c', 'd', 'e', 'f']
    fleet.members.set('i', members)
    for (const name of members) fleet.moods.set(`i/${name}`, 'refuses')
    expect(reasons(await fleet.list({ scope: FleetScope.MEMBERS }))).toEqual(Array(6).fill('Forbidden'))
  })

  it('has what broke in the log, with its place, and no refusal', async () => {
    const fleet = one('a')
    fleet.moods.set('i/', 'refuses')
    fleet.put({ instance: 'j' }, 'b')
    fleet.moods.set('j/', 'breaks')
    await fleet.list({})
    expect(fleet.log.lines).toMatchObject([
      { level: 'error', fields: { instance: 'j', err: { cause: new TypeError('a bug') } } },
    ])
  })

  it('names an instance once that is named twice and may not be used', async () => {
    const answer = await one('a').list({ instances: ['nobody', 'nobody'] })
    expect(answer.places).toMatchObject([{ instance: 'nobody', error: { code: Code.NOT_FOUND } }])
  })

  it('leaves no timer when it is there', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      await one('a').list({})
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })
})
