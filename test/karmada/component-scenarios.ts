import fc from 'fast-check'
import type { Resource } from '../../karmada/interpreter/workload.js'
import type { Component } from '../../karmada/objects/binding.js'
import type { GroupedBinding } from '../../karmada/scheduling/affinity-groups.js'
import { type Scenario, scenarios } from './scenarios.js'

/** Field by field, leaving some out. */
const partly = <T extends object>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(fields, { requiredKeys: [] }) as fc.Arbitrary<Partial<T>>

const request = partly({
  cpu: fc.constantFrom('0', '1m', '250m', '1', '3'),
  memory: fc.constantFrom('100m', '128Mi', '1Gi', '6Gi', '500M'),
  'nvidia.com/gpu': fc.constantFrom('1', '2'),
})

const component = fc.record({
  replicas: fc.nat(4),
  requirements: fc.option(request, { nil: undefined }),
})
const components: fc.Arbitrary<readonly Component[]> = fc
  .array(component, { minLength: 1, maxLength: 3 })
  .map(all =>
    all.map(({ replicas, requirements }, at) => ({
      name: `c${at}`,
      replicas,
      ...(requirements && { replicaRequirements: { resourceRequest: requirements } }),
    })),
  )

/** Karmada's scheduler tries the affinity groups of clusters itself, in code that cannot be called alone. */
const ofOneAffinity = scenarios.filter(({ spec }) => !spec.placement.clusterAffinities)

const ONE_CLUSTER = [{ spreadByField: 'cluster' as const, minGroups: 1, maxGroups: 1 }]

/** Decisions about workloads of components, most of them for one cluster. */
export const componentScenarios: fc.Arbitrary<Scenario> = fc
  .record({ scenario: ofOneAffinity, components, isForOne: fc.nat(4) })
  .map(({ scenario: { spec, ...rest }, components, isForOne }) => {
    const { replicas: _, replicaRequirements: __, ...others } = spec
    const placement = isForOne > 0 ? { ...spec.placement, spreadConstraints: ONE_CLUSTER } : spec.placement
    return { ...rest, spec: { ...others, components, placement } }
  })

/** A decision among the bindings of affinity groups. */
export interface GroupScenario extends Scenario {
  readonly bindings: readonly GroupedBinding[]
}

const group = fc.constantFrom(undefined, '', 'team=a', 'team=b')
const groups = fc
  .record({ affinityGroup: group, antiAffinityGroup: group })
  .map(all => Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)))

const grouped = (at: number) =>
  fc
    .record({
      namespace: fc.constantFrom('default', 'default', 'other'),
      name: fc.constantFrom(`b${at}`, `b${at}`, `b${at}`, 'web-deployment'),
      clusters: fc.subarray(['member1', 'member2', 'member3', 'member4', 'gone']),
      groups,
    })
    .map(({ namespace, name, clusters, groups }) => ({
      metadata: { namespace, name, resourceVersion: '1' },
      spec: { clusters: clusters.map(one => ({ name: one })), workloadAffinityGroups: groups },
    }))

/** Decisions about workloads of affinity groups. */
export const groupScenarios: fc.Arbitrary<GroupScenario> = fc
  .record({ scenario: ofOneAffinity, groups, bindings: fc.tuple(grouped(1), grouped(2), grouped(3)) })
  .map(({ scenario, groups, bindings }) => {
    const byName = new Map(bindings.map(one => [`${one.metadata.namespace}/${one.metadata.name}`, one]))
    const spec = { ...scenario.spec, workloadAffinityGroups: groups }
    return { ...scenario, spec, bindings: [...byName.values()] }
  })

const quantities = { cpu: fc.constantFrom('100m', '1'), memory: fc.constantFrom('64Mi', '1Gi', '500M') }
const podSpec = fc
  .record({
    requests: partly(quantities),
    nodeSelector: fc.option(fc.constant({ disk: 'ssd' }), { nil: undefined }),
    tolerations: fc.option(fc.constant([{ key: 'gpu', operator: 'Exists' }]), { nil: undefined }),
  })
  .map(({ requests, nodeSelector, tolerations }) => ({
    containers: [{ name: 'main', resources: { requests } }],
    ...(nodeSelector && { nodeSelector }),
    ...(tolerations && { tolerations }),
  }))
const template = podSpec.map(spec => ({ spec }))
const replicas = fc.integer({ min: 0, max: 5 })
const templated = fc.record({ template, replicas }, { requiredKeys: ['template'] })
const manager = partly({
  replicas,
  resource: partly({
    cpu: fc.constantFrom(0.05, 1, 2.5),
    memory: fc.constantFrom('100m', '2048m', '1Gi', '2G', '1.5Gi'),
  }),
})
const ray = partly({
  headGroupSpec: template.map(one => ({ template: one })),
  workerGroupSpecs: fc.array(
    fc.record(
      { template, replicas, groupName: fc.constantFrom('', 'small') },
      { requiredKeys: ['template'] },
    ),
    { maxLength: 2 },
  ),
})
const sparkPod = partly({
  cores: fc.integer({ min: 1, max: 4 }),
  memory: fc.constantFrom('512m', '4g', '1024m', '2048k', '1.5g', '1T'),
  memoryOverhead: fc.constantFrom('512m', '1g', '300mb'),
  gpu: fc.record({ name: fc.constantFrom('', 'nvidia.com/gpu'), quantity: fc.nat(2) }),
  nodeSelector: fc.constant({ disk: 'ssd' }),
  priorityClassName: fc.constant('high'),
})

const specs: Readonly<Record<string, fc.Arbitrary<object>>> = {
  'flink.apache.org/v1beta1 FlinkDeployment': partly({
    jobManager: manager,
    taskManager: manager,
    job: partly({ parallelism: fc.integer({ min: 1, max: 9 }) }),
    flinkConfiguration: partly({ 'taskmanager.numberOfTaskSlots': fc.constantFrom('2', '3', '0') }),
    podTemplate: template,
  }),
  'batch.volcano.sh/v1alpha1 Job': fc.record({
    tasks: fc.array(
      fc.record(
        { name: fc.constantFrom('', 'ps', 'worker'), template, minAvailable: replicas, replicas },
        { requiredKeys: ['template'] },
      ),
      { maxLength: 3 },
    ),
  }),
  'ray.io/v1 RayCluster': ray,
  'ray.io/v1 RayJob': partly({ rayClusterSpec: ray }),
  'sparkoperator.k8s.io/v1beta2 SparkApplication': fc.record(
    {
      type: fc.constantFrom('Java', 'Scala', 'Python', 'R'),
      memoryOverheadFactor: fc.constantFrom('0.2', '0.1'),
      driver: sparkPod,
      executor: fc
        .tuple(sparkPod, partly({ instances: fc.integer({ min: 1, max: 4 }) }))
        .map(([one, more]) => ({ ...one, ...more })),
      dynamicAllocation: partly({
        enabled: fc.boolean(),
        initialExecutors: fc.nat(6),
        minExecutors: fc.nat(6),
      }),
    },
    { requiredKeys: ['type'] },
  ),
  'kubeflow.org/v1 PyTorchJob': fc.record({
    pytorchReplicaSpecs: partly({ Master: templated, Worker: templated }),
  }),
  'kubeflow.org/v1 TFJob': fc.record({
    tfReplicaSpecs: partly({ PS: templated, Worker: templated, Chief: templated, Evaluator: templated }),
  }),
  'kubeflow.org/v2beta1 MPIJob': fc.record({
    mpiReplicaSpecs: partly({ Launcher: templated, Worker: templated }),
  }),
}

/** Workloads of third-party kinds that consist of components. */
export const componentWorkloads: fc.Arbitrary<Resource> = fc.oneof(
  ...Object.entries(specs).map(([type, spec]) => {
    const [apiVersion = '', kind = ''] = type.split(' ')
    return spec.map(
      one => ({ apiVersion, kind, metadata: { namespace: 'default', name: 'web' }, spec: one }) as Resource,
    )
  }),
)

/** Components in one line, by name: Karmada walks maps in no particular order. */
export const componentsText = (components: readonly Component[] | null | undefined): string =>
  JSON.stringify(
    [...(components ?? [])].sort((a, b) => (a.name < b.name ? -1 : 1)),
    (_, value: unknown) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
        : value,
  )
