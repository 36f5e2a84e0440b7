import { describe, expect, it } from 'vitest'
import {
  maxSurge,
  maxUnavailable,
  recreateStep,
  rollingStep,
  scaleStep,
} from '../../../../playground/member/controllers/deployment-rollout.js'
import type { Deployment, ReplicaSet } from '../../../../playground/member/workloads.js'

const deployment = (replicas: number, strategy: Deployment['spec']['strategy'] = {}): Deployment => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    replicas,
    selector: {},
    template: {},
    strategy: {
      type: 'RollingUpdate',
      ...strategy,
      ...(strategy.type !== 'Recreate' && {
        rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%', ...strategy.rollingUpdate },
      }),
    },
  },
})
const rolling = (maxSurge: number | string, maxUnavailable: number | string) => ({
  rollingUpdate: { maxSurge, maxUnavailable },
})
/** A ReplicaSet; the name says its age: the smaller, the older. */
const set = (name: string, replicas: number, availableReplicas = replicas, max?: number): ReplicaSet => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: {
    name,
    creationTimestamp: `2026-01-0${name}T00:00:00Z`,
    ...(max !== undefined && { annotations: { 'deployment.kubernetes.io/max-replicas': String(max) } }),
  },
  spec: { replicas, selector: {}, template: {} },
  status: { replicas, availableReplicas },
})

describe('bounds of a rollout', () => {
  it.each([
    [4, '25%', '25%', 1, 1],
    [10, '25%', '25%', 3, 2],
    [1, '25%', '25%', 1, 0],
    [10, 0, 0, 0, 1],
    [10, '0%', '1%', 0, 1],
    [3, 2, 5, 2, 3],
    [0, '25%', '25%', 0, 0],
  ])(
    'of %i replicas with surge %s and unavailable %s are %i and %i',
    (replicas, surge, missing, more, less) => {
      const one = deployment(replicas, rolling(surge, missing))
      expect([maxSurge(one), maxUnavailable(one)]).toEqual([more, less])
    },
  )

  it('are not defined for Recreate', () => {
    const one = deployment(10, { type: 'Recreate' })
    expect([maxSurge(one), maxUnavailable(one)]).toEqual([0, 0])
  })
})

describe('one step of a rolling update', () => {
  it.each<[string, Deployment, ReplicaSet, ReplicaSet[], Record<string, number>]>([
    ['grows the newest by the surge', deployment(4), set('2', 0), [set('1', 4)], { 2: 1 }],
    ['shrinks the old as far as may be missing', deployment(4), set('2', 1, 0), [set('1', 4)], { 1: 3 }],
    ['waits while nothing may be missing', deployment(4), set('2', 2, 0), [set('1', 3)], {}],
    ['goes on when a new pod is available', deployment(4), set('2', 2, 1), [set('1', 3)], { 1: 2 }],
    [
      'takes old pods that are not available first',
      deployment(4),
      set('2', 1, 0),
      [set('1', 4, 2)],
      { 1: 3 },
    ],
    ['takes the oldest first', deployment(4), set('3', 4, 4), [set('2', 1), set('1', 1)], { 1: 0, 2: 0 }],
    ['shrinks a newest that is too large', deployment(2), set('2', 5, 5), [], { 2: 2 }],
    ['does nothing when all is done', deployment(4), set('2', 4), [set('1', 0)], {}],
    ['never takes one that must be there', deployment(3, rolling(1, 0)), set('2', 1, 0), [set('1', 3)], {}],
  ])('%s', (_, one, newest, old, sizes) => {
    expect(Object.fromEntries(rollingStep(one, newest, old))).toEqual(sizes)
  })
})

describe('one step of a Recreate', () => {
  const one = deployment(3, { type: 'Recreate' })

  it('scales all old ReplicaSets down before it creates a new one', () => {
    expect(Object.fromEntries(recreateStep(one, set('3', 0), [set('1', 2), set('2', 1)]))).toEqual({
      1: 0,
      2: 0,
    })
  })

  it('then scales the newest to the wanted size', () => {
    expect(Object.fromEntries(recreateStep(one, set('3', 0), [set('1', 0)]))).toEqual({ 3: 3 })
  })
})

describe('scaling', () => {
  it.each<[string, Deployment, ReplicaSet | undefined, ReplicaSet[], Record<string, number>]>([
    ['gives the only active one everything', deployment(5), set('2', 0), [set('1', 2)], { 1: 5 }],
    ['gives the newest everything when none is active', deployment(5), set('2', 0), [set('1', 0)], { 2: 5 }],
    ['empties the old when the newest is complete', deployment(2), set('2', 2), [set('1', 1)], { 1: 0 }],
    [
      'grows each in proportion in the middle of a rollout',
      deployment(20),
      set('2', 5, 3, 13),
      [set('1', 8, 8, 13)],
      { 1: 15, 2: 10 },
    ],
    [
      'shrinks each in proportion, and by exactly what is too much',
      deployment(5),
      set('2', 5, 3, 13),
      [set('1', 8, 8, 13)],
      { 1: 4, 2: 3 },
    ],
    ['to nothing takes all', deployment(0), set('2', 2, 1, 5), [set('1', 3, 3, 5)], { 1: 0, 2: 0 }],
  ])('%s', (_, one, newest, old, sizes) => {
    expect(Object.fromEntries(scaleStep(one, newest, old))).toEqual(sizes)
  })
})
