import type { Condition, KubeObject } from '../../manifests/kube.js'
import {
  ageColumn,
  type CustomResourceDefinition,
  customResourceDefinition,
} from '../objects/custom-resource.js'
import {
  anyObject,
  condition,
  flag,
  int32,
  int64,
  list,
  mapOf,
  object,
  oneOf,
  type Schema,
  text,
  withDefault,
} from '../objects/schema.js'

/** `karmadas.operator.karmada.io/v1alpha1`, namespaced: one control plane to install. */
export const KARMADAS = { group: 'operator.karmada.io', version: 'v1alpha1', resource: 'karmadas' } as const
/** karmada-operator's finalizer. */
export const KARMADA_FINALIZER = 'operator.karmada.io/finalizer'
/** `true` leaves everything installed when the Karmada object is deleted. */
export const DISABLE_CASCADING_DELETION = 'operator.karmada.io/disable-cascading-deletion'

/** operator.karmada.io/v1alpha1 Karmada, the parts the playground's operator reads. */
export interface KarmadaObject extends KubeObject {
  readonly spec?: KarmadaSpec
  readonly status?: KarmadaStatus
}

export interface KarmadaSpec {
  readonly suspend?: boolean
  readonly hostCluster?: { readonly secretRef?: { readonly name?: string; readonly namespace?: string } }
  readonly crdTarball?: {
    readonly httpSource?: { readonly url: string; readonly proxy?: { readonly proxyURL: string } }
  }
  readonly components?: {
    readonly etcd?: EtcdSpec
    readonly karmadaAPIServer?: Component
    readonly [name: string]: Component | EtcdSpec | undefined
  }
}

export interface Component {
  readonly imageRepository?: string
  readonly imageTag?: string
  readonly replicas?: number
  readonly serviceType?: string
}

export interface EtcdSpec {
  readonly local?: object
  readonly external?: {
    readonly endpoints: readonly string[]
    readonly secretRef: { readonly name?: string }
  }
}

export interface KarmadaStatus {
  readonly conditions?: readonly Condition[]
  readonly secretRef?: { readonly namespace: string; readonly name: string }
  readonly apiServerService?: { readonly name: string }
}

const strings = list(text)
const stringMap = mapOf(text)
const gates = mapOf(flag)

/** What all components have in common. Pod-level details are kept as they are: nothing here starts pods. */
const common: Readonly<Record<string, Schema>> = {
  affinity: anyObject,
  annotations: stringMap,
  imagePullPolicy: text,
  imageRepository: text,
  imageTag: text,
  labels: stringMap,
  podDisruptionBudgetConfig: anyObject,
  priorityClassName: withDefault('system-node-critical', text),
  replicas: int32,
  resources: anyObject,
  tolerations: list(anyObject),
}
const component = (more: Readonly<Record<string, Schema>> = {}): Schema =>
  object({ ...common, extraArgs: stringMap, ...more })

const secretReference = object({ name: text, namespace: text })

const etcd = object({
  external: object({ endpoints: strings, secretRef: secretReference }, ['endpoints', 'secretRef']),
  local: object({ ...common, peerCertSANs: strings, serverCertSANs: strings, volumeData: anyObject }),
})

const components = object(
  {
    etcd,
    karmadaAPIServer: component({
      certSANs: strings,
      extraVolumeMounts: list(anyObject),
      extraVolumes: list(anyObject),
      featureGates: gates,
      loadBalancerClass: text,
      serviceAnnotations: stringMap,
      serviceSubnet: text,
      serviceType: withDefault('ClusterIP', oneOf('ClusterIP', 'NodePort', 'LoadBalancer')),
      sidecarContainers: list(anyObject),
    }),
    karmadaAggregatedAPIServer: component({ certSANs: strings, featureGates: gates }),
    karmadaControllerManager: component({ controllers: strings, featureGates: gates }),
    karmadaDescheduler: component(),
    karmadaMetricsAdapter: component(),
    karmadaScheduler: component({ featureGates: gates }),
    karmadaSearch: component(),
    karmadaWebhook: component(),
    kubeControllerManager: component({ controllers: strings, featureGates: gates }),
  },
  ['etcd'],
)

const spec = object({
  components,
  crdTarball: object({
    crdDownloadPolicy: withDefault('IfNotPresent', oneOf('Always', 'IfNotPresent')),
    httpSource: object({ proxy: object({ proxyURL: text }, ['proxyURL']), url: text }, ['url']),
  }),
  customCertificate: object({
    apiServerCACert: secretReference,
    leafCertValidityDays: { ...int32, minimum: 1 },
  }),
  featureGates: gates,
  hostCluster: object({
    apiEndpoint: text,
    networking: object({ dnsDomain: text }),
    secretRef: secretReference,
  }),
  privateRegistry: object({ registry: text }, ['registry']),
  suspend: flag,
})

const status = object({
  apiServerService: object({ name: text }, ['name']),
  conditions: list(condition),
  karmadaVersion: text,
  kubernetesVersion: text,
  observedGeneration: int64,
  secretRef: secretReference,
})

export const karmadaDefinition: CustomResourceDefinition = customResourceDefinition({
  group: KARMADAS.group,
  kind: 'Karmada',
  plural: 'karmadas',
  categories: ['karmada-io'],
  scope: 'Namespaced',
  description: 'A Karmada control plane that the operator installs and removes.',
  versions: [
    {
      name: 'v1alpha1',
      spec,
      status,
      required: [],
      columns: [
        { name: 'READY', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
        ageColumn,
      ],
    },
  ],
})
