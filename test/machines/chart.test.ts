import { describe, expect, it } from 'vitest'
import { type AnyStateMachine, type AnyStateNode, and, createMachine, not, or } from 'xstate'
import { chartOf } from '../../machines/chart.js'
import { instanceMachine } from '../../machines/instance/instance.js'

/** The exported chart as a reader of XState's format gets it: over JSON, without any of our code. */
const read = (machine: AnyStateMachine): AnyStateMachine =>
  createMachine(JSON.parse(JSON.stringify(chartOf(machine))))

const nodesOf = (node: AnyStateNode): AnyStateNode[] => [node, ...Object.values(node.states).flatMap(nodesOf)]
const transitionsOf = (node: AnyStateNode) => [
  ...(node.always ?? []),
  ...[...node.transitions.values()].flat(),
]

/** Every transition of a machine as `source --event--> targets`. */
const edgesOf = (machine: AnyStateMachine): string[] =>
  nodesOf(machine.root).flatMap(node =>
    transitionsOf(node).map(
      ({ eventType, target }) =>
        `${node.id} --${eventType || 'always'}--> ${(target ?? []).map(({ id }) => id).join(' ')}`,
    ),
  )

describe('the exported chart of an instance', () => {
  it('has every state and every transition of the machine for a reader of XState’s format', () => {
    const machine = read(instanceMachine)
    expect(nodesOf(machine.root).map(({ id, type, tags }) => [id, type, tags])).toEqual(
      nodesOf(instanceMachine.root).map(({ id, type, tags }) => [id, type, tags]),
    )
    expect(edgesOf(machine)).toEqual(edgesOf(instanceMachine))
  })

  it('connects the public states', () => {
    const edges = edgesOf(read(instanceMachine))
    const phase = 'instance.managed.phase'
    for (const [from, to] of [
      ['registering', 'virtualClusterSynced'],
      ['virtualClusterSynced', 'registering'],
      ['virtualClusterSynced', 'ready'],
      ['ready', 'degraded'],
      ['degraded', 'ready'],
    ])
      expect(edges).toContain(`${phase}.${from} --always--> ${phase}.${to}`)
    expect(edges).toContain('instance.managed --always--> instance.deleting')
    expect(edges).toContain('instance --instance.removed--> instance.gone')
  })

  it('starts where the machine starts, and names effects, actions and guards', () => {
    const chart = chartOf(instanceMachine)
    const phase = chart.states?.managed?.states?.phase
    expect([chart.id, chart.initial, phase?.initial]).toEqual(['instance', 'managed', 'recalling'])
    expect(phase?.states?.ready).toEqual({
      tags: 'ready',
      entry: [{ type: 'note the phase', params: 'ready' }],
      always: [{ guard: 'not is whole', target: 'degraded' }],
    })
    expect(chart.states?.managed?.states?.status?.states?.acting?.invoke).toEqual([
      {
        id: 'status.effect',
        src: 'write the status',
        onDone: [
          {
            target: 'pausing',
            guard: { type: 'is seen already', params: 'status' },
            actions: [{ type: 'succeed' }],
          },
          { target: 'confirming', actions: [{ type: 'succeed' }] },
        ],
        onError: [{ target: 'resting', actions: [{ type: 'fail' }] }],
      },
    ])
  })
})

it('an exported chart keeps every property of a state, and describes combined guards in words', () => {
  const close = () => undefined
  const machine = createMachine({
    id: 'all',
    initial: 'one',
    states: {
      one: {
        entry: 'enter',
        exit: ['leave', close],
        on: { GO: 'two', STAY: { actions: 'note' } },
        after: { 100: { target: 'two', guard: { type: 'is due', params: 'it' } } },
        always: [
          { guard: not(and(['first', { type: 'second', params: 'it' }])), target: 'two' },
          { guard: or(['first', not('second')]), target: 'two' },
        ],
        initial: 'inner',
        states: { inner: { type: 'final' } },
        onDone: 'two',
      },
      two: { type: 'history', history: 'deep', target: 'one' },
    },
  })
  expect(edgesOf(read(machine))).toEqual(edgesOf(machine))
  expect(chartOf(machine).states).toEqual({
    one: {
      entry: ['enter'],
      exit: ['leave', 'close'],
      on: { GO: [{ target: 'two' }], STAY: [{ actions: ['note'] }] },
      after: { 100: [{ target: 'two', guard: { type: 'is due', params: 'it' } }] },
      always: [
        { guard: 'not (first and second (it))', target: 'two' },
        { guard: 'first or not second', target: 'two' },
      ],
      initial: 'inner',
      states: { inner: { type: 'final' } },
      onDone: [{ target: 'two' }],
    },
    two: { type: 'history', history: 'deep', target: 'one' },
  })
})
