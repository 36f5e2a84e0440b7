import { describe, expect, it } from 'vitest'
import { PolicyService } from '../../../proto/gen/kairship/policy_pb.js'
import { kindSuite } from '../support/kind-suite.js'
import { ManagedWorld, TYPES } from '../support/managed-world.js'

const world = new ManagedWorld(PolicyService)
const selector = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }
const propagation = {
  resourceSelectors: [selector],
  placement: { clusterAffinity: { clusterNames: ['nowhere'] } },
  preserveResourcesOnDeletion: true,
}
const override = {
  resourceSelectors: [selector],
  overrideRules: [
    {
      targetCluster: { clusterNames: ['nowhere'] },
      overriders: { plaintext: [{ path: '/spec/replicas', operator: 'replace', value: 3 }] },
    },
  ],
}
const wrongImage = { imageOverrider: [{ component: 'Nothing', operator: 'add', value: 'x' }] }
const refusedPropagation = [
  { ...propagation, resourceSelectors: [] },
  /data\.spec\.resourceSelectors/,
] as const
const refusedOverride = [
  { ...override, overrideRules: [{ overriders: wrongImage }] },
  /data\.spec\.overrideRules\[0\]\.overriders\.imageOverrider\[0\]\.component/,
] as const

kindSuite({
  world,
  type: TYPES.policies,
  kind: 'PropagationPolicy',
  namespaced: true,
  rpcs: {
    list: 'listPropagationPolicies',
    listAll: 'listInstancePropagationPolicies',
    get: 'getPropagationPolicy',
    json: 'getPropagationPolicyJSON',
    create: 'createPropagationPolicy',
    update: 'updatePropagationPolicy',
    remove: 'deletePropagationPolicy',
    watch: 'watchPropagationPolicies',
  },
  field: 'propagationPolicy',
  spec: propagation,
  changed: { priority: 7 },
  refused: refusedPropagation,
})

kindSuite({
  world,
  type: TYPES.clusterPolicies,
  kind: 'ClusterPropagationPolicy',
  namespaced: false,
  rpcs: {
    list: 'listClusterPropagationPolicies',
    get: 'getClusterPropagationPolicy',
    json: 'getClusterPropagationPolicyJSON',
    create: 'createClusterPropagationPolicy',
    update: 'updateClusterPropagationPolicy',
    remove: 'deleteClusterPropagationPolicy',
    watch: 'watchClusterPropagationPolicies',
  },
  field: 'clusterPropagationPolicy',
  spec: propagation,
  changed: { priority: 7 },
  refused: refusedPropagation,
})

kindSuite({
  world,
  type: TYPES.overridePolicies,
  kind: 'OverridePolicy',
  namespaced: true,
  rpcs: {
    list: 'listOverridePolicies',
    listAll: 'listInstanceOverridePolicies',
    get: 'getOverridePolicy',
    json: 'getOverridePolicyJSON',
    create: 'createOverridePolicy',
    update: 'updateOverridePolicy',
    remove: 'deleteOverridePolicy',
    watch: 'watchOverridePolicies',
  },
  field: 'overridePolicy',
  spec: override,
  changed: { overrideRules: [{ overriders: { labelsOverrider: [{ operator: 'add', value: { a: 'b' } }] } }] },
  refused: refusedOverride,
})

kindSuite({
  world,
  type: TYPES.clusterOverridePolicies,
  kind: 'ClusterOverridePolicy',
  namespaced: false,
  rpcs: {
    list: 'listClusterOverridePolicies',
    get: 'getClusterOverridePolicy',
    json: 'getClusterOverridePolicyJSON',
    create: 'createClusterOverridePolicy',
    update: 'updateClusterOverridePolicy',
    remove: 'deleteClusterOverridePolicy',
    watch: 'watchClusterOverridePolicies',
  },
  field: 'clusterOverridePolicy',
  spec: override,
  changed: { overrideRules: [{ overriders: { labelsOverrider: [{ operator: 'add', value: { a: 'b' } }] } }] },
  refused: refusedOverride,
})

describe('policies as Karmada sees them', () => {
  it('place their templates: a policy that is created over the API propagates', async () => {
    const [member = ''] = world.members
    const data = JSON.stringify({
      metadata: { name: 'settings' },
      spec: {
        resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'settings' }],
        placement: { clusterAffinity: { clusterNames: [member] } },
      },
    })
    await world.calls.rest('createPropagationPolicy', {
      instance: world.instance,
      namespace: 'default',
      data,
    })
    await world.create(world.control, TYPES.configMaps, { metadata: { name: 'settings' }, data: { a: '1' } })
    await world.in(member, TYPES.configMaps, { namespace: 'default', name: 'settings' })
  })

  it('have the defaults of Karmada’s webhook, over REST and gRPC', async () => {
    const data = JSON.stringify({ metadata: { name: 'defaults' }, spec: { resourceSelectors: [selector] } })
    await world.calls.rest('createPropagationPolicy', {
      instance: world.instance,
      namespace: 'default',
      data,
    })
    const request = { instance: world.instance, namespace: 'default', name: 'defaults' }
    const { propagationPolicy } = await world.calls.read('getPropagationPolicy', request)
    expect(propagationPolicy.spec).toMatchObject({
      resourceSelectors: [{ ...selector, namespace: 'default' }],
      preemption: 'Never',
      conflictResolution: 'Abort',
      schedulerName: 'default-scheduler',
      preserveResourcesOnDeletion: false,
    })
  })

  it('have no states, so a list by state is refused', async () => {
    for (const rpc of ['listInstancePropagationPolicies', 'listInstanceOverridePolicies'] as const) {
      const refused = await world.calls.both(rpc, { instance: world.instance, phase: 'Running' })
      expect(refused).toMatchObject({ ok: false, json: { code: 3 } })
      expect(refused.json.message).toBe('phase: must be empty: policies have no states')
    }
  })
})
