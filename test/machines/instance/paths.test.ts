import { describe, expect, it } from 'vitest'
import { transition } from 'xstate'
import { getAdjacencyMap, getShortestPaths } from 'xstate/graph'
import { canonical } from '../../../machines/canonical.js'
import { Failed } from '../../../machines/failure.js'
import type { InstanceEvent } from '../../../machines/instance/events.js'
import { configurationOf } from '../../../machines/instance/history.js'
import { instanceMachine } from '../../../machines/instance/instance.js'
import { type InstanceSnapshot, stateOf } from '../../../machines/instance/invariants.js'
import { facts, instance } from './facts.js'

/** What a world could say, from three beginnings: every state is on one of the walks, and each is small enough to enumerate. */
const walks = [
  {
    start: instance({ finalizers: [] }),
    events: [facts.claimed, facts.resolved, facts.deletionAsked, facts.removed],
  },
  {
    start: instance(),
    events: [
      ...[facts.resolved, facts.healthy, facts.distinct, facts.duplicate, facts.syncing, facts.synced],
      ...[facts.registered, facts.deletionAsked, facts.removed],
    ],
  },
  {
    start: instance({ status: { phase: 'Ready' } }),
    events: [
      ...[facts.resolved, facts.healthy, facts.unreachable, facts.distinct, facts.synced, facts.registered],
      ...[facts.secretMissing, facts.deletionAsked, facts.removed],
    ],
  },
]
const phaseOf = (snapshot: unknown): string =>
  configurationOf(snapshot as InstanceSnapshot).find(path =>
    /^(managed\.phase|deleting\.teardown|gone)/.test(path),
  ) ?? ''

describe('the machine, explored by every fact in every order', () => {
  const paths = walks.flatMap(({ start, events }) =>
    getShortestPaths(instanceMachine, {
      input: { instance: start, leading: false },
      events,
      // What the actor knows decides, so that is what tells two moments apart.
      serializeState: ({ value, context }) => canonical([value, context.facts, context.instance]),
      stopWhen: snapshot => snapshot.status === 'done' || stateOf(snapshot) === 'deleting',
      limit: 20_000,
    }),
  )

  it.each([
    'managed.phase.registering.accepting',
    'managed.phase.registering.resolvingCredentials',
    'managed.phase.registering.reaching',
    'managed.phase.registering.duplicate',
    'managed.phase.virtualClusterSynced.syncing',
    'managed.phase.virtualClusterSynced.publishing',
    'managed.phase.ready',
    'managed.phase.degraded',
    'deleting.teardown.unpublishing.standby',
    'gone',
  ])('reaches %s', state => expect(paths.map(path => phaseOf(path.state))).toContain(state))

  it('reaches deleting and gone from every state', () => {
    const stuck = paths.filter(({ state }) => {
      if (state.status !== 'active') return false
      const deleting = transitioned(state, facts.deletionAsked)
      return stateOf(deleting) !== 'deleting' || transitioned(deleting, facts.removed).status !== 'done'
    })
    expect(stuck.map(({ state }) => phaseOf(state))).toEqual([])
  })

  it('leaves deleting only for gone', () => {
    const deleting = paths.map(({ state }) => state).filter(state => stateOf(state) === 'deleting')
    expect(deleting.length).toBeGreaterThan(0)
    for (const state of deleting) {
      for (const fact of Object.values(facts))
        expect(['deleting', undefined]).toContain(stateOf(transitioned(state, fact)))
    }
  })
})

/** What xstate/graph found, without the brand of its keys: each moment, and where each event leads from it. */
type Moments = Record<
  string,
  { state: InstanceSnapshot; transitions: Record<string, { state: InstanceSnapshot }> }
>

describe('the teardown, explored by every outcome of every step', () => {
  const steps = [
    'unpublishing',
    'removingRoleBindings',
    'deletingVirtualCluster',
    'uninstalling',
    'releasing',
  ] as const
  const failure = new Failed({ reason: 'Unreachable', stage: 'role bindings', message: 'no route' })
  /** How the step under way may end. */
  const outcomesOf = (snapshot: InstanceSnapshot) => {
    const task = steps.find(step => phaseOf(snapshot).includes(step))
    if (!task) return []
    return [
      { type: `xstate.done.actor.${task}.effect`, output: 'gone' },
      { type: `xstate.error.actor.${task}.effect`, error: failure },
      { type: 'rest.ended', task },
    ]
  }
  const asked = (deletionPolicy: 'Delete' | 'Retain') =>
    instance({ deletionTimestamp: '2026-01-01T00:00:00Z', spec: { install: {}, deletionPolicy } })
  /** Every move that any path to gone can make, as `from → to`, each once. Paths are made of moves, so this is all of them. */
  const moves = (deletionPolicy: 'Delete' | 'Retain'): string[] => {
    const map = getAdjacencyMap(instanceMachine, {
      input: { instance: asked(deletionPolicy), leading: true },
      // The events of invocations are not part of the public vocabulary.
      events: outcomesOf as unknown as (snapshot: InstanceSnapshot) => InstanceEvent[],
      serializeState: snapshot => canonical([phaseOf(snapshot), snapshot.context.work]),
      stopWhen: snapshot => {
        const attempts = Object.values(snapshot.context.work).map(work => work?.attempts ?? 0)
        return Math.max(0, ...attempts) > 2
      },
      limit: 20_000,
    })
    const stepOf = (snapshot: InstanceSnapshot) => phaseOf(snapshot).split('.')[2] ?? ''
    const edges = Object.values(map as unknown as Moments).flatMap(({ state, transitions }) =>
      Object.values(transitions).map(({ state: next }) => [stepOf(state), stepOf(next)] as const),
    )
    return [
      ...new Set(edges.filter(([from, to]) => from !== to).map(([from, to]) => `${from} → ${to}`)),
    ].sort()
  }
  const inOrder = (...order: string[]) =>
    order
      .slice(1)
      .map((to, index) => `${order[index]} → ${to}`)
      .sort()

  it('runs the steps in the stated order on every path, whichever fail', () =>
    expect(moves('Delete')).toEqual(inOrder(...steps, 'released')))

  it('does not uninstall a control plane that is to be retained', () =>
    expect(moves('Retain')).toEqual(inOrder(...steps.filter(step => step !== 'uninstalling'), 'released')))
})

const transitioned = (
  snapshot: InstanceSnapshot,
  event: (typeof facts)[keyof typeof facts],
): InstanceSnapshot => transition(instanceMachine, snapshot, event)[0]
