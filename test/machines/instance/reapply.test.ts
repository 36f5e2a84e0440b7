import { expect, it } from 'vitest'
import { createActor, fromCallback, fromPromise } from 'xstate'
import { Failed } from '../../../machines/failure.js'
import type { InstanceEvent } from '../../../machines/instance/events.js'
import { instanceMachine } from '../../../machines/instance/instance.js'
import { stateOf } from '../../../machines/instance/invariants.js'
import type { RestInput } from '../../../machines/instance/setup.js'
import type { Assignment } from '../../../machines/instance/task.js'
import { type FactName, facts, instance } from './facts.js'

const work = (outcome: (wanted: string) => string) =>
  fromPromise<string, Assignment>(async ({ input }) => outcome(input.wanted))
const turns = async () => {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve()
}

/** An instance that leads and rests until told; writes of its PediaCluster fail so many times and then succeed. */
function started({ failures }: { failures: number }) {
  let left = 0
  let rested: () => void = () => undefined
  const actor = createActor(
    instanceMachine.provide({
      actors: {
        'ensure the virtual cluster': work(() => {
          if (left-- > 0)
            throw new Failed({ reason: 'Unreachable', stage: 'virtual cluster', message: 'reset' })
          return 'vc-2'
        }),
        'publish the registration': work(() => 'reg-1'),
        'write the status': work(wanted => wanted),
        rest: fromCallback(({ input, sendBack }) => {
          const { task } = input as RestInput
          if (task === 'virtualCluster') rested = () => sendBack({ type: 'rest.ended', task })
        }),
      },
    }),
    { input: { instance: instance(), leading: true } },
  )
  const states: string[] = []
  actor.subscribe(snapshot => {
    const state = stateOf(snapshot)
    if (state !== undefined && states.at(-1) !== state) states.push(state)
  })
  actor.start()
  const observe = async (...names: FactName[]) => {
    for (const name of names) actor.send(facts[name])
    await turns()
  }
  /** Somebody changed the PediaCluster, or Kairship writes it anew for another reason: it is seen well all the time. */
  const rewrite = async () => {
    const seen = { ...facts.synced.virtualCluster, revision: 'vc-2' }
    actor.send({ type: 'virtualCluster.observed', virtualCluster: seen } as InstanceEvent)
    await turns()
    left = failures
    actor.send({
      type: 'virtualCluster.observed',
      virtualCluster: { ...seen, revision: 'vc-3' },
    } as InstanceEvent)
    await turns()
  }
  const rest = async () => {
    rested()
    await turns()
  }
  return {
    states,
    observe,
    rewrite,
    rest,
    attempts: () => actor.getSnapshot().context.work.virtualCluster?.attempts,
  }
}

it('an instance stays ready when one write fails for an object that exists and is healthy', async () => {
  const { states, observe, rewrite, rest, attempts } = started({ failures: 1 })
  await observe('resolved', 'healthy', 'distinct', 'synced', 'registered')
  await rewrite()
  expect(attempts()).toBe(1)
  await rest()
  expect(attempts()).toBe(0)
  expect(states.slice(states.indexOf('ready'))).toEqual(['ready'])
})

it('an instance is degraded when writes of such an object keep failing, and ready again after one success', async () => {
  const { states, observe, rewrite, rest } = started({ failures: 3 })
  await observe('resolved', 'healthy', 'distinct', 'synced', 'registered')
  await rewrite()
  await rest()
  expect(states.at(-1)).toBe('ready')
  await rest()
  expect(states.at(-1)).toBe('degraded')
  await rest()
  expect(states.at(-1)).toBe('ready')
})

it('an instance that is not ready yet does not become ready while its object cannot be written', async () => {
  const { states, observe, rewrite } = started({ failures: 1 })
  await observe('resolved', 'healthy', 'distinct', 'synced')
  await rewrite()
  await observe('registered')
  expect(states).not.toContain('ready')
})
