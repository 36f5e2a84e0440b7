import type { Objects } from '../../../../http/objects/objects.js'
import { StatusError } from '../../../../manifests/status-error.js'

/** A policy of each kind with every field that a preview reads. */
export const policies = [
  {
    apiVersion: 'policy.karmada.io/v1alpha1',
    kind: 'PropagationPolicy',
    metadata: { name: 'p', namespace: 'shop', labels: { a: 'b' }, annotations: {} },
    spec: {
      resourceSelectors: [
        {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          namespace: 'shop',
          name: 'web',
          labelSelector: {
            matchLabels: { a: 'b' },
            matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }],
          },
        },
      ],
      association: true,
      propagateDeps: true,
      dependentOverrides: ['x'],
      conflictResolution: 'Abort',
      schedulerName: 'default-scheduler',
      priority: 1,
      preemption: 'Never',
      suspension: { dispatching: true, dispatchingOnClusters: { clusterNames: ['a'] } },
      failover: { application: { decisionConditions: { tolerationSeconds: 3 }, purgeMode: 'Graciously' } },
      activationPreference: 'Lazy',
      preserveResourcesOnDeletion: true,
      placement: {
        clusterAffinity: {
          clusterNames: ['a'],
          exclude: ['b'],
          labelSelector: {
            matchLabels: { a: 'b' },
            matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }],
          },
          fieldSelector: { matchExpressions: [{ key: 'provider', operator: 'In', values: ['aws'] }] },
        },
        clusterTolerations: [
          { key: 'a', operator: 'Equal', value: 'b', effect: 'NoExecute', tolerationSeconds: 3 },
        ],
        spreadConstraints: [{ spreadByField: 'cluster', minGroups: 1, maxGroups: 2 }],
        replicaScheduling: {
          replicaSchedulingType: 'Divided',
          replicaDivisionPreference: 'Weighted',
          weightPreference: {
            dynamicWeight: 'AvailableReplicas',
            staticWeightList: [{ targetCluster: { clusterNames: ['a'] }, weight: 1 }],
          },
        },
      },
    },
  },
  {
    apiVersion: 'policy.karmada.io/v1alpha1',
    kind: 'PropagationPolicy',
    metadata: { name: 'p', namespace: 'shop' },
    spec: {
      resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment' }],
      placement: {
        clusterAffinities: [
          { affinityName: 'x', clusterNames: ['a'], overflowAffinities: [{ clusterNames: ['b'] }] },
        ],
        replicaScheduling: {
          replicaSchedulingType: 'Divided',
          replicaDivisionPreference: 'Weighted',
          weightPreference: { staticWeightList: [{ targetCluster: { clusterNames: ['a'] }, weight: 1 }] },
        },
      },
    },
  },
  {
    apiVersion: 'policy.karmada.io/v1alpha1',
    kind: 'OverridePolicy',
    metadata: { name: 'p', namespace: 'shop' },
    spec: {
      resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment' }],
      overrideRules: [
        {
          targetCluster: { clusterNames: ['a'] },
          overriders: {
            plaintext: [{ path: '/spec/replicas', operator: 'replace', value: 1 }],
            imageOverrider: [
              {
                component: 'Tag',
                operator: 'replace',
                value: '2',
                predicate: { path: '/spec/template/spec/containers/0/image' },
              },
            ],
            commandOverrider: [{ containerName: 'web', operator: 'add', value: ['x'] }],
            argsOverrider: [{ containerName: 'web', operator: 'add', value: ['x'] }],
            labelsOverrider: [{ operator: 'add', value: { a: 'b' } }],
            annotationsOverrider: [{ operator: 'add', value: { a: 'b' } }],
            fieldOverrider: [
              {
                fieldPath: '/data/x',
                yaml: [{ subPath: '/a', operator: 'replace', value: 1 }],
                json: [{ subPath: '/a', operator: 'replace', value: 1 }],
              },
            ],
          },
        },
      ],
    },
  },
]
const clusters = ['a', 'b'].map(name => ({
  apiVersion: 'cluster.karmada.io/v1alpha1',
  kind: 'Cluster',
  metadata: { name, labels: { a: 'b' } },
  spec: { syncMode: 'Push', provider: 'aws', taints: [{ key: 'a', value: 'b', effect: 'NoExecute' }] },
  status: {
    conditions: [{ type: 'Ready', status: 'True' }],
    apiEnablements: [{ groupVersion: 'apps/v1', resources: [{ name: 'deployments', kind: 'Deployment' }] }],
    resourceSummary: {
      allocatable: { pods: '10', cpu: '10', memory: '10Gi' },
      allocated: {},
      allocating: {},
    },
  },
}))
const web = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'shop', labels: { a: 'b' }, uid: 'u' },
  spec: {
    replicas: 2,
    template: {
      metadata: { labels: { a: 'b' } },
      spec: { containers: [{ name: 'web', image: 'nginx:1', command: ['a'], args: ['b'] }] },
    },
  },
}
const binding = {
  apiVersion: 'work.karmada.io/v1alpha2',
  kind: 'ResourceBinding',
  metadata: { name: 'web-deployment', namespace: 'shop' },
  spec: {
    resource: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web', uid: 'u' },
    replicas: 2,
    clusters: [
      { name: 'a', replicas: 1 },
      { name: 'b', replicas: 1 },
    ],
    placement: {},
  },
  status: {},
}

const notFound = () => {
  throw new StatusError({
    kind: 'Status',
    status: 'Failure',
    reason: 'NotFound',
    code: 404,
    message: 'nf',
  } as never)
}

/** A control plane with one Deployment, its binding and two clusters. */
export const objects = {
  typeOf: async () => ({
    group: 'apps',
    version: 'v1',
    resource: 'deployments',
    kind: 'Deployment',
    namespaced: true,
  }),
  get: async (_: unknown, __: unknown, t: { resource: string }) =>
    t.resource === 'resourcebindings' ? binding : t.resource === 'deployments' ? web : notFound(),
  list: async (_: unknown, __: unknown, t: { resource: string }) => ({
    items: t.resource === 'clusters' ? clusters : t.resource === 'deployments' ? [web] : [],
  }),
} as unknown as Objects
