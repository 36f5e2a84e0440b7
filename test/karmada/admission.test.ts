import { describe, expect, it } from 'vitest'
import { deletionRefusal, writeRefusal } from '../../karmada/admission/validate.js'
import type { KubeObject } from '../../manifests/kube.js'

const ID = { 'propagationpolicy.karmada.io/permanent-id': 'id' }
const object = (kind: string, spec: object, metadata: object = {}): KubeObject =>
  ({
    apiVersion: 'policy.karmada.io/v1alpha1',
    kind,
    metadata: { namespace: 'default', name: 'p', labels: ID, ...metadata },
    spec,
  }) as KubeObject
const policy = (spec: object, metadata: object = {}) =>
  object(
    'PropagationPolicy',
    {
      resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: 'web' }],
      placement: {},
      ...spec,
    },
    metadata,
  )
const placed = (placement: object) => policy({ placement })
const override = (spec: object) => object('OverridePolicy', spec)
const rule = (overriders: object) => override({ overrideRules: [{ overriders }] })
const application = (rest: object) => ({ decisionConditions: { tolerationSeconds: 1 }, ...rest })

describe('Karmada’s webhooks refuse', () => {
  it.each<[string, KubeObject, string]>([
    [
      'two ways to select clusters',
      placed({ clusterAffinities: [{ affinityName: 'a' }], clusterAffinity: { clusterNames: ['m1'] } }),
      'spec.placement: Invalid value: {"clusterAffinity":{"clusterNames":["m1"]},"clusterAffinities":[{"affinityName":"a"}]}: clusterAffinities cannot co-exist with clusterAffinity',
    ],
    [
      'a selector of an unknown field',
      placed({
        clusterAffinity: {
          fieldSelector: { matchExpressions: [{ key: 'color', operator: 'In', values: ['x'] }] },
        },
      }),
      'spec.placement.clusterAffinity.fieldSelector: Invalid value: {"matchExpressions":[{"key":"color","operator":"In","values":["x"]}]}: unsupported key "color", must be provider, region, or zone',
    ],
    [
      'an operator that fields do not have',
      placed({
        clusterAffinity: { fieldSelector: { matchExpressions: [{ key: 'zone', operator: 'Exists' }] } },
      }),
      'spec.placement.clusterAffinity.fieldSelector: Invalid value: {"matchExpressions":[{"key":"zone","operator":"Exists"}]}: unsupported operator "Exists", must be In or NotIn',
    ],
    [
      'affinities of one name',
      placed({ clusterAffinities: [{ affinityName: 'a' }, { affinityName: 'a' }] }),
      'spec.placement.clusterAffinities: Invalid value: [{"affinityName":"a"},{"affinityName":"a"}]: each affinity term in a policy must have a unique name',
    ],
    [
      'an overflow without dynamic weights',
      placed({
        clusterAffinities: [
          { affinityName: 'a', clusterNames: ['m1'], overflowAffinities: [{ affinityName: 'b' }] },
        ],
      }),
      'spec.placement.clusterAffinities[0].overflowAffinities: Invalid value: [{"affinityName":"b"}]: overflowAffinities can only be used together with dynamic weight or aggregated scheduling',
    ],
    [
      'more groups at least than at most',
      placed({ spreadConstraints: [{ maxGroups: 1, minGroups: 2, spreadByField: 'cluster' }] }),
      'spec.placement.spreadConstraints[0]: Invalid value: {"spreadByField":"cluster","maxGroups":1,"minGroups":2}: maxGroups lower than minGroups is not allowed',
    ],
    [
      'a spread by region alone',
      placed({ spreadConstraints: [{ spreadByField: 'region', minGroups: 1 }] }),
      'spec.placement.spreadConstraints: Invalid value: [{"spreadByField":"region","minGroups":1}]: the cluster spread constraint must be enabled in one of the constraints in case of SpreadByField is enabled',
    ],
    [
      'two spreads by one field, once',
      placed({ spreadConstraints: [1, 1, 1].map(minGroups => ({ spreadByField: 'cluster', minGroups })) }),
      'spec.placement.spreadConstraints: Invalid value: [{"spreadByField":"cluster","minGroups":1},{"spreadByField":"cluster","minGroups":1},{"spreadByField":"cluster","minGroups":1}]: multiple cluster spread constraints are not allowed',
    ],
    [
      'a toleration that compares numbers',
      placed({ clusterTolerations: [{ key: 'a', operator: 'Lt', value: '5' }] }),
      'spec.placement.clusterTolerations[0].operator: Unsupported value: "Lt": supported values: "", "Exists", "Equal"',
    ],
    [
      'several things, in one line',
      policy({ failover: { application: application({ purgeMode: 'Directly', gracePeriodSeconds: 0 }) } }),
      '[spec.propagateDeps: Invalid value: false: application failover is set, propagateDeps must be true, spec.failover.application.gracePeriodSeconds: Invalid value: 0: only takes effect when purgeMode is gracefully, spec.failover.application.gracePeriodSeconds: Invalid value: 0: must be greater than 0]',
    ],
    [
      'a selector of another namespace',
      policy({ resourceSelectors: [{ apiVersion: 'v1', kind: 'Secret', namespace: 'other' }] }),
      'spec.resourceSelectors[0].namespace: Invalid value: "other": namespace of resource selector must be the same as the namespace of the policy',
    ],
    [
      'preemption of what has no name',
      policy({
        preemption: 'Always',
        resourceSelectors: [{ apiVersion: 'v1', kind: 'Secret', namespace: 'default' }],
      }),
      'spec.resourceSelectors[0].name: Invalid value: "": name cannot be empty if preemption is Always, the empty name may cause unexpected resources preemption',
    ],
    [
      'two suspensions of dispatching',
      policy({ suspension: { dispatchingOnClusters: { clusterNames: ['m1'] }, dispatching: true } }),
      'spec.suspension.suspension: Invalid value: {"dispatching":true,"dispatchingOnClusters":{"clusterNames":["m1"]}}: suspension dispatching cannot co-exist with dispatchingOnClusters.clusterNames',
    ],
    [
      'a policy without an id',
      policy({}, { labels: {} }),
      'label propagationpolicy.karmada.io/permanent-id is required, it should be set by the mutating admission webhook during creation',
    ],
    [
      'overriders beside rules',
      override({ overrideRules: [], overriders: { plaintext: [{ path: '/a', operator: 'remove' }] } }),
      'spec.overriders: Invalid value: {"plaintext":[{"path":"/a","operator":"remove"}]}: overrideRules and overriders can\'t co-exist',
    ],
    [
      'a field override without changes',
      rule({ fieldOverrider: [{ fieldPath: '/data/a' }] }),
      'spec.overrideRules[0].overriders.fieldOverrider[0]: Required value: FieldOverrider must have either JSON or YAML set',
    ],
    [
      'a path that is no pointer',
      rule({ fieldOverrider: [{ fieldPath: 'data', json: [{ subPath: '/a', operator: 'remove' }] }] }),
      'spec.overrideRules[0].overriders.fieldOverrider[0].fieldPath: Invalid value: "data": JSON pointer must be empty or start with a "/\nJSON pointer error',
    ],
    [
      'an addition of nothing',
      rule({ fieldOverrider: [{ fieldPath: '/d', yaml: [{ subPath: '/a', operator: 'add' }] }] }),
      'spec.overrideRules[0].overriders.fieldOverrider[0].yaml[0].value: Invalid value: null: value is required for add or replace operation',
    ],
    [
      'a removal of something',
      rule({
        fieldOverrider: [{ fieldPath: '/d', json: [{ subPath: '/a', operator: 'remove', value: 1 }] }],
      }),
      'spec.overrideRules[0].overriders.fieldOverrider[0].json[0].value: Invalid value: 1: value is not allowed for remove operation',
    ],
    [
      'a taint twice',
      object('ClusterTaintPolicy', { taints: [1, 2].map(() => ({ key: 'a', effect: 'NoSchedule' })) }),
      'spec.taints[0]: Duplicate value: "Duplicate taint with the same key(a) and effect(NoSchedule) is not allowed"',
    ],
    [
      'a quota below what is assigned',
      object('FederatedResourceQuota', {
        overall: { cpu: '1' },
        staticAssignments: [
          { clusterName: 'm1', hard: { cpu: '600m' } },
          { clusterName: 'm2', hard: { cpu: '500m', memory: '1Gi' } },
        ],
      }),
      '[spec.overall[cpu]: Invalid value: "1": overall is less than assignments, spec.staticAssignments[1].hard[memory]: Invalid value: "memory": assignment resourceName is not exist in overall]',
    ],
  ])('%s', (_, refused, message) => {
    expect(writeRefusal(refused)).toEqual({ webhook: `${refused.kind.toLowerCase()}.karmada.io`, message })
  })

  it('a change of the scheduler, and a change of the policy id', () => {
    const old = policy({ schedulerName: 'a' })
    expect(writeRefusal(policy({ schedulerName: 'b' }), old)?.message).toBe(
      'the schedulerName should not be updated',
    )
    const renamed = policy(
      { schedulerName: 'a' },
      { labels: { 'propagationpolicy.karmada.io/permanent-id': 'x' } },
    )
    expect(writeRefusal(renamed, old)?.message).toBe(
      'label propagationpolicy.karmada.io/permanent-id is immutable, it can only be set by the system during creation',
    )
  })

  it('to delete a protected object', () => {
    const labelled = (value: string) =>
      policy({}, { labels: { 'resourcetemplate.karmada.io/deletion-protected': value } })
    expect(deletionRefusal(labelled('Always'))).toEqual({
      webhook: 'resourcedeletionprotection.karmada.io',
      message:
        'This resource is protected, please make sure to remove the label: resourcetemplate.karmada.io/deletion-protected',
    })
    expect(deletionRefusal(labelled('Never'))).toBeUndefined()
  })
})

it.each([
  [
    'two components of one name',
    ['a', 'b', 'a'],
    'spec.components[2].name: Invalid value: "a": component names must be unique',
  ],
  [
    'a component without a name',
    ['', 'b'],
    'spec.components[0].name: Invalid value: "": component names must be non-empty',
  ],
  ['nothing else', ['a', 'b'], undefined],
])('Karmada’s webhook of bindings refuses %s', (_, names, message) => {
  const binding = {
    apiVersion: 'work.karmada.io/v1alpha2',
    kind: 'ResourceBinding',
    metadata: { name: 'b', namespace: 'default' },
    spec: { components: names.map(name => ({ name, replicas: 1 })) },
  }
  expect(writeRefusal(binding)?.message).toBe(message)
})

describe('Karmada’s webhooks accept', () => {
  it.each([
    ['a plain policy', policy({})],
    ['a policy of before there were ids, that gets one', policy({})],
    [
      'overflow with dynamic weights',
      placed({
        clusterAffinities: [
          { affinityName: 'a', clusterNames: ['m1'], overflowAffinities: [{ affinityName: 'b' }] },
        ],
        replicaScheduling: { replicaSchedulingType: 'Divided', replicaDivisionPreference: 'Aggregated' },
      }),
    ],
    ['rules without overriders', override({ overrideRules: [] })],
    ['other kinds', { apiVersion: 'v1', kind: 'PropagationPolicy', metadata: { name: 'x' } }],
  ])('%s', (_, object) => {
    expect(
      writeRefusal(object, _.includes('gets one') ? policy({}, { labels: {} }) : undefined),
    ).toBeUndefined()
  })
})
