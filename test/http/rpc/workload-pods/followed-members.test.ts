import { describe, expect, it, vi } from 'vitest'
import { ABSENT_MS } from '../../../../http/rpc/workload-pods/member-events.js'
import { MOST_CLUSTERS } from '../../../../http/rpc/workload-pods/watched-events.js'
import { waitFor } from '../../../patience.js'
import { bindingTo, eventOf, member, watching } from './event-world.js'
import { pod, refusal } from './log-world.js'

const ofTemplate = (type: string) =>
  eventOf(type, 'template', { involvedObject: { kind: 'DaemonSet', name: 'agent' }, type })
const inControl = (...clusters: string[]) => ({ resourcebindings: [bindingTo(...clusters)], events: [] })
const named = (...clusters: string[]) => ({ clusters })
const atOnce = async () => undefined
const names = (count: number) => Array.from({ length: count }, (_, index) => `m${index}`)
const turns = async () => {
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate)
}

describe('the members whose events are followed', () => {
  it('are none where the workload is placed on none', async () => {
    const world = watching({ '': inControl() })
    expect(await world.next(2)).toEqual([
      ['RESET', '', 0],
      ['BOOKMARK', '', 0],
    ])
    await world.messages.return()
  })

  it('are those of the binding of this very workload, and not of another kind of its name', async () => {
    const binding = bindingTo('m1')
    const spec = { resource: { apiVersion: 'example.io/v1', kind: 'DaemonSet', name: 'agent' }, clusters: [] }
    const another = { ...binding, spec: { ...(binding as { spec?: object }).spec, ...spec } }
    const world = watching({ '': { resourcebindings: [binding], events: [] }, m1: member([], []) })
    await world.next(2)
    const waiting = world.next(1)
    await world.live.get('resourcebindings')!.tell('MODIFIED', another)
    await turns()
    const made = { involvedObject: { kind: 'DaemonSet', name: 'agent', uid: 'set' } }
    await world.live.get('events m1')!.tell('ADDED', eventOf('made', 'set', made))
    expect(await waiting).toEqual([['ADDED', 'm1/made', 1]])
    await world.messages.return()
  })

  it('are each followed once, however often the binding changes', async () => {
    const world = watching({
      '': inControl('m1'),
      m1: member([pod('p1')], [eventOf('pulled', 'p1')]),
      m2: member([pod('p2')], [eventOf('started', 'p2')]),
    })
    await world.next(3)
    const waiting = world.next(1)
    await world.live.get('resourcebindings')!.tell('MODIFIED', bindingTo('m1', 'm2'))
    expect(await waiting).toEqual([['ADDED', 'm2/started', 2]])
    expect([...world.open.values()].sort()).toEqual(['events', 'events m1', 'events m2', 'resourcebindings'])
    await world.messages.return()
  })

  it('are 100 at most, and one more is named', async () => {
    const places = Object.fromEntries(names(MOST_CLUSTERS).map(name => [name, member([], [])]))
    const world = watching({ '': inControl(...names(MOST_CLUSTERS)), ...places })
    expect(await world.next(2)).toEqual([
      ['RESET', '', 0],
      ['BOOKMARK', '', 0],
    ])
    const waiting = world.next(1)
    await world.live.get('resourcebindings')!.tell('MODIFIED', bindingTo(...names(MOST_CLUSTERS + 1)))
    expect(await waiting).toEqual([
      ['UNREAD', `m${MOST_CLUSTERS}`, expect.stringContaining(`${MOST_CLUSTERS + 1} clusters`)],
    ])
    await world.messages.return()
  })

  it('wait for none that cannot be read', async () => {
    const places = Object.fromEntries(names(9).map(name => [name, member([pod('p')], [eventOf('e', 'p')])]))
    const world = watching({ ...places, m0: refusal(503, 'Busy') }, named(...names(9)))
    const first = await world.next(1 + 9)
    expect(first.map(([, of]) => of)).toEqual(expect.arrayContaining(['m0', 'm1/e', 'm8/e']))
    await world.messages.return()
  })

  it('wait for none that was left before its turn', async () => {
    const places = Object.fromEntries(names(17).map(name => [name, member([pod('p')], [eventOf('e', 'p')])]))
    let letGo: () => void = () => undefined
    const held = new Promise<void>(resolve => (letGo = resolve))
    const hold = async (cluster?: string) => (cluster === 'm0' ? held : undefined)
    const control = { resourcebindings: [bindingTo(...names(17))], events: [] }
    const world = watching({ '': control, ...places }, {}, undefined, hold)
    // Of eight at once m0 hangs, and two wait for it: by their names m16, and then m9.
    await world.next(1 + 14)
    const waiting = world.next(3)
    const left = names(17).filter(name => name !== 'm16')
    await world.live.get('resourcebindings')!.tell('MODIFIED', bindingTo(...left))
    await turns()
    letGo()
    expect((await waiting).map(([, of]) => of).sort()).toEqual(['', 'm0/e', 'm9/e'])
    await world.messages.return()
  })

  it('have nothing open when their reader leaves before it has what they sent', async () => {
    const world = watching({ m1: member([pod('p1')], [eventOf('pulled', 'p1')]) }, named('m1'))
    await world.next(1)
    await waitFor(() => expect(world.live.has('events m1')).toBe(true))
    await turns()
    await world.messages.return()
    await waitFor(() => expect(world.open.size).toBe(0))
  })

  it('are asked again after a minute whether they have the workload, and no timer is left', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const places: Parameters<typeof watching>[0] = { m1: { events: [] } }
      const world = watching(places, named('m1'), atOnce)
      await world.next(2)
      places.m1 = member([pod('p1')], [eventOf('pulled', 'p1')])
      const waiting = world.next(1)
      await vi.advanceTimersByTimeAsync(ABSENT_MS)
      expect(await waiting).toEqual([['ADDED', 'm1/pulled', 1]])
      await world.messages.return()
      await waitFor(() => expect(world.open.size).toBe(0))
      const absent = watching({ m1: { events: [] } }, named('m1'), atOnce)
      await absent.next(2)
      await absent.messages.return()
      await waitFor(() => expect(absent.open.size).toBe(0))
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })

  it('have the pods that were made by the time that their list starts over', async () => {
    const pods = [pod('p1')]
    const events = [eventOf('pulled', 'p1')]
    const world = watching({ m1: member(pods, events) }, named('m1'), atOnce)
    await world.next(3)
    pods.push(pod('late'))
    events.push(eventOf('scheduled', 'late'))
    world.live.get('events m1')!.startOver()
    expect(await world.next(1)).toEqual([['ADDED', 'm1/scheduled', 2]])
    await world.messages.return()
  })
})

describe('the events of what a member has', () => {
  it('of the control plane are of the types that are wanted', async () => {
    const control = { ...inControl(), events: [ofTemplate('Normal'), ofTemplate('Warning')] }
    const world = watching({ '': control }, { types: new Set(['Warning']) })
    expect(await world.next(3)).toEqual([
      ['RESET', '', 0],
      ['ADDED', '/Warning', 1],
      ['BOOKMARK', '', 1],
    ])
    await world.messages.return()
  })

  it('are not those of a pod of another workload, of one that had a pod’s name before, or of what is no pod', async () => {
    const pods = [pod('p1')]
    const world = watching({ m1: member(pods, []) }, named('m1'))
    await world.next(2)
    const foreign = pod('foreign')
    foreign.metadata.ownerReferences[0]!.uid = 'another'
    pods.push(foreign, pod('ours'))
    const { tell } = world.live.get('events m1')!
    await tell('ADDED', eventOf('alien', 'foreign'))
    await tell(
      'ADDED',
      eventOf('older', 'older', { involvedObject: { kind: 'Pod', name: 'p1', uid: 'older' } }),
    )
    await tell(
      'ADDED',
      eventOf('claim', 'ours', { involvedObject: { kind: 'Lease', name: 'ours', uid: 'lease' } }),
    )
    await tell('ADDED', eventOf('scheduled', 'ours'))
    expect(await world.next(1)).toEqual([['ADDED', 'm1/scheduled', 1]])
    expect(world.asked.filter(one => one.includes('='))).toEqual([
      ...['foreign', 'p1', 'ours'].map(name => `pods m1 metadata.name=${name}`),
    ])
    await world.messages.return()
  })

  it('name 1,000 others of which it is remembered that they are others', async () => {
    const world = watching({ m1: member([], []) }, named('m1'))
    await world.next(2)
    const { tell } = world.live.get('events m1')!
    const lookedUp = () => world.asked.filter(one => one.includes('=')).length
    for (let index = 0; index <= 1_000; index += 1) await tell('ADDED', eventOf('alien', `s${index}`))
    await tell('ADDED', eventOf('alien', 's1'))
    expect(lookedUp()).toBe(1_001)
    await tell('ADDED', eventOf('alien', 's0'))
    expect(lookedUp()).toBe(1_002)
    await world.messages.return()
  })
})
