import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { FleetScope } from '../../../../proto/gen/kairship/fleet_pb.js'
import { Code } from '../../../../transcoding/code.js'
import { refusal } from './fake-fleet.js'
import {
  CHECKED,
  configMap,
  FollowedFleet,
  followedFrom,
  GATHERED,
  listed,
  markOf,
  soon,
} from './followed-fleet.js'

let fleet: FollowedFleet
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(async () => {
  fleet.end()
  await vi.advanceTimersByTimeAsync(0)
  expect(fleet.open).toBe(0)
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

const following = (...request: Parameters<FollowedFleet['follow']>) => followedFrom(fleet, ...request)

describe('a fleet that is followed', () => {
  it('has the list of each place, a bookmark after the last, and then changes with the total of all places', async () => {
    fleet = new FollowedFleet('i', 'j')
    fleet.lists.set('i', ['a', 'b']).set('j', ['c'])
    const { news } = await following()
    const first = news()
    expect(first[0]).toBe('RESET 0')
    expect(first.at(-1)).toBe('BOOKMARK 3')
    expect(first.filter(one => / i /.test(one)).map(one => one.replace(/ \d+$/, ''))).toEqual([
      'RESET i',
      'ADDED i a',
      'ADDED i b',
      'PLACE_READ i',
    ])
    fleet.last('j').events.push({ type: 'ADDED', object: configMap('d'), total: 2 })
    await soon()
    fleet.last('i').events.push({ type: 'LEFT', object: configMap('a'), total: 1 })
    await soon()
    fleet
      .last('i')
      .events.push({ type: 'BOOKMARK', total: 1 }, { type: 'DELETED', object: configMap('b'), total: 0 })
    await soon()
    expect(news()).toEqual(['ADDED j d 4', 'LEFT i a 3', 'DELETED i b 2'])
  })

  it('has members with their control planes, and those that come and go', async () => {
    fleet = new FollowedFleet('i')
    fleet.members.set('i', ['m', 'n'])
    fleet.lists.set('i.m', ['a'])
    const { news } = await following({ scope: FleetScope.EVERYWHERE })
    // Places come in any order, and so do the totals.
    const withoutTotals = news().map(one => one.replace(/ \d$/, ''))
    expect(withoutTotals.sort()).toEqual([
      ...['ADDED i.m a', 'BOOKMARK', 'PLACE_READ i', 'PLACE_READ i.m', 'PLACE_READ i.n'],
      ...['RESET', 'RESET i', 'RESET i.m', 'RESET i.n'],
    ])
    fleet.members.set('i', ['n', 'o'])
    await soon(CHECKED)
    expect(news().sort()).toEqual(['PLACE_GONE i.m 0', 'PLACE_READ i.o 0', 'RESET i.o 0'])
  })

  it('names members that cannot be listed, follows those that it has, and says when they can', async () => {
    fleet = new FollowedFleet('i')
    fleet.members.set('i', ['m'])
    const { news } = await following({ scope: FleetScope.MEMBERS })
    news()
    fleet.lists.set('i.*', refusal(403, 'Forbidden', 'no clusters for you'))
    await soon(CHECKED)
    expect(news()).toEqual(['PLACE_FAILED i.* 7 Forbidden 0'])
    await soon(CHECKED)
    fleet.last('i.m').events.push({ type: 'ADDED', object: configMap('a'), total: 1 })
    await soon()
    expect(news()).toEqual(['ADDED i.m a 1'])
    fleet.lists.delete('i.*')
    await soon(CHECKED)
    expect(news()).toEqual(['PLACE_READ i.* 1'])
  })

  it('takes in an instance that comes, and drops one that goes', async () => {
    fleet = new FollowedFleet('i')
    fleet.lists.set('i', ['a']).set('j', ['b'])
    const { news } = await following({ instances: ['i', 'j'] })
    expect(news()).toEqual([
      ...['RESET 0', 'PLACE_FAILED j 5 InstanceNotFound 0'],
      ...['RESET i 0', 'ADDED i a 1', 'PLACE_READ i 1', 'BOOKMARK 1'],
    ])
    fleet.instances.set('j', 'uid of j').set('k', 'uid of k')
    fleet.changed()
    await soon(GATHERED)
    expect(news()).toEqual(['RESET j 1', 'ADDED j b 2', 'PLACE_READ j 2'])
    fleet.instances.delete('i')
    fleet.changed()
    await soon(GATHERED)
    expect(news()).toEqual(['PLACE_GONE i 1'])
    expect(fleet.open).toBe(1)
  })

  it('names an instance that is a duplicate, and follows it when it is none any more', async () => {
    fleet = new FollowedFleet('i', 'j')
    fleet.duplicates.add('j')
    fleet.lists.set('i', ['a']).set('j', ['a'])
    const { news } = await following()
    expect(news()).toEqual([
      ...['RESET 0', 'PLACE_FAILED j 9 DuplicateControlPlane 0'],
      ...['RESET i 0', 'ADDED i a 1', 'PLACE_READ i 1', 'BOOKMARK 1'],
    ])
    fleet.judged('j', false)
    await soon(GATHERED)
    expect(news()).toEqual(['RESET j 1', 'ADDED j a 2', 'PLACE_READ j 2'])
    fleet.judged('j', true)
    await soon(2 * GATHERED)
    expect(news()).toEqual(['PLACE_GONE j 1', 'PLACE_FAILED j 9 DuplicateControlPlane 1'])
    fleet.instances.delete('j')
    fleet.changed()
    await soon(GATHERED)
    expect(news()).toEqual(['PLACE_GONE j 1'])
  })

  it('says that an instance has gone for which there was no room', async () => {
    fleet = new FollowedFleet(...Array.from({ length: 50 }, (_, at) => `i${at}`))
    const { news } = await following()
    fleet.instances.set('more', 'uid of more')
    fleet.changed()
    await soon(GATHERED)
    news()
    fleet.instances.delete('more')
    fleet.changed()
    await soon(GATHERED)
    expect(news()).toEqual(['PLACE_GONE more 0'])
  })

  it('starts over with an instance that was made anew', async () => {
    fleet = new FollowedFleet('i')
    fleet.lists.set('i', ['a'])
    const { news } = await following()
    news()
    fleet.instances.set('i', 'another')
    fleet.changed()
    await soon(2 * GATHERED)
    expect(news()).toEqual(['PLACE_GONE i 0', 'RESET i 0', 'ADDED i a 1', 'PLACE_READ i 1'])
    expect(fleet.last('i').since).toBeUndefined()
  })

  it('drops instances that the caller may no longer use', async () => {
    fleet = new FollowedFleet('i', 'j')
    fleet.lists.set('i', ['a'])
    const { news } = await following()
    news()
    fleet.usable = name => name !== 'i'
    await soon(CHECKED)
    expect(news()).toEqual(['PLACE_GONE i 0'])
    expect(fleet.open).toBe(1)
  })

  it('takes in instances that the caller may use later, and does not ask for each in every check', async () => {
    fleet = new FollowedFleet('i', 'j')
    const asked: string[] = []
    fleet.usable = name => {
      asked.push(name)
      return name === 'i'
    }
    const { news } = await following()
    await soon(CHECKED)
    expect(asked).toEqual(['i', 'j', 'i'])
    fleet.usable = () => true
    news()
    await soon(300_000)
    expect(news()).toEqual(['RESET j 0', 'PLACE_READ j 0'])
  })

  it('lists no members because an instance came that it does not follow', async () => {
    fleet = new FollowedFleet('i')
    fleet.members.set('i', ['m'])
    const { news } = await following({ instances: ['i'], scope: FleetScope.MEMBERS })
    news()
    fleet.members.set('i', ['m', 'n'])
    fleet.instances.set('j', 'uid of j')
    fleet.changed()
    await soon(GATHERED)
    expect(news()).toEqual([])
    await soon(CHECKED)
    expect(news()).toEqual(['RESET i.n 0', 'PLACE_READ i.n 0'])
  })

  it('has changes alone where only they are asked for, and says of which place some may have been missed', async () => {
    fleet = new FollowedFleet('i', 'j')
    fleet.lists.set('i', ['a', 'b'])
    const { news } = await following({ changesOnly: true, name: 'c' })
    expect(news().sort()).toEqual([
      ...['BOOKMARK 0', 'PLACE_READ i 0', 'PLACE_READ j 0', 'RESET 0', 'RESET i 0', 'RESET j 0'],
    ])
    const { events, query } = fleet.last('i')
    expect(query).toEqual({ nameContains: ['c'] })
    events.push({ type: 'MODIFIED', object: configMap('c'), total: 0 })
    events.push({ type: 'DELETED', object: configMap('c2'), total: 0 })
    events.push({ type: 'RESET', total: 0 }, { type: 'BOOKMARK', total: 0 })
    await soon()
    expect(news()).toEqual(['MODIFIED i c 0', 'DELETED i c2 0', 'RESET i 0', 'PLACE_READ i 0'])
    events.push(refusal(503, 'ServiceUnavailable', 'away'))
    await soon()
    expect(news()).toEqual(['PLACE_FAILED i 14 ServiceUnavailable 0'])
    await soon(2_000)
    expect(news()).toEqual(['RESET i 0', 'PLACE_READ i 0'])
  })

  it('names a place that breaks once, and goes on after its last change when it is back', async () => {
    fleet = new FollowedFleet('i', 'j')
    fleet.lists.set('i', ['a'])
    const { news } = await following()
    news()
    const { events } = fleet.last('i')
    events.push({ type: 'ADDED', object: configMap('b'), total: 2, mark: markOf('7') })
    await soon()
    fleet.lists.set('i', refusal(403, 'Forbidden', 'not for you'))
    events.push(refusal(403, 'Forbidden', 'not for you'))
    await soon(10_000)
    expect(news()).toEqual(['ADDED i b 2', 'PLACE_FAILED i 7 Forbidden 2'])
    expect(fleet.opened.length).toBeGreaterThan(3)
    fleet.lists.delete('i')
    await soon(10_000)
    expect(fleet.last('i').since).toEqual(markOf('7'))
    fleet
      .last('i')
      .events.push(
        { type: 'RESET', total: 0, known: true },
        { type: 'ADDED', object: configMap('a'), total: 1, known: true },
        { type: 'ADDED', object: configMap('b'), total: 2, known: true },
        { type: 'BOOKMARK', total: 2, known: true },
        { type: 'DELETED', object: configMap('b'), total: 1 },
      )
    await soon()
    expect(news()).toEqual(['PLACE_READ i 2', 'DELETED i b 1'])
  })

  it('starts over with a place that no longer knows the changes since', async () => {
    fleet = new FollowedFleet('i', 'j')
    fleet.lists.set('i', ['a']).set('j', ['c'])
    const { news } = await following()
    news()
    fleet.last('i').events.push(...listed(['b'], '9'), refusal(500, 'InternalError', 'broken'))
    await soon(3_000)
    expect(news()).toEqual([
      'RESET i 1',
      'ADDED i b 2',
      'PLACE_READ i 2',
      'PLACE_FAILED i 13 InternalError 2',
    ])
    expect(fleet.last('i').since).toEqual(markOf('9'))
  })

  it('names a place that hangs after 20 s, and has the others until then', async () => {
    fleet = new FollowedFleet('i', 'j')
    fleet.lists.set('i', 'hangs').set('j', ['a'])
    const { news } = await following()
    expect(news()).toEqual(['RESET 0', 'RESET j 0', 'ADDED j a 1', 'PLACE_READ j 1'])
    await soon(20_000)
    expect(news()).toEqual(['PLACE_FAILED i 4 PlaceTimeout 1', 'BOOKMARK 1'])
  })

  it('reads the lists of four places at once, and of two of one instance', async () => {
    fleet = new FollowedFleet('h', 'i', 'j')
    for (const name of ['h', 'i', 'j']) fleet.members.set(name, ['m', 'n', 'o'])
    for (const name of ['h', 'i', 'j'].flatMap(one => ['m', 'n', 'o'].map(at => `${one}.${at}`)))
      fleet.lists.set(name, 'hangs')
    const begun = fleet.follow({ scope: FleetScope.MEMBERS })
    await soon()
    expect(fleet.opened.map(({ place }) => place)).toEqual(['h.m', 'h.n', 'i.m', 'i.n'])
    fleet.last('i.m').events.push(...listed([]))
    await soon()
    expect(fleet.opened.slice(4).map(({ place }) => place)).toEqual(['i.o'])
    await begun
  })

  it('is refused where every place finds the request wrong, and only there', async () => {
    fleet = new FollowedFleet('i', 'j')
    fleet.lists.set('i', refusal(400, 'BadRequest', 'no such field')).set('j', ['a'])
    expect((await following()).news()).toContain('PLACE_FAILED i 3 BadRequest 0')
    fleet.lists.set('j', refusal(400, 'BadRequest', 'no such field'))
    await expect(fleet.follow()).rejects.toMatchObject({
      code: Code.INVALID_ARGUMENT,
      message: 'no such field',
    })
  })

  it('follows 50 places, refuses more at its start, and names what comes later until there is room', async () => {
    const names = Array.from({ length: 50 }, (_, at) => `i${at}`)
    fleet = new FollowedFleet(...names)
    const { said, news } = await following()
    expect(said.at(-1)).toBe('BOOKMARK 0')
    expect(fleet.open).toBe(50)
    news()
    fleet.instances.set('more', 'uid of more')
    fleet.changed()
    await soon(GATHERED)
    expect(news()).toEqual(['PLACE_FAILED more 8 TooManyRequests 0'])
    const refused = {
      code: Code.INVALID_ARGUMENT,
      message: expect.stringMatching(/51 instances.*name fewer/),
    }
    await expect(fleet.follow()).rejects.toMatchObject(refused)
    fleet.instances.delete('i7')
    fleet.changed()
    await soon(2 * GATHERED)
    expect(news()).toEqual(['PLACE_GONE i7 0', 'RESET more 0', 'PLACE_READ more 0'])
  })

  it('counts members among the places, and is refused Secrets', async () => {
    fleet = new FollowedFleet('i')
    fleet.members.set(
      'i',
      Array.from({ length: 50 }, (_, at) => `m${at}`),
    )
    await expect(fleet.follow({ scope: FleetScope.EVERYWHERE })).rejects.toThrow(/51 places/)
    await expect((async () => fleet.follow({ resource: 'secrets' }))()).rejects.toThrow(/ListSecrets/)
  })

  it('is refused names with a slash, which would be those of members, and empty ones', async () => {
    fleet = new FollowedFleet('i')
    fleet.members.set('i', ['m'])
    for (const request of [
      { instances: ['i', 'i/m'] },
      { instances: [''] },
      { clusters: ['..'] },
      { clusters: ['m', ''] },
    ])
      await expect((async () => fleet.follow(request))()).rejects.toMatchObject({
        code: Code.INVALID_ARGUMENT,
        message: expect.stringMatching(/^(instances|clusters): (is ".+", which is no|has an empty name)/),
      })
  })

  it('ends with 100,000 objects, which narrower requests do not have', async () => {
    fleet = new FollowedFleet('i', 'j')
    const { ended } = await following()
    fleet.last('i').events.push({ type: 'ADDED', object: configMap('a'), total: 100_000 })
    await soon()
    fleet.last('j').events.push({ type: 'ADDED', object: configMap('b'), total: 1 })
    await expect(ended).resolves.toMatchObject({ code: Code.FAILED_PRECONDITION })
  })

  it('ends with its call, and before it where instances cannot be read for long', async () => {
    fleet = new FollowedFleet('i')
    const { ended } = await following()
    fleet.usable = () => {
      throw new Error('no review')
    }
    await soon(3 * CHECKED)
    expect(fleet.open).toBe(1)
    await soon(2 * CHECKED)
    await expect(ended).resolves.toMatchObject({ message: 'no review' })
    expect(fleet.open).toBe(0)
    fleet.usable = () => true
    const again = await following()
    fleet.end(new Error('hung up'))
    await soon()
    await expect(again.ended).resolves.toMatchObject({ message: 'hung up' })
  })
})
