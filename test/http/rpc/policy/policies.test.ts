import { create } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { clusterPropagationPolicies, overridePolicies } from '../../../../http/rpc/policy/policies.js'
import {
  ClusterOverridePolicySchema,
  ClusterPropagationPolicySchema,
  OverridePolicySchema,
  PropagationPolicySchema,
} from '../../../../proto/gen/kairship/policy_pb.js'
import {
  ImageComponent,
  OverriderOperator,
  RawJSONSchema,
  ReplicaDivisionPreference,
  SpreadFieldValue,
} from '../../../../proto/gen/kairship/policy_spec_pb.js'
import { ClusterSelectorOperator } from '../../../../proto/gen/kairship/types_pb.js'
import { missingFields } from '../missing-fields.js'
import { unsetFields } from '../unset-fields.js'

const here = { instance: 'eu-west' }
const labelSelector = {
  matchLabels: { app: 'web' },
  matchExpressions: [{ key: 'tier', operator: 'In', values: ['front'] }],
}
const affinity = {
  labelSelector,
  fieldSelector: { matchExpressions: [{ key: 'region', operator: 'NotIn', values: ['eu'] }] },
  clusterNames: ['a', 'b'],
  exclude: ['c'],
}
const resourceSelectors = [
  { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web' },
  { apiVersion: 'v1', kind: 'ConfigMap', labelSelector },
]
const statePreservation = { rules: [{ aliasLabelName: 'replicas', jsonPath: '{.updatedReplicas}' }] }
const propagation = {
  resourceSelectors,
  association: true,
  propagateDeps: true,
  dependentOverrides: ['eu'],
  priority: 7,
  preemption: 'Always',
  schedulerName: 'default-scheduler',
  conflictResolution: 'Overwrite',
  activationPreference: 'Lazy',
  preserveResourcesOnDeletion: true,
  schedulePriority: { priorityClassSource: 'KubePriorityClass', priorityClassName: 'high' },
  suspension: { dispatching: true, dispatchingOnClusters: { clusterNames: ['a'] } },
  failover: {
    application: {
      decisionConditions: { tolerationSeconds: 0 },
      purgeMode: 'Gracefully',
      gracePeriodSeconds: 0,
      statePreservation,
    },
    cluster: { purgeMode: 'Directly', statePreservation },
  },
  placement: {
    clusterAffinity: affinity,
    clusterAffinities: [
      { affinityName: 'first', ...affinity, overflowAffinities: [{ affinityName: 'cloud', ...affinity }] },
    ],
    clusterTolerations: [
      { key: 'x', operator: 'Equal', value: 'y', effect: 'NoExecute', tolerationSeconds: 0 },
      { operator: 'Exists' },
    ],
    spreadConstraints: [{ spreadByField: 'region', maxGroups: 3, minGroups: 2 }, { spreadByLabel: 'rack' }],
    replicaScheduling: {
      replicaSchedulingType: 'Divided',
      replicaDivisionPreference: 'Weighted',
      weightPreference: {
        staticWeightList: [{ targetCluster: affinity, weight: 3 }],
        dynamicWeight: 'AvailableReplicas',
      },
    },
    workloadAffinity: {
      affinity: { groupByLabelKey: 'together' },
      antiAffinity: { groupByLabelKey: 'apart' },
    },
  },
}
const edits = [{ subPath: '/log/level', operator: 'replace', value: 'debug' }]
const overriders = {
  plaintext: [{ path: '/spec/replicas', operator: 'replace', value: 3 }],
  imageOverrider: [
    {
      predicate: { path: '/spec/template/spec/containers/0/image' },
      component: 'Tag',
      operator: 'replace',
      value: '1.28',
    },
  ],
  commandOverrider: [{ containerName: 'main', operator: 'remove', value: ['-v'] }],
  argsOverrider: [{ containerName: 'main', operator: 'add', value: ['--x'] }],
  labelsOverrider: [{ operator: 'add', value: { region: 'eu' } }],
  annotationsOverrider: [{ operator: 'remove', value: { note: '' } }],
  fieldOverrider: [{ fieldPath: '/data/config.json', json: edits, yaml: edits }],
}
const override = {
  resourceSelectors,
  overrideRules: [{ targetCluster: affinity, overriders }],
  targetCluster: affinity,
  overriders,
}
const policy = (kind: string, spec?: object) => ({
  apiVersion: 'policy.karmada.io/v1alpha1',
  kind,
  metadata: { name: 'web' },
  ...(spec && { spec }),
})
const propagationMessage = (spec?: object) =>
  create(
    ClusterPropagationPolicySchema,
    clusterPropagationPolicies.message(policy('ClusterPropagationPolicy', spec), here, undefined),
  )
const overrideMessage = (spec?: object) =>
  create(OverridePolicySchema, overridePolicies.message(policy('OverridePolicy', spec), here, undefined))

describe('policy messages', () => {
  it.each([
    ['propagationpolicies', PropagationPolicySchema],
    ['clusterpropagationpolicies', ClusterPropagationPolicySchema],
    ['overridepolicies', OverridePolicySchema],
    ['clusteroverridepolicies', ClusterOverridePolicySchema],
  ])('have a field for every field of Karmada’s %s', (resource, schema) => {
    expect(missingFields(`${resource}.policy.karmada.io`, schema, [RawJSONSchema.typeName])).toEqual([])
  })

  it('have every value of a propagation policy, and no zero value', () => {
    const message = propagationMessage(propagation)
    expect(unsetFields(ClusterPropagationPolicySchema, message)).toEqual([])
    expect(message.spec).toMatchObject({
      resourceSelectors: [
        { kind: 'Deployment', name: 'web' },
        { labelSelector: { matchLabels: { app: 'web' } } },
      ],
      priority: 7,
      conflictResolution: 'Overwrite',
      placement: {
        clusterAffinity: {
          clusterNames: ['a', 'b'],
          fieldSelector: { matchExpressions: [{ key: 'region', operator: ClusterSelectorOperator.NotIn }] },
        },
        clusterAffinities: [{ affinityName: 'first', overflowAffinities: [{ affinityName: 'cloud' }] }],
        spreadConstraints: [
          { spreadByField: SpreadFieldValue.region, minGroups: 2n, maxGroups: 3n },
          { spreadByLabel: 'rack' },
        ],
        replicaScheduling: { replicaDivisionPreference: ReplicaDivisionPreference.Weighted },
      },
    })
  })

  it('distinguish 0 seconds from none, where none means a default', () => {
    const { placement, failover } = propagationMessage(propagation).spec ?? {}
    expect(placement?.clusterTolerations.map(({ tolerationSeconds }) => tolerationSeconds)).toEqual([
      0n,
      undefined,
    ])
    expect(failover?.application).toMatchObject({
      gracePeriodSeconds: 0,
      decisionConditions: { tolerationSeconds: 0 },
    })
    const bare = propagationMessage({ failover: { application: { decisionConditions: {} } } }).spec
    expect(bare?.failover?.application?.gracePeriodSeconds).toBeUndefined()
    expect(bare?.failover?.application?.decisionConditions?.tolerationSeconds).toBeUndefined()
  })

  it('have every value of an override policy, and no zero value', () => {
    const message = overrideMessage(override)
    expect(unsetFields(OverridePolicySchema, message)).toEqual([])
    expect(message.spec?.overrideRules).toMatchObject([
      {
        overriders: {
          imageOverrider: [
            { component: ImageComponent.Tag, operator: OverriderOperator.replace, value: '1.28' },
          ],
          argsOverrider: [{ operator: OverriderOperator.add, value: ['--x'] }],
          labelsOverrider: [{ value: { region: 'eu' } }],
          fieldOverrider: [{ fieldPath: '/data/config.json', yaml: [{ subPath: '/log/level' }] }],
        },
      },
    ])
  })

  it.each([3, 'three', true, null, ['a', 1], { a: { b: [] } }, 'ü “quoted”'])(
    'keep a value of a plaintext overrider as JSON: %j',
    value => {
      const plaintext = [{ path: '/x', operator: 'add', value }]
      const [shown] = overrideMessage({ overriders: { plaintext } }).spec?.overriders?.plaintext ?? []
      if (value === null) expect(shown?.value).toBeUndefined()
      else expect(JSON.parse(Buffer.from(shown?.value?.raw ?? []).toString('utf8'))).toEqual(value)
    },
  )

  it('are complete for a policy without a spec', () => {
    expect(propagationMessage().spec).toMatchObject({ resourceSelectors: [], priority: 0 })
    expect(overrideMessage().spec).toMatchObject({ overrideRules: [] })
  })
})
