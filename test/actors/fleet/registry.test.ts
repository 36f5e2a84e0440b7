import { describe, expect, it } from 'vitest'
import { type AnyEventObject, fromCallback, fromPromise } from 'xstate'
import { Registry } from '../../../actors/fleet/registry.js'
import type { InstanceLogic } from '../../../actors/instance/instance-logic.js'
import type { OwnObserverEvent } from '../../../machines/instance/events.js'
import { instanceMachine } from '../../../machines/instance/instance.js'
import type { Assignment } from '../../../machines/instance/task.js'
import type { Instance } from '../../../manifests/instance.js'
import { facts, instance } from '../../machines/instance/facts.js'
import { started } from './started.js'

/** Instances whose probe runs. */
const probed = new Set<string>()
const logic = instanceMachine.provide({
  actors: {
    'probe the control plane': fromCallback<AnyEventObject, { name: string }, OwnObserverEvent>(
      ({ input }) => {
        probed.add(input.name)
        return () => probed.delete(input.name)
      },
    ),
    'write the status': fromPromise<string, Assignment>(async ({ input }) => input.wanted),
  },
}) as unknown as InstanceLogic

function fleet() {
  const crashes: string[] = []
  const registry = new Registry(logic, {
    changed: () => undefined,
    crashed: ({ name }, error) => crashes.push(`${name}: ${(error as Error).message}`),
  })
  return { registry, crashes }
}

const whole = [facts.resolved, facts.healthy, facts.distinct, facts.synced, facts.registered]
/** An object that sets off a defect: whoever reads its finalizers throws. */
const poison: Instance = {
  ...instance({ name: 'bad' }),
  get metadata(): Instance['metadata'] {
    return {
      name: 'bad',
      get finalizers(): string[] {
        throw new Error('a defect that this instance sets off')
      },
    }
  },
}

describe('one crashed instance', () => {
  it('does not disturb other actors', () => {
    const { registry, crashes } = fleet()
    for (const name of ['good', 'bad', 'better']) started(registry, instance({ name }))
    registry.send('bad', { type: 'instance.observed', instance: poison })
    for (const name of ['good', 'better']) for (const fact of whole) registry.send(name, fact)
    registry.send('bad', facts.healthy)
    expect(crashes).toEqual(['bad: a defect that this instance sets off'])
    expect(['good', 'better'].map(name => registry.get(name)?.view().state)).toEqual(['ready', 'ready'])
    expect(probed).toEqual(new Set(['good', 'better']))
    for (const name of ['good', 'bad', 'better']) registry.remove(name)
    expect(probed).toEqual(new Set())
  })

  it('stays listed with the reason, and works again after a restart', () => {
    const { registry } = fleet()
    const actor = started(registry, instance({ name: 'bad' }))
    for (const fact of whole) actor.send(fact)
    actor.send({ type: 'instance.observed', instance: poison })
    actor.markCrashed({ type: 'Ready', status: 'False', reason: 'Crashed', message: 'restarted soon' })
    expect(actor.view()).toMatchObject({ name: 'bad', state: 'degraded' })
    expect(actor.view().conditions.find(({ type }) => type === 'Ready')).toMatchObject({ reason: 'Crashed' })
    expect(actor.explain(false).pending).toEqual(['restarted soon'])
    actor.send({ type: 'instance.observed', instance: instance({ name: 'bad' }) })
    actor.start(false)
    for (const fact of whole) actor.send(fact)
    expect(actor.view().state).toBe('ready')
    registry.remove('bad')
  })
})

describe('the history of an actor', () => {
  it('has event and cause of each transition, and nothing of an actor that was not started', () => {
    const { registry } = fleet()
    const actor = started(registry, instance({ name: 'alpha' }))
    for (const fact of [...whole, facts.unreachable]) actor.send(fact)
    const phases = actor.explain(false).transitions.filter(({ to }) => /^(ready|degraded)$/.test(to))
    expect(phases.map(({ from, to, event, cause }) => [from, to, event, cause])).toEqual([
      [
        'virtualClusterSynced.publishing',
        'ready',
        'registration.observed',
        'the InstanceRegistration changed',
      ],
      ['ready', 'degraded', 'controlPlane.probed', 'Unreachable: control plane: Unreachable'],
    ])
    registry.remove('alpha')
    expect(registry.get('alpha')).toBeUndefined()
  })

  it('is streamed only to subscribers', () => {
    const { registry } = fleet()
    const actor = started(registry, instance({ name: 'alpha' }))
    const heard: string[] = []
    const stop = actor.inspect(({ kind, record }) => heard.push(`${kind} ${record.event}`))
    actor.send(facts.resolved)
    stop()
    actor.send(facts.healthy)
    expect(heard).toContain('transition credentials.observed')
    expect(heard.join()).not.toContain('controlPlane')
    registry.remove('alpha')
  })
})
