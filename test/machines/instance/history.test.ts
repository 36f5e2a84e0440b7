import { describe, expect, it } from 'vitest'
import { initialTransition, transition } from 'xstate'
import { Failed } from '../../../machines/failure.js'
import type { InstanceEvent } from '../../../machines/instance/events.js'
import { causeOf, redacted, remembering, transitionsBetween } from '../../../machines/instance/history.js'
import { instanceMachine } from '../../../machines/instance/instance.js'
import type { TransitionRecord } from '../../../ports/fleet.js'
import { type FactName, facts, instance } from './facts.js'

const TIME = '2026-01-01T00:00:00.000Z'
const failure = { reason: 'Unreachable', stage: 'control plane', message: 'no route' } as const

/** What the last of some events is recorded as. */
function recorded(...events: (FactName | InstanceEvent)[]) {
  const known = events.map(event => (typeof event === 'string' ? facts[event] : event))
  const last = known.pop()!
  let [before] = initialTransition(instanceMachine, { instance: instance(), leading: true })
  for (const event of known) [before] = transition(instanceMachine, before, event)
  const [after] = transition(instanceMachine, before, last)
  return transitionsBetween(before, after, last, TIME)
}

describe('the history of an instance', () => {
  it('has a record for each region that changed, with the public part of its path', () => {
    const moves = recorded('resolved', 'healthy', 'distinct', 'noVirtualCluster')
    expect(moves.map(({ from, to }) => [from, to])).toEqual([
      ['virtualCluster.settled', 'virtualCluster.acting'],
    ])
    const [first] = recorded('resolved', 'healthy', 'distinct', 'syncing', 'deletionAsked')
    expect(first).toMatchObject({
      time: TIME,
      from: 'virtualClusterSynced.syncing',
      to: 'unpublishing.acting',
      cause: 'the Instance changed',
    })
  })

  it('has no status writes, in any phase, and no events without a transition', () => {
    const moves = [
      ...recorded('noVirtualCluster', 'unregistered', 'resolved'),
      ...recorded('resolved', 'healthy', 'distinct', 'synced', 'registered', 'deletionAsked'),
    ]
    expect(moves.map(({ to }) => to).filter(to => to.includes('status'))).toEqual([])
    expect(recorded('resolved', 'resolved')).toEqual([])
  })

  it('keeps the last hundred records', () => {
    const records = (count: number, from = 0): TransitionRecord[] =>
      Array.from({ length: count }, (_, index) => ({
        ...({} as TransitionRecord),
        cause: String(index + from),
      }))
    expect(remembering(records(100), [])).toHaveLength(100)
    const full = remembering(records(99), records(3, 99))
    expect(full.map(({ cause }) => cause)).toEqual(records(100, 2).map(({ cause }) => cause))
  })
})

describe('the cause of a transition', () => {
  it.each<[string, { readonly type: string }, string]>([
    ['is the failure that its event carries', facts.unreachable, 'Unreachable: control plane: Unreachable'],
    [
      'is the failure of an effect',
      { type: 'xstate.error.actor.virtualCluster.effect', error: new Failed(failure) } as never,
      'Unreachable: no route',
    ],
    [
      'names an effect that failed without saying why',
      { type: 'xstate.error.actor.virtualCluster.effect' },
      'making the virtual cluster as it should be failed',
    ],
    [
      'names an effect that succeeded',
      { type: 'xstate.done.actor.releasing.effect' },
      'removing the finalizer succeeded',
    ],
    ['is the start of the actor', { type: 'xstate.init' }, 'the actor started'],
    [
      'says what was observed',
      facts.distinct,
      'its control plane was compared with those of all other instances',
    ],
    ['says that a timer ended', { type: 'rest.ended' }, 'a timer ended'],
    [
      'says that RBAC inside changed',
      { type: 'roleBindings.rbacChanged' },
      'the RBAC that Kairship made inside the control plane was changed',
    ],
    ['is the event in words where nothing else is known', { type: 'some.thing' }, 'some thing'],
    [
      'is no failure where a value only looks like one',
      { type: 'rest.ended', detail: { reason: 'x', stage: 'y' } } as never,
      'a timer ended',
    ],
  ])('%s', (_claim, event, cause) => expect(causeOf(event)).toBe(cause))
})

describe('the payload of a recorded event', () => {
  it('has only identity and phase of an Instance', () => {
    const { uid } = instance().metadata
    expect(
      redacted({
        type: 'instance.observed',
        instance: instance({ status: { phase: 'Ready' }, labels: { a: 'b' } }),
      }),
    ).toEqual({ instance: { name: 'alpha', uid, phase: 'Ready' } })
  })

  it('has only the presence of statistics', () => {
    const statistics = { ok: true, summary: { large: true } }
    expect(redacted({ type: 'statistics.observed', statistics })).toEqual({ statistics: { ok: true } })
  })

  it('has no output or error of an effect, which may hold a secret', () => {
    expect(redacted({ type: 'xstate.done', output: 's3cr3t', actorId: 'a' })).toEqual({ actorId: 'a' })
    expect(redacted({ type: 'xstate.error', error: new Error('s3cr3t'), actorId: 'a' })).toEqual({
      actorId: 'a',
    })
  })
})
