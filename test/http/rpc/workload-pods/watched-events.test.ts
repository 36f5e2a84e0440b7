import { getEventListeners } from 'node:events'
import { describe, expect, it, vi } from 'vitest'
import { MOST_EVENTS } from '../../../../http/rpc/workload-pods/shown-events.js'
import { MOST_CLUSTERS } from '../../../../http/rpc/workload-pods/watched-events.js'
import { waitFor } from '../../../patience.js'
import { bindingTo, eventOf, member, watching } from './event-world.js'
import { noCluster, pod, refusal } from './log-world.js'

const ofTemplate = eventOf('placed', 'template', { involvedObject: { kind: 'DaemonSet', name: 'agent' } })
const inControl = (...clusters: string[]) => ({
  resourcebindings: [bindingTo(...clusters)],
  events: [ofTemplate, eventOf('stranger', 'stranger')],
})
const named = (...clusters: string[]) => ({ clusters })

describe('the events of a workload that are followed', () => {
  it('are those of the control plane and of its members, and then what changes, with how many there are', async () => {
    const world = watching({
      '': inControl('m1', 'm2'),
      m1: member([pod('p1')], [eventOf('pulled', 'p1'), eventOf('other', 'stranger')]),
      m2: member([pod('p2')], [eventOf('started', 'p2')]),
    })
    expect(await world.next(2)).toEqual([
      ['RESET', '', 0],
      ['ADDED', '/placed', 1],
    ])
    const rest = await world.next(3)
    expect(rest.slice(0, 2).map(([, event]) => event)).toEqual(
      expect.arrayContaining(['m1/pulled', 'm2/started']),
    )
    expect(rest[2]).toEqual(['BOOKMARK', '', 3])
    const again = eventOf('pulled', 'p1', { count: 2 })
    await world.live
      .get('events m1')!
      .tell('MODIFIED', { ...again, metadata: { ...again.metadata, resourceVersion: '2' } })
    expect(await world.next(1)).toEqual([['MODIFIED', 'm1/pulled', 3]])
    await world.live.get('events m2')!.tell('DELETED', eventOf('started', 'p2'))
    expect(await world.next(1)).toEqual([['DELETED', 'm2/started', 2]])
    await world.messages.return()
  })

  it('have those of a pod that is made later, and look up one of others once', async () => {
    const pods = [pod('p1')]
    const world = watching({ m1: member(pods, []) }, named('m1'))
    await world.next(2)
    pods.push(pod('late'))
    const live = world.live.get('events m1')!
    await live.tell('ADDED', eventOf('alien', 'stranger'))
    await live.tell('ADDED', eventOf('alien too', 'stranger'))
    await live.tell('ADDED', eventOf('scheduled', 'late'))
    expect(await world.next(1)).toEqual([['ADDED', 'm1/scheduled', 1]])
    expect(world.asked.filter(one => one.includes('='))).toEqual([
      'pods m1 metadata.name=stranger',
      'pods m1 metadata.name=late',
    ])
    await world.messages.return()
  })

  it('do not look up a name that no pod can have', async () => {
    const world = watching({ m1: member([], []) }, named('m1'))
    await world.next(2)
    const involvedObject = { kind: 'Pod', name: 'a,metadata.name!=b', uid: 'x' }
    await world.live.get('events m1')!.tell('ADDED', eventOf('odd', 'x', { involvedObject }))
    expect(world.asked.filter(one => one.includes('='))).toEqual([])
    await world.messages.return()
  })

  it('have those of a pod that is made while the lists are read', async () => {
    const pods = [pod('p1')]
    const events = [eventOf('pulled', 'p1')]
    const place = member(pods, events)
    // The pod and its event are there once the pods were read.
    const world = watching(
      {
        m1: {
          ...place,
          get events() {
            if (pods.length === 1) {
              pods.push(pod('p2'))
              events.push(eventOf('late', 'p2'))
            }
            return events
          },
        },
      },
      named('m1'),
    )
    expect(await world.next(4)).toEqual([
      ['RESET', '', 0],
      ['ADDED', 'm1/pulled', 1],
      ['ADDED', 'm1/late', 2],
      ['BOOKMARK', '', 2],
    ])
    await waitFor(() => expect([...world.open.values()]).toEqual(['events m1']))
    await world.messages.return()
  })

  it('of a type are those of it, and of others no pod is looked up', async () => {
    const warned = { type: 'Warning' }
    const world = watching(
      { m1: member([pod('p1')], [eventOf('fine', 'p1'), eventOf('failed', 'p1', warned)]) },
      { ...named('m1'), types: new Set(['Warning']) },
    )
    expect(await world.next(3)).toEqual([
      ['RESET', '', 0],
      ['ADDED', 'm1/failed', 1],
      ['BOOKMARK', '', 1],
    ])
    await world.live.get('events m1')!.tell('ADDED', eventOf('calm', 'stranger'))
    expect(world.asked.filter(one => one.includes('='))).toEqual([])
    await world.messages.return()
  })

  it('name a member that cannot be read, and have its events once it can, after pauses that grow', async () => {
    const places: Parameters<typeof watching>[0] = {
      m1: member([pod('p1')], [eventOf('pulled', 'p1')]),
      m2: refusal(503, 'ServiceUnavailable'),
    }
    const pauses: number[] = []
    const world = watching(places, named('m1', 'm2'), async (ms: number) => {
      if (pauses.push(ms) === 3) places.m2 = member([pod('p2')], [eventOf('back', 'p2')])
    })
    const first = await world.next(4)
    expect(first).toContainEqual(['UNREAD', 'm2', 'it is ServiceUnavailable'])
    expect(first).toContainEqual(['ADDED', 'm1/pulled', 1])
    expect(first[3]).toEqual(['BOOKMARK', '', 1])
    expect(await world.next(4)).toEqual([
      ['UNREAD', 'm2', 'it is ServiceUnavailable'],
      ['UNREAD', 'm2', 'it is ServiceUnavailable'],
      ['ADDED', 'm2/back', 2],
      ['READ', 'm2', 2],
    ])
    expect(pauses).toEqual([5_000, 10_000, 20_000])
    await world.messages.return()
  })

  it('of a member are asked for again after a minute at the longest, and after the first pause once it was followed for a minute', async () => {
    const places: Parameters<typeof watching>[0] = { m1: refusal(503, 'ServiceUnavailable') }
    const pauses: number[] = []
    const world = watching(places, named('m1'), async (ms: number) => {
      if (pauses.push(ms) === 6) places.m1 = member([pod('p1')], [eventOf('back', 'p1')])
    })
    await world.next(10)
    const now = performance.now()
    vi.spyOn(performance, 'now').mockReturnValue(now + 61_000)
    try {
      world.live.get('events m1')!.fail(refusal(503, 'ServiceUnavailable'))
      expect(await world.next(1)).toEqual([['UNREAD', 'm1', 'it is ServiceUnavailable']])
      places.m1 = noCluster('m1')
      await world.next(1)
    } finally {
      vi.restoreAllMocks()
    }
    expect(pauses).toEqual([5_000, 10_000, 20_000, 40_000, 60_000, 60_000, 5_000])
    await world.messages.return()
  })

  it('of a member that broke are those that changed meanwhile, when it is read again', async () => {
    const events = [eventOf('kept', 'p1'), eventOf('expired', 'p1')]
    const world = watching({ m1: member([pod('p1')], events) }, named('m1'), async () => undefined)
    await world.next(4)
    events.splice(1, 1, eventOf('new', 'p1'))
    world.live.get('events m1')!.fail(refusal(503, 'ServiceUnavailable'))
    expect(await world.next(4)).toEqual([
      ['UNREAD', 'm1', 'it is ServiceUnavailable'],
      ['DELETED', 'm1/expired', 1],
      ['ADDED', 'm1/new', 2],
      ['READ', 'm1', 2],
    ])
    await world.messages.return()
  })

  it('say that a member is read again where nothing changed in it meanwhile', async () => {
    const world = watching(
      { m1: member([pod('p1')], [eventOf('kept', 'p1')]) },
      named('m1'),
      async () => undefined,
    )
    await world.next(3)
    world.live.get('events m1')!.fail(refusal(503, 'ServiceUnavailable'))
    expect(await world.next(2)).toEqual([
      ['UNREAD', 'm1', 'it is ServiceUnavailable'],
      ['READ', 'm1', 1],
    ])
    await world.messages.return()
  })

  it('tell once of a cluster that is not there', async () => {
    const pauses: number[] = []
    const world = watching({ m1: noCluster('m1') }, named('m1'), async ms => void pauses.push(ms))
    expect(await world.next(3)).toEqual([
      ['RESET', '', 0],
      ['UNREAD', 'm1', 'clusters "m1" not found'],
      ['BOOKMARK', '', 0],
    ])
    expect((await world.messages.next()).done).toBe(true)
    expect(pauses).toEqual([])
  })

  it('are those of the clusters that the workload is placed on now', async () => {
    const world = watching({
      '': inControl('m1'),
      m1: member([pod('p1')], [eventOf('pulled', 'p1')]),
      m2: member([pod('p2')], [eventOf('started', 'p2')]),
    })
    await world.next(4)
    await world.live.get('resourcebindings')!.tell('MODIFIED', bindingTo('m2'))
    expect(await world.next(2)).toEqual([
      ['LEFT', 'm1/pulled', 1],
      ['ADDED', 'm2/started', 2],
    ])
    await waitFor(() =>
      expect([...world.open.values()].sort()).toEqual(['events', 'events m2', 'resourcebindings']),
    )
    await world.messages.return()
  })

  it('are none of a cluster that the workload has left, though its member sent one before', async () => {
    const world = watching({ '': inControl('m1'), m1: member([pod('p1')], [eventOf('pulled', 'p1')]) })
    await world.next(4)
    const of = (list: string) => world.live.get(list)!
    const again = (reason: string) => ({
      ...ofTemplate,
      metadata: { ...ofTemplate.metadata, name: reason },
      reason,
    })
    const waiting = world.next(1)
    await of('events').tell('ADDED', again('once'))
    expect(await waiting).toEqual([['ADDED', '/once', 3]])
    // The reader has taken neither of these when the second is sent.
    await of('resourcebindings').tell('DELETED', bindingTo('m1'))
    await new Promise(setImmediate)
    await of('events m1').tell('ADDED', eventOf('late', 'p1'))
    await new Promise(setImmediate)
    expect(await world.next(1)).toEqual([['LEFT', 'm1/pulled', 2]])
    const rest = world.next(1)
    await of('events').tell('ADDED', again('twice'))
    expect(await rest).toEqual([['ADDED', '/twice', 3]])
    await world.messages.return()
  })

  it('are whole when the only cluster that was not read is left', async () => {
    const hangs = () => new Promise<never>(() => undefined)
    const world = watching({ '': inControl('m1'), m1: member([], []) }, {}, undefined, hangs)
    await world.next(2)
    const waiting = world.next(1)
    await world.live.get('resourcebindings')!.tell('DELETED', bindingTo('m1'))
    expect(await waiting).toEqual([['BOOKMARK', '', 1]])
    await world.messages.return()
  })

  it('are those of its new pods once the workload was made anew', async () => {
    const places: Parameters<typeof watching>[0] = { m1: member([pod('p1')], [eventOf('old', 'p1')]) }
    const world = watching(places, named('m1'), async () => undefined)
    await world.next(3)
    const anew = pod('p2')
    anew.metadata.ownerReferences[0]!.uid = 'set2'
    const involvedObject = { kind: 'DaemonSet', name: 'agent', uid: 'set2' }
    const made = eventOf('made', 'set2', { involvedObject })
    places.m1 = member([anew], [eventOf('old', 'p1'), made, eventOf('fresh', 'p2')], 'set2')
    await world.live.get('events m1')!.tell('ADDED', made)
    const told = await world.next(2)
    expect(told.map(([, event]) => event)).toEqual(['m1/made', 'm1/fresh'])
    await world.messages.return()
  })

  it('of many members are read of eight at once', async () => {
    const clusters = Array.from({ length: 20 }, (_, index) => `m${index}`)
    const places = Object.fromEntries(clusters.map(name => [name, member([pod('p')], [eventOf('e', 'p')])]))
    let underWay = 0
    let most = 0
    const world = watching(places, { clusters }, undefined, async () => {
      underWay += 1
      most = Math.max(most, underWay)
      await new Promise(setImmediate)
      underWay -= 1
    })
    const told = await world.next(22)
    expect(told.at(-1)).toEqual(['BOOKMARK', '', 20])
    expect(most).toBe(8)
    await world.messages.return()
  })

  it('end with the refusal of the control plane', async () => {
    const world = watching({ '': refusal(403, 'Forbidden') })
    await expect(world.messages.next()).rejects.toThrow('it is Forbidden')
    expect(world.open.size).toBe(0)
  })

  it('are refused of more clusters than are followed at once', async () => {
    const clusters = Array.from({ length: MOST_CLUSTERS + 1 }, (_, index) => `m${index}`)
    const world = watching({ '': inControl(...clusters) })
    await expect(world.messages.next()).rejects.toThrow(`placed on ${MOST_CLUSTERS + 1} clusters`)
    await waitFor(() => expect(world.open.size).toBe(0))
  })

  it('are refused where there are more than are held', async () => {
    const many = Array.from({ length: MOST_EVENTS + 1 }, (_, index) => eventOf(`e${index}`, 'p1'))
    const world = watching({ m1: member([pod('p1')], many) }, named('m1'))
    await expect(world.next(MOST_EVENTS + 2)).rejects.toThrow(`more than ${MOST_EVENTS} events`)
  })

  it.each([1, 2, 4])('that their reader leaves after %i messages have nothing open', async count => {
    const world = watching({ '': inControl('m1'), m1: member([pod('p1')], [eventOf('pulled', 'p1')]) })
    await world.next(count)
    await world.messages.return()
    await waitFor(() => expect(world.open.size).toBe(0))
    expect(getEventListeners(world.gone.signal, 'abort')).toEqual([])
  })

  it('end with the reason of the call', async () => {
    const world = watching({ m1: member([pod('p1')], []) }, named('m1'))
    await world.next(2)
    const waiting = world.messages.next()
    world.gone.abort(new Error('hung up'))
    await expect(waiting).rejects.toThrow('hung up')
    await waitFor(() => expect(world.open.size).toBe(0))
  })
})
