import { describe, expect, it } from 'vitest'
import { componentsOf } from '../../karmada/interpreter/components.js'
import type { Component } from '../../karmada/objects/binding.js'
import type { Binding, PlacedBinding } from '../../karmada/objects/resource-binding.js'
import { newBinding } from '../../karmada/propagation/binding-of.js'
import { requestedBy, requestedInEach } from '../../karmada/quota/usage.js'
import { schedule } from '../../karmada/scheduling/schedule.js'
import { schedulingTrigger } from '../../karmada/scheduling/triggers.js'
import {
  componentScenarios,
  componentsText,
  componentWorkloads,
  groupScenarios,
} from './component-scenarios.js'
import { member, policyOf } from './explain/world.js'
import { outcomeOf } from './outcome.js'
import { recordedAnswers, sampled } from './recorded.js'

const ONE_CLUSTER = {
  spreadConstraints: [{ spreadByField: 'cluster' as const, minGroups: 1, maxGroups: 1 }],
  replicaScheduling: {
    replicaSchedulingType: 'Divided' as const,
    replicaDivisionPreference: 'Aggregated' as const,
  },
}

const flink = {
  apiVersion: 'flink.apache.org/v1beta1',
  kind: 'FlinkDeployment',
  metadata: { name: 'stream', namespace: 'shop', uid: 'u' },
  spec: {
    jobManager: { resource: { cpu: 0.5, memory: '1024m' } },
    taskManager: { resource: { cpu: 1, memory: '2048m' } },
    job: { parallelism: 5 },
    flinkConfiguration: { 'taskmanager.numberOfTaskSlots': '2' },
  },
}

describe('as Karmada did', () => {
  it('decides 500 recorded scenarios of affinity groups', () => {
    const ours = sampled(groupScenarios, 500).map(({ spec, status, clusters, bindings }) =>
      outcomeOf(schedule(spec, status, clusters, { bindings: () => bindings })),
    )
    expect(ours).toEqual(recordedAnswers('affinity-groups'))
  })

  it('decides 500 recorded scenarios of workloads of components', () => {
    const ours = sampled(componentScenarios, 500).map(({ spec, status, clusters }) =>
      outcomeOf(schedule(spec, status, clusters)),
    )
    expect(ours).toEqual(recordedAnswers('component-sets'))
  })

  it('finds the components of 200 recorded workloads of third-party kinds', () => {
    const ours = sampled(componentWorkloads, 200).map(one => componentsText(componentsOf(one)))
    expect(ours).toEqual(recordedAnswers('components'))
  })
})

describe('a workload of components', () => {
  const binding = newBinding(flink, policyOf({ placement: ONE_CLUSTER }))
  const placed = (cpu: string) => schedule(binding.spec, {}, [serving('eu', cpu)])

  it('gets a binding with its components and without replicas', () => {
    expect(binding.spec.replicas).toBeUndefined()
    expect(binding.spec.components).toEqual([
      {
        name: 'jobmanager',
        replicas: 1,
        replicaRequirements: { resourceRequest: { cpu: '500m', memory: '1.024' } },
      },
      {
        name: 'taskmanager',
        replicas: 3,
        replicaRequirements: { resourceRequest: { cpu: '1', memory: '2.048' } },
      },
    ])
  })

  it('goes as a whole to a cluster that has room for one set, without replicas', () => {
    const { clusters, verdicts } = placed('7500m')
    expect(clusters).toEqual([{ name: 'eu' }])
    expect(verdicts[0]?.candidate?.allocatable).toBe(2)
  })

  it('goes nowhere when no cluster has room for a whole set', () => {
    expect(placed('3').failure).toEqual({
      reason: 'SchedulerError',
      message: 'failed to select clusters: no enough resource when selecting 1 clusters',
    })
  })

  it('is limited by quotas of the members in whole sets', () => {
    const quotasOf = () => [{ hard: { cpu: '4' }, used: { cpu: '1' } }]
    const { failure } = schedule(binding.spec, {}, [serving('eu', '100')], { quotasOf })
    expect(failure?.reason).toBe('SchedulerError')
  })

  it('uses of a quota what all components request, once in each cluster', () => {
    const clusters = [{ name: 'eu' }, { name: 'us' }]
    const scheduled = { ...binding, spec: { ...binding.spec, clusters } } as Binding
    expect(requestedBy([scheduled]).toResourceList().cpu).toBe('7')
    expect(requestedInEach([scheduled]).get('eu')?.toResourceList().cpu).toBe('3500m')
    expect(requestedBy([binding]).toResourceList()).toEqual({})
  })

  it('is scheduled again when it has lost its clusters, and not when it has them', () => {
    const annotations = {
      'policy.karmada.io/applied-placement': JSON.stringify(binding.spec.placement),
    }
    const applied = (clusters: readonly { readonly name: string }[]): PlacedBinding => ({
      ...binding,
      metadata: { ...binding.metadata, annotations },
      spec: { ...binding.spec, clusters },
    })
    expect(schedulingTrigger(applied([]), [])).toBe('replicas')
    expect(schedulingTrigger(applied([{ name: 'eu' }]), [])).toBeUndefined()
  })
})

/** A member that serves FlinkDeployments. */
function serving(name: string, cpu: string) {
  const cluster = member(name)
  const apiEnablements = [
    {
      groupVersion: 'flink.apache.org/v1beta1',
      resources: [{ name: 'flinkdeployments', kind: 'FlinkDeployment' }],
    },
  ]
  const resourceSummary = { allocatable: { cpu, memory: '1Gi', pods: '110' } }
  return { ...cluster, status: { ...cluster.status, apiEnablements, resourceSummary } }
}

it('reads components that do not say how many they are', () => {
  const ray = {
    apiVersion: 'ray.io/v1',
    kind: 'RayJob',
    metadata: { name: 'train' },
    spec: {
      rayClusterSpec: { headGroupSpec: { template: {} }, workerGroupSpecs: [{}, { groupName: 'big' }] },
    },
  }
  const expected: readonly Component[] = [
    { name: 'ray-head', replicas: 1 },
    { name: 'worker-1', replicas: 0 },
    { name: 'big', replicas: 0 },
  ]
  expect(componentsOf(ray)).toEqual(expected)
})
