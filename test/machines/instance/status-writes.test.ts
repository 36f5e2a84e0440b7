import { describe, expect, it, onTestFinished } from 'vitest'
import { type AnyEventObject, createActor, fromCallback, fromPromise, SimulatedClock } from 'xstate'
import type { ClockEvent } from '../../../machines/instance/events.js'
import { instanceMachine } from '../../../machines/instance/instance.js'
import type { RestInput } from '../../../machines/instance/setup.js'
import type { Assignment } from '../../../machines/instance/task.js'
import { GATHER_MS, STATUS_PAUSE_COMING_UP_MS, STATUS_PAUSE_MS } from '../../../machines/retry.js'
import type { Instance } from '../../../manifests/instance.js'
import { type FactName, facts, instance } from './facts.js'

/** A leading actor whose statuses are written at once and seen at once; other effects hang. */
function telling(start: Parameters<typeof instance>[0] = {}) {
  const clock = new SimulatedClock()
  const written: Instance['status'][] = []
  const hangs = fromPromise<string, Assignment>(() => new Promise(() => undefined))
  const machine = instanceMachine.provide({
    actors: {
      'write the status': fromPromise<string, Assignment>(async ({ input }) => {
        written.push(JSON.parse(input.wanted))
        return input.wanted
      }),
      'ensure the virtual cluster': hangs,
      'publish the registration': hangs,
      'materialize the role bindings': hangs,
      rest: fromCallback<AnyEventObject, RestInput, ClockEvent>(({ input: { task, ms }, sendBack }) => {
        const timer = clock.setTimeout(() => sendBack({ type: 'rest.ended', task }), ms)
        return () => clock.clearTimeout(timer)
      }),
    },
  })
  const actor = createActor(machine, { input: { instance: instance(start), leading: true } }).start()
  onTestFinished(() => void actor.stop())
  const flush = async () => {
    await new Promise(resolve => setImmediate(resolve))
    const status = written.at(-1)
    const seen = actor.getSnapshot().context.instance.status
    if (!status || status === seen) return
    actor.send({ type: 'instance.observed', instance: instance({ ...start, status }) })
    await new Promise(resolve => setImmediate(resolve))
  }
  return {
    phases: () => written.map(status => status?.phase),
    async tell(...names: FactName[]) {
      for (const name of names) actor.send(facts[name])
      await flush()
    },
    async pass(ms: number) {
      clock.increment(ms)
      await flush()
    },
  }
}

describe('the status', () => {
  it('of a new Instance is written once where it is ready within a moment', async () => {
    const { tell, pass, phases } = telling()
    await tell('noVirtualCluster', 'unregistered')
    for (const name of ['resolved', 'healthy', 'distinct', 'syncing'] as const) {
      await tell(name)
      await pass(GATHER_MS / 5)
    }
    expect(phases()).toEqual([])
    await tell('synced', 'registered')
    expect(phases()).toEqual(['Ready'])
  })

  it('of a new Instance is written after a moment where it is not ready by then', async () => {
    const { tell, pass, phases } = telling()
    await tell('noVirtualCluster', 'unregistered')
    await pass(GATHER_MS - 1)
    expect(phases()).toEqual([])
    await pass(1)
    expect(phases()).toEqual(['Registering'])
  })

  it.each<[string, Parameters<typeof instance>[0], FactName[]]>([
    ['the control plane does not answer', {}, ['resolved', 'unreachable']],
    ['the Secret cannot be used', {}, ['secretMissing']],
    ['an older Instance has the control plane', {}, ['resolved', 'healthy', 'duplicate']],
    ['the spec is invalid', { spec: {} }, []],
    ['karmada-operator installs it', { spec: { install: {} } }, ['noVirtualCluster']],
  ])('of a new Instance is written at once when %s', async (_what, start, names) => {
    const { tell, phases } = telling(start)
    await tell('noVirtualCluster', 'unregistered', ...names)
    expect(phases()).toEqual(['Registering'])
  })

  it('of an Instance that has one is not written later than before', async () => {
    const { tell, phases } = telling({ status: { phase: 'Registering' } })
    await tell('noVirtualCluster', 'unregistered', 'resolved', 'healthy', 'distinct')
    expect(phases()).toEqual(['Registering'])
  })

  it('is written once while an instance starts within the pause, and at once when it is ready', async () => {
    const { tell, pass, phases } = telling()
    await tell('noVirtualCluster', 'unregistered')
    await pass(GATHER_MS)
    for (const name of ['resolved', 'healthy', 'distinct', 'syncing'] as const) {
      await tell(name)
      await pass(STATUS_PAUSE_COMING_UP_MS / 5)
    }
    expect(phases()).toEqual(['Registering'])
    await tell('synced', 'registered')
    expect(phases()).toEqual(['Registering', 'Ready'])
  })

  it('is written again after the pause when the start takes longer', async () => {
    const { tell, pass, phases } = telling()
    await tell('noVirtualCluster', 'unregistered')
    await pass(GATHER_MS)
    await tell('resolved', 'healthy', 'distinct', 'syncing')
    await pass(STATUS_PAUSE_COMING_UP_MS)
    expect(phases()).toEqual(['Registering', 'VirtualClusterSynced'])
  })

  it('of a ready instance is written after the short pause', async () => {
    const { tell, pass, phases } = telling()
    await tell('resolved', 'healthy', 'distinct', 'synced', 'registered')
    await tell('refused')
    await pass(STATUS_PAUSE_MS)
    expect(phases().at(-1)).toBe('Degraded')
  })
})
