import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { FleetScope } from '../../../../proto/gen/kairship/fleet_pb.js'
import { Code } from '../../../../transcoding/code.js'
import { warnedDuring } from '../../../node-warnings.js'
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
  await soon()
  expect(fleet.open).toBe(0)
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})
const following = (...request: Parameters<FollowedFleet['follow']>) => followedFrom(fleet, ...request)
const hidden = refusal(403, 'Forbidden', 'not for you')

describe('what comes and goes in a fleet that is followed', () => {
  it('is nothing of an instance that was named, unknown at the start, and remains so', async () => {
    fleet = new FollowedFleet('i')
    const { news } = await following({ instances: ['i', 'j'] })
    news()
    await soon(3 * CHECKED)
    expect(news()).toEqual([])
  })

  it('has the members of an instance gone with it, and named again when they fail again', async () => {
    fleet = new FollowedFleet('i', 'j')
    fleet.lists.set('i.*', hidden)
    const { news } = await following({ scope: FleetScope.MEMBERS })
    expect(news()).toContain('PLACE_FAILED i.* 7 Forbidden 0')
    fleet.lists.delete('i.*')
    await soon(3 * CHECKED)
    expect(news()).toEqual(['PLACE_READ i.* 0'])
    fleet.lists.set('i.*', hidden)
    await soon(CHECKED)
    expect(news()).toEqual(['PLACE_FAILED i.* 7 Forbidden 0'])
    fleet.instances.delete('i')
    fleet.changed('DELETED')
    await soon(GATHERED)
    expect(news()).toEqual(['PLACE_GONE i.* 0'])
  })

  it('is whole when the only instance that was not read is gone', async () => {
    fleet = new FollowedFleet('i', 'j')
    fleet.lists.set('i', 'hangs')
    const { news } = await following()
    expect(news()).toEqual(['RESET 0', 'RESET j 0', 'PLACE_READ j 0'])
    fleet.instances.delete('i')
    fleet.changed('DELETED')
    await soon(GATHERED)
    expect(news()).toEqual(['PLACE_GONE i 0', 'BOOKMARK 0'])
  })

  it('is there soon when it came while the instances were read', async () => {
    fleet = new FollowedFleet('i')
    const { news } = await following()
    news()
    fleet.usable = () => {
      if (!fleet.instances.has('k')) {
        fleet.instances.set('k', 'uid of k')
        fleet.changed()
      }
      return true
    }
    fleet.changed()
    await soon(2 * GATHERED)
    expect(news()).toEqual(['RESET k 0', 'PLACE_READ k 0'])
  })

  it('is an instance that was refused, when another one has its name', async () => {
    fleet = new FollowedFleet('i', 'j')
    fleet.usable = name => name === 'i'
    const { news } = await following()
    news()
    fleet.usable = () => true
    fleet.instances.set('j', 'another')
    fleet.changed()
    await soon(GATHERED)
    expect(news()).toEqual(['RESET j 0', 'PLACE_READ j 0'])
  })

  it('is asked for by rights that were refused once in five minutes, for as long as it lasts', async () => {
    fleet = new FollowedFleet('i', 'j')
    const asked: string[] = []
    fleet.usable = name => asked.push(name) > 0 && name === 'i'
    await following()
    for (let minute = 0; minute < 14; minute += 1) await soon(60_000)
    expect(asked.filter(name => name === 'j')).toHaveLength(3)
  })
})

describe('a place of a fleet that is followed', () => {
  it('is named again when it breaks again, and an error of ours is logged', async () => {
    fleet = new FollowedFleet('i')
    const { news } = await following()
    news()
    for (const _ of [1, 2]) {
      fleet.last('i').events.push(refusal(500, 'InternalError', 'broken'))
      await soon()
      expect(news()).toEqual(['PLACE_FAILED i 13 InternalError 0'])
      fleet.lists.set('i', [])
      await soon(5_000)
      fleet.last('i').events.push(...listed([]))
      await soon()
      expect(news().at(-1)).toBe('PLACE_READ i 0')
    }
    expect(fleet.log.lines.filter(({ level }) => level === 'error')).toHaveLength(2)
  })

  it('is tried again after a minute at the longest, and after the first pause once it was followed for a minute', async () => {
    fleet = new FollowedFleet('i')
    fleet.lists.set('i', hidden)
    await following()
    for (const seconds of [2, 4, 8, 16, 32, 60, 60]) {
      const { length } = fleet.opened
      await soon(seconds * 1_000 - 1)
      expect(fleet.opened).toHaveLength(length)
      await soon(1)
      expect(fleet.opened).toHaveLength(length + 1)
    }
    fleet.lists.delete('i')
    await soon(60_000)
    const read = fleet.opened.length
    await soon(60_000)
    fleet.lists.set('i', hidden)
    fleet.last('i').events.push(hidden)
    await soon(2_000)
    expect(fleet.opened).toHaveLength(read + 1)
  })

  it('that breaks while its list starts over is read as a whole again', async () => {
    fleet = new FollowedFleet('i')
    fleet.lists.set('i', ['a'])
    const { news } = await following()
    news()
    const { events } = fleet.last('i')
    events.push({ type: 'RESET', total: 0 }, { type: 'ADDED', object: configMap('b'), total: 1 }, hidden)
    await soon(2_500)
    expect(fleet.opened.map(({ since }) => since)).toEqual([undefined, undefined])
    expect(news().slice(-3)).toEqual(['RESET i 0', 'ADDED i a 1', 'PLACE_READ i 1'])
  })

  it('lets the next one be listed when it is gone', async () => {
    const names = ['a', 'b', 'c', 'd', 'e']
    fleet = new FollowedFleet(...names)
    for (const name of names) fleet.lists.set(name, 'hangs')
    const begun = fleet.follow()
    await soon()
    expect(fleet.opened.map(({ place }) => place)).toEqual(['a', 'b', 'c', 'd'])
    fleet.instances.delete('b')
    fleet.changed('DELETED')
    await soon(GATHERED)
    expect(fleet.last('e').place).toBe('e')
    fleet.end()
    await begun.catch(() => undefined)
  })

  it('is listed in turn with its members, and not after all control planes', async () => {
    fleet = new FollowedFleet('h', 'i', 'j')
    for (const name of ['h', 'i', 'j']) fleet.members.set(name, ['m'])
    const names = ['h', 'h.m', 'i', 'i.m', 'j', 'j.m']
    for (const name of names) fleet.lists.set(name, [])
    await following({ scope: FleetScope.EVERYWHERE })
    expect(fleet.opened.map(({ place }) => place)).toEqual(names)
  })

  it('has no namespace for what is in none', async () => {
    fleet = new FollowedFleet('i')
    const namespaced = { resource: 'namespaces', namespace: 'shop' }
    await expect(fleet.follow(namespaced)).rejects.toMatchObject({ code: Code.INVALID_ARGUMENT })
  })
})

describe('the end of a stream over a fleet', () => {
  it('comes when the instances can no longer be followed', async () => {
    fleet = new FollowedFleet('i')
    const { ended } = await following()
    fleet.changed(new Error('no feed'))
    await soon(GATHERED)
    await expect(ended).resolves.toMatchObject({ message: 'no feed' })
  })

  it('comes with the fourth check in a row that fails, and not with three and three more', async () => {
    fleet = new FollowedFleet('i')
    const { ended } = await following()
    let left = 3
    fleet.usable = () => {
      left -= 1
      if (left >= 0) throw new Error('no review')
      return true
    }
    await soon(4 * CHECKED)
    left = 3
    await soon(4 * CHECKED)
    expect(fleet.open).toBe(1)
    left = 4
    await soon(4 * CHECKED)
    await expect(ended).resolves.toMatchObject({ message: 'no review' })
  })

  it('does not come with 100,000 objects, nor with a warning of Node.js about 50 places', async () => {
    fleet = new FollowedFleet(...Array.from({ length: 50 }, (_, at) => `i${at}`))
    const warned = await warnedDuring(async () => {
      const { news } = await following()
      news()
      fleet
        .last('i1')
        .events.push({ type: 'ADDED', object: configMap('a'), total: 100_000, mark: markOf('2') })
      await soon()
      expect(news()).toEqual(['ADDED i1 a 100000'])
    })
    expect(warned).toEqual([])
  })
})
