import { inspect } from 'node:util'
import { create, toBinary, toJson } from '@bufbuild/protobuf'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { cancelled } from '../../../../http/errors/failure.js'
import { FleetScope, ListFleetObjectsResponseSchema } from '../../../../proto/gen/kairship/fleet_pb.js'
import { FakeFleet, type Mood } from './fake-fleet.js'
import { names, places } from './fleet-answers.js'

afterEach(() => void vi.useRealTimers())

describe('a list over the fleet of which a part fails', () => {
  it.each<[Mood, string]>([
    ['refuses', '7 Forbidden'],
    ['breaks', '13 InternalError'],
    ['answers fewer', '14 Incomplete'],
  ])('names the instance that %s, and has the others', async (mood, error) => {
    const fleet = new FakeFleet()
    fleet.put({ instance: 'good' }, 'a', 'c')
    fleet.put({ instance: 'bad' }, 'b', 'd')
    fleet.moods.set('bad/', mood)
    const answer = await fleet.list({})
    expect(names(answer)).toEqual(['good/a', 'good/c'])
    expect(places(answer)).toEqual([
      ['bad', error],
      ['good', 2],
    ])
    expect(answer.pagination?.total).toBe(2)
    expect(inspect(answer.places, { depth: 9 })).not.toContain('a bug')
  })

  it.each<[string, object, [string, unknown]]>([
    ['a fraction for a generation', { metadata: { name: 'b', generation: 1.5 } }, ['bad', 1]],
    ['null for its owners', { metadata: { name: 'b', ownerReferences: null } }, ['bad', 1]],
    ['numbers for labels', { metadata: { name: 'b', labels: { n: 1, deep: {} } } }, ['bad', 1]],
    [
      'no texts at all',
      { kind: {}, metadata: { name: 'b', namespace: 7, uid: [], finalizers: 'x' } },
      ['bad', 1],
    ],
    ['an object for a time', { metadata: { name: 'b', creationTimestamp: { toString: 1 } } }, ['bad', 1]],
    ['no metadata', { metadata: null }, ['bad', '13 InternalError']],
    [
      'a Work without a list of manifests',
      { ...{ apiVersion: 'work.karmada.io/v1alpha1', kind: 'Work' }, spec: { workload: { manifests: 7 } } },
      ['bad', '13 InternalError'],
    ],
  ])('has what others have when one has %s', async (_, wrong, expected) => {
    const fleet = new FakeFleet()
    fleet.put({ instance: 'good' }, 'a', 'c')
    fleet.put({ instance: 'bad' }, 'b')
    fleet.objects.set('bad/', [{ ...fleet.objects.get('bad/')![0]!, ...wrong }])
    const answer = await fleet.list({ withData: true })
    expect(places(answer)).toEqual([expected, ['good', 2]])
    expect(names(answer)).toEqual(expect.arrayContaining(['good/a', 'good/c']))
    const message = create(ListFleetObjectsResponseSchema, answer)
    expect(() => [
      toBinary(ListFleetObjectsResponseSchema, message),
      toJson(ListFleetObjectsResponseSchema, message),
    ]).not.toThrow()
  })

  it('names an instance that is a duplicate of an older one, and counts what both have once', async () => {
    const fleet = new FakeFleet()
    for (const instance of ['copy', 'first']) fleet.put({ instance }, 'a', 'b')
    fleet.members.set('copy', ['m']).set('first', ['m'])
    fleet.duplicates.add('copy')
    const answer = await fleet.list({ scope: FleetScope.EVERYWHERE })
    expect(names(answer)).toEqual(['first/a', 'first/b'])
    expect(places(answer)).toEqual([
      ['first', 2],
      ['first.m', 0],
      ['copy', '9 DuplicateControlPlane'],
    ])
    expect(answer.pagination?.total).toBe(2)
    expect(places(await fleet.list({ instances: ['first'] }))).toEqual([['first', 2]])
  })

  it('names instances that hang after seconds, all in the same seconds, and does not ask the rest after 20', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const fleet = new FakeFleet()
    fleet.put({ instance: 'good' }, 'a')
    fleet.moods.set('hangs/', 'hangs')
    const one = fleet.list({})
    await vi.advanceTimersByTimeAsync(5_000)
    expect(places(await one)).toEqual([
      ['good', 1],
      ['hangs', '4 PlaceTimeout'],
    ])
    for (let n = 0; n < 50; n += 1) fleet.moods.set(`h${n}/`, 'hangs')
    const before = fleet.asked.length
    const many = fleet.list({})
    await vi.advanceTimersByTimeAsync(20_000)
    const answer = await many
    expect(answer.places).toHaveLength(52)
    expect(answer.places?.filter(({ error }) => error?.reason === 'PlaceTimeout')).not.toHaveLength(0)
    // Eight at once, four times.
    const asked = fleet.asked.slice(before).map(([place]) => place.slice(0, -1))
    const notAsked =
      answer.places?.filter(({ error }) => error?.message?.startsWith('not asked within')) ?? []
    expect(notAsked.length).toBeGreaterThanOrEqual(19)
    expect(asked.filter(name => notAsked.some(({ instance }) => instance === name))).toEqual([])
    expect(asked.length + notAsked.length).toBe(52)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('asks every other instance while many members of one hang, and skips the rest of those', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const fleet = new FakeFleet()
    const members = Array.from({ length: 32 }, (_, index) => `m${index}`)
    fleet.put({ instance: 'bad' }, 'own')
    fleet.members.set('bad', members)
    for (const name of members) fleet.moods.set(`bad/${name}`, 'hangs')
    for (let n = 0; n < 20; n += 1) {
      fleet.put({ instance: `good${n}`, cluster: 'm' }, 'a')
      fleet.members.set(`good${n}`, ['m'])
    }
    const list = fleet.list({ scope: FleetScope.EVERYWHERE })
    await vi.advanceTimersByTimeAsync(4_000)
    // Two members of the bad one are under way, and all others have been asked.
    const ofBad = () => fleet.asked.filter(([place]) => place.startsWith('bad/m')).length
    expect([ofBad(), fleet.asked.length]).toEqual([2, 2 + 1 + 40])
    await vi.advanceTimersByTimeAsync(6_000)
    const answer = await list
    expect(answer.items).toHaveLength(21)
    expect(ofBad()).toBe(4)
    const errors = (answer.places ?? []).flatMap(({ error }) => error?.reason ?? [])
    expect(errors.filter(reason => reason === 'PlaceTimeout')).toHaveLength(4)
    expect(errors.filter(reason => reason === 'InstanceTimeouts')).toHaveLength(28)
  })

  it('ends with its caller', async () => {
    const fleet = new FakeFleet()
    fleet.moods.set('hangs/', 'hangs')
    const gone = new AbortController()
    const list = fleet.list({}, gone.signal)
    await new Promise(setImmediate)
    gone.abort(cancelled('hung up'))
    await expect(list).rejects.toThrow('hung up')
  })

  it('has what others have where only some find the request wrong', async () => {
    const fleet = new FakeFleet()
    fleet.put({ instance: 'a' }, 'a')
    fleet.put({ instance: 'b' }, 'b')
    fleet.moods.set('a/', 'finds it wrong')
    const answer = await fleet.list({})
    expect(names(answer)).toEqual(['b/b'])
    expect(places(answer)).toEqual([
      ['a', expect.stringMatching(/^3 /)],
      ['b', 1],
    ])
    fleet.moods.set('b/', 'finds it wrong')
    await expect(fleet.list({})).rejects.toMatchObject({ code: 3 })
  })
})
