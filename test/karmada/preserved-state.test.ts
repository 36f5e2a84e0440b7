import { describe, expect, it } from 'vitest'
import { applicationFailure } from '../../karmada/eviction/application-failure.js'
import { evicted } from '../../karmada/eviction/evict.js'
import { untoleratedTaint } from '../../karmada/eviction/no-execute.js'
import { preservedState, withPreservedState } from '../../karmada/eviction/preserved-state.js'
import type { Resource } from '../../karmada/interpreter/workload.js'
import type { Failover } from '../../karmada/objects/propagation-policy.js'
import type { Binding, PlacedBinding } from '../../karmada/objects/resource-binding.js'
import { workOf } from '../../karmada/propagation/work-of.js'
import { binding, cluster, none, template } from './propagated-objects.js'

const rule = (jsonPath: string) => ({ rules: [{ aliasLabelName: 'kept', jsonPath }] })
const reporting = (failover: Failover = {}): Binding => ({
  ...binding(),
  spec: { ...binding().spec, clusters: [{ name: 'm1', replicas: 5 }], failover },
  status: {
    aggregatedStatus: [
      {
        clusterName: 'm1',
        status: { replicas: 5, conditions: [{ type: 'Available' }], note: { 'a b': 'c' } },
      },
    ],
  },
})

describe('the state that is kept of an application', () => {
  it.each([
    ['{.replicas}', '5'],
    ['.conditions[0].type', 'Available'],
    ["{.note['a b']}", 'c'],
    ['{.note}', '{"a b":"c"}'],
  ])('at %s is %s', (path, text) => {
    expect(preservedState(reporting(), 'm1', rule(path))).toEqual({ kept: text })
  })

  it.each([
    ['a path that is not there', '{.nothing.here}', 'm1', 'nothing is not found'],
    ['a path with a filter', '{.conditions[?(@.type=="x")]}', 'm1', 'is not understood'],
    ['a cluster that has not reported', '{.replicas}', 'm2', 'not yet been collected from Cluster(m2)'],
  ])('holds up the eviction for %s', (_, path, cluster, why) => {
    expect(() => preservedState(reporting(), cluster, rule(path))).toThrow(why)
  })

  it('is nothing where the policy has no rules', () => {
    expect(preservedState(reporting(), 'm2', { rules: [] })).toBeUndefined()
  })
})

describe('an application that moves at once', () => {
  const application = {
    decisionConditions: {},
    purgeMode: 'Directly',
    statePreservation: rule('{.replicas}'),
  } as const
  const failed = reporting({ application })
  const gone = evicted(failed, 'm1', applicationFailure(failed, 'm1'))
  const labelsIn = (cluster: string, targets = 1, from: Binding = gone) =>
    withPreservedState(template, from, cluster, targets).metadata.labels

  it('brings its state to the next cluster, and to no cluster that it was in', () => {
    expect(gone.spec.gracefulEvictionTasks).toMatchObject([
      { fromCluster: 'm1', preservedLabelState: { kept: '5' }, clustersBeforeFailover: ['m1'] },
    ])
    expect(labelsIn('m2')).toEqual({ kept: '5' })
    expect(labelsIn('m1')).toBeUndefined()
  })

  it('brings its state also where an override wrote a label that is no text, which goes', () => {
    const moved = {
      ...gone,
      spec: { ...gone.spec, clusters: [{ name: 'm2', replicas: 5 }] },
    } as PlacedBinding
    const numbered = {
      ...template,
      metadata: { ...template.metadata, labels: { part: 1 } },
    } as unknown as Resource
    const [manifest] = workOf(moved, numbered, { name: 'm2' }, cluster('m2'), none).spec.workload.manifests
    expect(manifest?.metadata.labels).toMatchObject({ kept: '5' })
    expect(manifest?.metadata.labels).not.toHaveProperty('part')
  })

  it('brings no state where it goes to several clusters, or leaves gracefully', () => {
    expect(labelsIn('m2', 2)).toBeUndefined()
    const slow = reporting({ application: { ...application, purgeMode: 'Gracefully' } })
    expect(labelsIn('m2', 1, evicted(slow, 'm1', applicationFailure(slow, 'm1')))).toBeUndefined()
  })

  it('brings its state too when a taint drives it away', () => {
    const tainted = reporting({ cluster: { purgeMode: 'Directly', statePreservation: rule('{.replicas}') } })
    expect(labelsIn('m2', 1, evicted(tainted, 'm1', untoleratedTaint(tainted, 'm1')))).toEqual({ kept: '5' })
  })
})
