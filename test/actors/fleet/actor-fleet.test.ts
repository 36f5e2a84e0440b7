import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { type AnyStateNode, createMachine, fromPromise } from 'xstate'
import { ActorFleet } from '../../../actors/fleet/actor-fleet.js'
import { Registry } from '../../../actors/fleet/registry.js'
import { InstanceConnection } from '../../../actors/instance/instance-connection.js'
import type { InstanceLogic } from '../../../actors/instance/instance-logic.js'
import { instanceMachine } from '../../../machines/instance/instance.js'
import type { Assignment } from '../../../machines/instance/task.js'
import type { FleetEvent } from '../../../ports/fleet.js'
import { fakeAccessLocks } from '../../http/fakes/access-locks.js'
import { fakeRoleBindings } from '../../http/fakes/role-bindings.js'
import { facts, instance } from '../../machines/instance/facts.js'
import { started } from './started.js'

const logic = instanceMachine.provide({
  actors: { 'write the status': fromPromise<string, Assignment>(async ({ input }) => input.wanted) },
}) as unknown as InstanceLogic
const whole = [facts.resolved, facts.healthy, facts.distinct, facts.synced, facts.registered]

function fleetOf(...names: string[]) {
  const registry = new Registry(logic, { changed: () => undefined, crashed: () => undefined })
  const stopping = new AbortController()
  const fleet = new ActorFleet({
    registry,
    isWarm: () => true,
    resourceVersion: () => undefined,
    leadership: () => ({ leading: false, signal: new AbortController().signal }),
    memberGroupsOf: () => expect.unreachable(),
    connectionOf: () => new InstanceConnection(),
    indexOf: () => undefined,
    used: () => undefined,
    roleBindings: fakeRoleBindings(),
    accessLocks: fakeAccessLocks(),
    stopping: stopping.signal,
  })
  for (const name of names) started(registry, instance({ name, uid: name }))
  const become = (name: string, ...told: (typeof facts)[keyof typeof facts][]) => {
    for (const fact of told) registry.send(name, fact)
  }
  /** A reader that takes one event at a time, when it pleases. */
  const reader = (options: { name?: string; signal?: AbortSignal } = {}) => {
    const { signal = new AbortController().signal, ...of } = options
    const events = fleet.watch({ signal, ...of })[Symbol.asyncIterator]()
    const next = async () => {
      const { value, done } = await events.next()
      return done ? 'END' : inWords(value)
    }
    const take = async (count: number) => {
      const taken: string[] = []
      while (taken.length < count) taken.push(await next())
      return taken
    }
    return { next, take, leave: () => events.return?.() }
  }
  return { fleet, registry, stopping, become, reader }
}
const inWords = (event: FleetEvent): string =>
  event.type === 'BOOKMARK' ? 'BOOKMARK' : `${event.type} ${event.view.name} ${event.view.state}`

/** A reader of a fleet of one, who was told that it is ready, and has not come for more. */
async function busyReader() {
  const { reader, registry, become } = fleetOf('a')
  const { take, next } = reader()
  await take(2)
  const woken = next()
  become('a', ...whole)
  expect(await woken).toBe('MODIFIED a ready')
  return { registry, next }
}

it('the chart has the paths between public states', () => {
  const chart = createMachine(JSON.parse(JSON.stringify(fleetOf().fleet.chart())))
  const { ready, degraded } = chart.getStateNodeById('instance.managed.phase').states
  const targets = (node: AnyStateNode | undefined) => node?.always?.flatMap(({ target }) => target)
  expect([targets(ready), targets(degraded)]).toEqual([[degraded], [ready]])
})

describe('a reader of the fleet', () => {
  it('that keeps up receives every change', async () => {
    const { reader, become } = fleetOf('a')
    const { take, next } = reader()
    expect(await take(2)).toEqual(['ADDED a registering', 'BOOKMARK'])
    const first = next()
    become('a', ...whole)
    expect(await first).toBe('MODIFIED a ready')
    const second = next()
    become('a', facts.unreachable)
    expect(await second).toBe('MODIFIED a degraded')
  })

  it('that waits receives every change within one turn of the event loop, as the API expects', async () => {
    const names = Array.from({ length: 300 }, (_, index) => `a${index}`)
    const { fleet, become, stopping } = fleetOf(...names)
    const last = new Map<string, string>()
    const turn = () => new Promise(setImmediate)
    const reading = (async () => {
      for await (const event of fleet.watch({ signal: stopping.signal }))
        if (event.type !== 'BOOKMARK') last.set(event.view.name, event.view.state)
    })()
    await turn()
    for (const name of names) become(name, ...whole)
    expect(new Set(last.values())).toEqual(new Set(['registering']))
    await turn()
    expect(new Set(last.values())).toEqual(new Set(['ready']))
    stopping.abort()
    await reading
  })

  it('that is slow skips intermediate changes, and receives the last one', async () => {
    const { reader, become } = fleetOf('a', 'b')
    const { take, next } = reader()
    expect(await take(3)).toEqual(['ADDED a registering', 'ADDED b registering', 'BOOKMARK'])
    const woken = next()
    become('b', facts.resolved)
    expect(await woken).toBe('MODIFIED b registering')
    // It is busy with that one while all this happens.
    for (let round = 0; round < 50; round++) become('a', ...whole, facts.unreachable)
    become('a', facts.healthy)
    become('b', ...whole)
    expect(await take(2)).toEqual(['MODIFIED a ready', 'MODIFIED b ready'])
    const later = next()
    become('a', facts.unreachable)
    expect(await later).toBe('MODIFIED a degraded')
  })

  it('receives nothing for an instance that was added and deleted meanwhile, or that is unchanged in the end', async () => {
    const { registry, next } = await busyReader()
    started(registry, instance({ name: 'brief', uid: 'brief' }))
    registry.remove('brief')
    started(registry, instance({ name: 'last', uid: 'last' }))
    expect(await next()).toBe('ADDED last registering')
  })

  it('receives a deletion with the last state that it received, and a successor as an addition', async () => {
    const { registry, next } = await busyReader()
    registry.remove('a')
    expect(await next()).toBe('DELETED a ready')
    started(registry, instance({ name: 'a', uid: 'successor' }))
    expect(await next()).toBe('ADDED a registering')
  })

  it('of one instance receives only that instance', async () => {
    const { reader, become } = fleetOf('a', 'b')
    const { take, next } = reader({ name: 'b' })
    expect(await take(2)).toEqual(['ADDED b registering', 'BOOKMARK'])
    become('a', ...whole)
    become('b', ...whole)
    expect(await next()).toBe('MODIFIED b ready')
  })

  it('ends with its own signal, or with the process', async () => {
    const { reader, stopping } = fleetOf('a')
    const own = new AbortController()
    const [mine, other] = [reader({ signal: own.signal }), reader()]
    await Promise.all([mine.take(2), other.take(2)])
    const ends = [mine.next(), other.next()]
    own.abort()
    expect(await ends[0]).toBe('END')
    stopping.abort()
    expect(await ends[1]).toBe('END')
  })

  it('leaves nothing on the signal of the process, which outlives it', async () => {
    const { reader, fleet, stopping } = fleetOf('a')
    const listeners = () => getEventListeners(stopping.signal, 'abort').length
    const before = listeners()
    const own = new AbortController()
    const mine = reader({ signal: own.signal })
    const inspected = fleet.inspect('a', { signal: own.signal })[Symbol.asyncIterator]()
    await mine.take(2)
    const ends = [mine.next(), inspected.next()]
    expect(listeners()).toBe(before + 2)
    own.abort()
    await Promise.all(ends)
    expect(listeners()).toBe(before)
  })
})
