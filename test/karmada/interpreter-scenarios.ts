import fc from 'fast-check'
import type { Resource } from '../../karmada/interpreter/workload.js'
import type { MemberStatus } from '../../karmada/objects/member-status.js'

/** Objects of native kinds with whatever the interpreter of Karmada reads of them. */

const defined = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })
const some = <T>(arbitrary: fc.Arbitrary<T>, maxLength = 2) => optional(fc.array(arbitrary, { maxLength }))
const small = fc.nat(4)
const name = fc.constantFrom('a', 'b', '')
const named = optional(fc.record({ name }))

const amounts = optional(
  fc.dictionary(
    fc.constantFrom('cpu', 'memory', 'nvidia.com/gpu', 'ephemeral-storage', 'hugepages-2Mi', 'unknown'),
    fc.constantFrom('0', '1', '100m', '1500m', '128Mi', '2Gi', '1e3'),
    { maxKeys: 3 },
  ),
)
const container = fc.record({
  name: fc.constantFrom('web', 'side'),
  image: fc.constant('nginx'),
  resources: optional(fc.record({ requests: amounts, limits: amounts })),
  env: some(
    fc.record({
      name: fc.constant('E'),
      valueFrom: optional(
        fc.oneof(
          fc.record({ secretKeyRef: fc.record({ name, key: fc.constant('k') }) }),
          fc.record({ configMapKeyRef: fc.record({ name, key: fc.constant('k') }) }),
        ),
      ),
    }),
  ),
  envFrom: some(fc.record({ secretRef: named, configMapRef: named })),
  volumeMounts: some(fc.constantFrom({ name: 'a', mountPath: '/a' }, { name: 'b', mountPath: '/b' })),
})
const volume = fc
  .oneof(
    fc.record({ configMap: fc.record({ name }) }),
    fc.record({ secret: fc.record({ secretName: name }) }),
    fc.record({ persistentVolumeClaim: fc.record({ claimName: name }) }),
    fc.record({
      projected: fc.record({
        sources: fc.array(fc.record({ secret: named, configMap: named }), { maxLength: 2 }),
      }),
    }),
    fc.record({ azureFile: fc.record({ secretName: name, shareName: fc.constant('s') }) }),
    fc.record({ csi: fc.record({ driver: fc.constant('d'), nodePublishSecretRef: named }) }),
    fc.record({
      rbd: fc.record({ monitors: fc.constant(['m']), image: fc.constant('i'), secretRef: named }),
    }),
    fc.constant({ emptyDir: {} }),
  )
  .map(source => ({ name: 'v', ...source }))
const affinity = {
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }],
    },
  },
}
const podSpec = fc.record({
  containers: fc.array(container, { minLength: 1, maxLength: 2 }),
  initContainers: some(container),
  volumes: some(volume),
  imagePullSecrets: some(fc.record({ name })),
  serviceAccountName: optional(fc.constantFrom('default', 'robot', '')),
  nodeName: optional(fc.constant('node')),
  nodeSelector: optional(fc.constantFrom({ disk: 'ssd' })),
  tolerations: some(fc.constant({ key: 'k', operator: 'Exists' })),
  affinity: optional(fc.constantFrom(affinity, {})),
  overhead: amounts,
})
const template = fc.record({
  metadata: optional(fc.record({ labels: optional(fc.constantFrom({ app: 'web' }, { app: 'api' })) })),
  spec: podSpec,
})

const ingress = fc.record({
  hostname: optional(fc.constantFrom('a.example.com', 'b.example.com')),
  ip: optional(fc.constantFrom('10.0.0.1', '10.0.0.2')),
  ports: some(
    fc.record({
      port: fc.constantFrom(80, 443),
      protocol: fc.constantFrom('TCP', 'UDP'),
      error: optional(fc.constant('e')),
    }),
  ),
})
const loadBalancer = optional(fc.record({ ingress: some(ingress, 3) }))
const times = fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z')
const jobCondition = fc.record({
  type: fc.constantFrom('Complete', 'Failed', 'SuccessCriteriaMet', 'Suspended'),
  status: fc.constantFrom('True', 'False'),
})

const replicated = {
  replicas: optional(small),
  readyReplicas: optional(small),
  updatedReplicas: optional(small),
  availableReplicas: optional(small),
  observedGeneration: optional(small),
}
const containerStatus = fc.record({
  name: fc.constant('web'),
  ready: fc.boolean(),
  restartCount: small,
  image: fc.constant('i'),
  imageID: fc.constant('x'),
  state: fc.constantFrom({ running: { startedAt: '2026-01-01T00:00:00Z' } }, { waiting: { reason: 'R' } }),
})

/** Per type: spec and status. */
const kinds = {
  'apps/v1 Deployment': {
    spec: fc.record({ replicas: optional(small), template }),
    status: fc.record({ ...replicated, unavailableReplicas: optional(small) }),
  },
  'apps/v1 ReplicaSet': {
    spec: fc.record({ replicas: optional(small), template }),
    status: fc.record({ ...replicated, updatedReplicas: fc.constant(undefined) }),
  },
  'apps/v1 StatefulSet': {
    spec: fc.record({
      replicas: optional(small),
      template,
      volumeClaimTemplates: some(fc.record({ metadata: fc.record({ name }) })),
    }),
    status: fc.record({ ...replicated, currentReplicas: optional(small) }),
  },
  'apps/v1 DaemonSet': {
    spec: fc.record({ template }),
    status: fc.record({
      currentNumberScheduled: small,
      desiredNumberScheduled: small,
      numberAvailable: optional(small),
      numberMisscheduled: small,
      numberReady: small,
      updatedNumberScheduled: optional(small),
      numberUnavailable: optional(small),
      observedGeneration: optional(small),
    }),
  },
  'batch/v1 Job': {
    spec: fc.record({
      parallelism: optional(small),
      completions: optional(small),
      selector: optional(fc.record({ matchLabels: optional(fc.constantFrom({ job: 'a' }, { job: 'b' })) })),
      template,
    }),
    status: fc.record({
      active: optional(small),
      succeeded: optional(small),
      failed: optional(small),
      startTime: optional(times),
      completionTime: optional(times),
      conditions: some(jobCondition),
    }),
  },
  'batch/v1 CronJob': {
    spec: fc.record({ jobTemplate: fc.record({ spec: fc.record({ template }) }) }),
    status: fc.record({
      active: some(fc.record({ name: fc.constantFrom('a', 'b') })),
      lastScheduleTime: optional(times),
      lastSuccessfulTime: optional(times),
    }),
  },
  'v1 Pod': {
    spec: podSpec,
    status: fc.record({
      phase: optional(fc.constantFrom('Pending', 'Running', 'Succeeded', 'Failed', 'Unknown')),
      conditions: some(
        fc.record({
          type: fc.constantFrom('Ready', 'PodScheduled'),
          status: fc.constantFrom('True', 'False'),
        }),
      ),
      containerStatuses: some(containerStatus),
      initContainerStatuses: some(containerStatus),
    }),
  },
  'v1 Service': {
    spec: fc.record({
      type: optional(fc.constantFrom('LoadBalancer', 'ClusterIP')),
      clusterIP: optional(fc.constantFrom('', '10.1.1.1', 'None')),
      healthCheckNodePort: optional(fc.constantFrom(0, 30000)),
    }),
    status: fc.record({ loadBalancer }),
  },
  'networking.k8s.io/v1 Ingress': {
    spec: fc.record({ tls: some(fc.record({ secretName: fc.constantFrom('a', 'b') })) }),
    status: fc.record({ loadBalancer }),
  },
  'v1 PersistentVolumeClaim': {
    spec: fc.record({ volumeName: optional(fc.constantFrom('', 'pv-a')) }),
    status: fc.record({ phase: optional(fc.constantFrom('Pending', 'Bound', 'Lost')) }),
  },
  'v1 PersistentVolume': {
    spec: fc.record({ claimRef: optional(fc.record({ name: fc.constantFrom('a', 'b') })) }),
    status: fc.record({
      phase: optional(fc.constantFrom('Pending', 'Available', 'Bound', 'Released', 'Failed')),
    }),
  },
  'policy/v1 PodDisruptionBudget': {
    spec: fc.constant({}),
    status: fc.record({
      currentHealthy: small,
      desiredHealthy: small,
      disruptionsAllowed: small,
      expectedPods: small,
      disruptedPods: optional(fc.dictionary(fc.constantFrom('p', 'q'), times)),
    }),
  },
  'autoscaling/v2 HorizontalPodAutoscaler': {
    spec: fc.constant({}),
    status: fc.record({ currentReplicas: optional(small), desiredReplicas: small }),
  },
} as const

export type KnownType = keyof typeof kinds

const reportOf = (report: object): MemberStatus => defined(report) as MemberStatus

const typed = (type: KnownType): Pick<Resource, 'apiVersion' | 'kind'> => {
  const [apiVersion = '', kind = ''] = type.split(' ')
  return { apiVersion, kind }
}

/** An object of one type. */
export const resourceOf = (type: KnownType): fc.Arbitrary<Resource> =>
  fc
    .record({
      metadata: fc.record({
        name: fc.constantFrom('web', 'api'),
        namespace: fc.constant('default'),
        generation: optional(small),
        labels: optional(fc.constantFrom({}, { 'resourcetemplate.karmada.io/retain-replicas': 'true' })),
        // On everything that Karmada makes; without it, Karmada reports nothing but an error.
        annotations: small.map(generation => ({
          'resourcetemplate.karmada.io/generation': String(generation),
        })),
      }),
      spec: kinds[type].spec as fc.Arbitrary<object>,
      status: optional(kinds[type].status as fc.Arbitrary<object>),
    })
    .map(rest => defined({ ...typed(type), ...rest }) as Resource)

/** An object of any of some types. */
export const resources = (...types: readonly KnownType[]): fc.Arbitrary<Resource> =>
  fc.constantFrom(...types).chain(resourceOf)

/** A template and what up to three members report of it. */
export const reportedResources = (
  ...types: readonly KnownType[]
): fc.Arbitrary<{ readonly object: Resource; readonly items: readonly MemberStatus[] }> =>
  fc.constantFrom(...types).chain(type =>
    fc
      .record({
        object: resourceOf(type),
        reports: fc.array(
          optional(
            fc.record({
              status: kinds[type].status as fc.Arbitrary<object>,
              generation: optional(small),
              resourceTemplateGeneration: optional(small),
            }),
          ),
          { minLength: 1, maxLength: 3 },
        ),
      })
      .map(({ object, reports }) => ({
        object,
        items: reports.map((report, at) =>
          reportOf({
            clusterName: `member${at + 1}`,
            status: report && {
              ...report.status,
              ...(type.startsWith('apps/') && {
                generation: report.generation,
                resourceTemplateGeneration: report.resourceTemplateGeneration,
              }),
            },
          }),
        ),
      })),
  )
