import { afterEach, describe, expect, it, vi } from 'vitest'
import { FleetScope } from '../../../../proto/gen/kairship/fleet_pb.js'
import { type AcrossMood, FakeFleet } from './fake-fleet.js'
import { names, places } from './fleet-answers.js'

afterEach(() => void vi.useRealTimers())

describe('a list over the fleet from an index', () => {
  it('asks each place for no more than one object beyond the pages up to this one, and few places at once', async () => {
    const fleet = new FakeFleet()
    for (let n = 0; n < 20; n += 1) {
      fleet.put({ instance: `i${n}` }, ...Array.from({ length: 99 }, (_, m) => `o${m}`))
      fleet.moods.set(`i${n}/`, 'has no index')
    }
    const answer = await fleet.list({ page: 2, pageSize: 10 })
    expect(answer.pagination).toMatchObject({ total: 1_980, page: 2, pageSize: 10, pages: 198 })
    expect(answer.items).toHaveLength(10)
    expect(fleet.asked.map(([, size]) => size)).toEqual(Array(20).fill(21))
    expect(fleet.most).toBe(8)
  })

  it('reads from an index only the page, and in each instance together as much, however deep it is', async () => {
    const fleet = new FakeFleet()
    for (let n = 0; n < 20; n += 1)
      fleet.put({ instance: `i${n}` }, ...Array.from({ length: 99 }, (_, m) => `o${m}`))
    const answer = await fleet.list({ page: 9, pageSize: 100 })
    expect(answer.pagination).toMatchObject({ total: 1_980, page: 9, pageSize: 100, pages: 20 })
    expect(answer.items).toHaveLength(100)
    expect(fleet.asked.map(([, size]) => size)).toEqual(Array(20).fill(5))
    expect(fleet.windows).toEqual([[800, 101]])
    // Those before the page that are not in the index may come before any of those that are.
    fleet.put({ instance: 'other' }, ...Array.from({ length: 30 }, (_, m) => `p${m}`))
    fleet.moods.set('other/', 'has no index')
    await fleet.list({ page: 9, pageSize: 100 })
    expect(fleet.windows.at(-1)).toEqual([770, 131])
  })

  it('reads any page of one instance from its index, also beyond 10,000 objects', async () => {
    const fleet = new FakeFleet()
    fleet.put(
      { instance: 'i' },
      ...Array.from({ length: 10_200 }, (_, m) => `o${String(m).padStart(5, '0')}`),
    )
    const answer = await fleet.list({ instances: ['i'], page: 203, pageSize: 50 })
    expect(names(answer).slice(0, 2)).toEqual(['i/o10100', 'i/o10101'])
    expect(answer.pagination).toMatchObject({ total: 10_200, page: 203 })
    expect([fleet.asked, fleet.windows]).toEqual([[['i/', 50]], [[10_100, 51]]])
  })

  it('reads no list over instances where their own have all that there is', async () => {
    const fleet = new FakeFleet()
    fleet.put({ instance: 'i' }, 'a', 'c')
    fleet.put({ instance: 'j' }, 'b')
    expect(names(await fleet.list({}))).toEqual(['i/a', 'j/b', 'i/c'])
    expect([fleet.asked, fleet.windows]).toEqual([
      [
        ['i/', 25],
        ['j/', 25],
      ],
      [],
    ])
  })

  it('counts again when the index has more objects than it counted, once, and then asks each instance', async () => {
    const fleet = new FakeFleet()
    fleet.put({ instance: 'i' }, 'a', 'c')
    fleet.put({ instance: 'j' }, 'b')
    const [request, sizes] = [{ pageSize: 2 }, () => fleet.asked.splice(0).map(([, size]) => size)]
    fleet.across = 'had more once'
    expect(names(await fleet.list(request))).toEqual(['i/a', 'j/b'])
    expect(sizes()).toEqual([1, 1, 1])
    fleet.across = 'has more'
    expect(names(await fleet.list(request))).toEqual(['i/a', 'j/b'])
    expect(sizes()).toEqual([1, 1, 1, 3])
  })

  it.each<AcrossMood>(['knows no such list', 'breaks', 'has what is no object', 'sorts as a language'])(
    'asks each instance at once where the index %s',
    async mood => {
      const fleet = new FakeFleet()
      fleet.put({ instance: 'i' }, 'a-c', 'ab', 'a-z', 'b')
      fleet.put({ instance: 'j' }, 'a-d', 'ac')
      fleet.across = mood
      const answer = await fleet.list({ pageSize: 4 })
      expect(names(answer)).toEqual(['i/a-c', 'j/a-d', 'i/a-z', 'i/ab'])
      expect([places(answer), answer.pagination?.total]).toEqual([
        [
          ['i', 4],
          ['j', 2],
        ],
        6,
      ])
      expect(fleet.windows).toHaveLength(1)
    },
  )

  it('asks each instance after seconds where the index does not answer with the list over them', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const fleet = new FakeFleet()
    fleet.put({ instance: 'i' }, 'a', 'c')
    fleet.put({ instance: 'j' }, 'b', 'd')
    fleet.across = 'hangs'
    const list = fleet.list({ pageSize: 2 })
    await vi.advanceTimersByTimeAsync(5_000)
    expect(names(await list)).toEqual(['i/a', 'j/b'])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('asks a control plane again whose members did not answer in time', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const fleet = new FakeFleet()
    fleet.put({ instance: 'i' }, 'a', 'c')
    fleet.put({ instance: 'j' }, 'b', 'd')
    fleet.members.set('i', ['m', 'n', 'o', 'p'])
    for (const member of ['m', 'n', 'o', 'p']) fleet.moods.set(`i/${member}`, 'hangs')
    fleet.across = 'knows no such list'
    const list = fleet.list({ pageSize: 4, scope: FleetScope.EVERYWHERE })
    await vi.advanceTimersByTimeAsync(15_000)
    const answer = await list
    expect(names(answer)).toEqual(['i/a', 'j/b', 'i/c', 'j/d'])
    expect(places(answer)).toEqual([
      ['i', 2],
      ...['m', 'n', 'o'].map(member => [`i.${member}`, '4 PlaceTimeout']),
      ['i.p', '4 PlaceTimeout'],
      ['j', 2],
    ])
  })

  it('asks again when a place counts more than it read, once', async () => {
    const fleet = new FakeFleet()
    fleet.put({ instance: 'i' }, 'a', 'b')
    fleet.moods.set('i/', 'fewer once')
    expect(names(await fleet.list({}))).toEqual(['i/a', 'i/b'])
    expect(fleet.asked).toHaveLength(2)
  })

  it('sorts the objects of an index that sorts as a language does', async () => {
    const fleet = new FakeFleet()
    fleet.put({ instance: 'i' }, 'a-c', 'ab', 'a-z', 'b')
    fleet.put({ instance: 'j' }, 'a-d', 'ac')
    fleet.moods.set('i/', 'sorts as a language')
    expect(names(await fleet.list({ pageSize: 4 }))).toEqual(['i/a-c', 'j/a-d', 'i/a-z', 'i/ab'])
  })
})
