import { ageColumn, type CustomResource } from '../../objects/custom-resource.js'
import {
  atomicList,
  condition,
  int32,
  list,
  listByKeys,
  object,
  oneOf,
  type Schema,
  text,
} from '../../objects/schema.js'

const atomic = (schema: Schema): Schema => ({ ...schema, 'x-kubernetes-map-type': 'atomic' })

/** networking/v1 Ingress shapes, which MultiClusterIngress borrows. */
const ingressBackend = object({
  resource: atomic(object({ apiGroup: text, kind: text, name: text }, ['kind', 'name'])),
  service: object({ name: text, port: atomic(object({ name: text, number: int32 })) }, ['name']),
})
const ingressPath = object({ backend: ingressBackend, path: text, pathType: text }, ['backend', 'pathType'])
const ingressSpec = object({
  defaultBackend: ingressBackend,
  ingressClassName: text,
  rules: atomicList(object({ host: text, http: object({ paths: atomicList(ingressPath) }, ['paths']) })),
  tls: atomicList(object({ hosts: atomicList(text), secretName: text })),
})
const loadBalancer = (address: Readonly<Record<string, Schema>>): Schema =>
  object({
    ingress: atomicList(
      object({
        ...address,
        ports: atomicList(
          object({ error: text, port: int32, protocol: text }, ['error', 'port', 'protocol']),
        ),
      }),
    ),
  })

const clusterNames = list(object({ name: text }, ['name']))

/** networking.karmada.io and multicluster.x-k8s.io: services that span member clusters. */
export const networkingResources: readonly CustomResource[] = [
  {
    group: 'networking.karmada.io',
    kind: 'MultiClusterIngress',
    plural: 'multiclusteringresses',
    shortNames: ['mci'],
    categories: ['karmada-io'],
    scope: 'Namespaced',
    description: 'An ingress whose backends live in several member clusters.',
    versions: [
      {
        name: 'v1alpha1',
        spec: ingressSpec,
        status: object({
          loadBalancer: loadBalancer({ hostname: text, ip: text }),
          serviceLocations: list(object({ clusters: list(text), name: text }, ['name'])),
          trafficBlockClusters: list(text),
        }),
        required: [],
      },
    ],
  },
  {
    group: 'networking.karmada.io',
    kind: 'MultiClusterService',
    plural: 'multiclusterservices',
    shortNames: ['mcs'],
    categories: ['karmada-io'],
    scope: 'Namespaced',
    description: 'A service provided by some member clusters and consumed in others.',
    versions: [
      {
        name: 'v1alpha1',
        spec: object(
          {
            consumerClusters: clusterNames,
            ports: list(object({ name: text, port: int32 }, ['port'])),
            providerClusters: clusterNames,
            range: object({ clusterNames: list(text) }),
            serviceConsumptionClusters: list(text),
            serviceProvisionClusters: list(text),
            types: list(text),
          },
          ['types'],
        ),
        status: object({
          conditions: listByKeys(['type'], condition),
          loadBalancer: loadBalancer({ hostname: text, ip: text, ipMode: text }),
        }),
      },
    ],
  },
  {
    group: 'multicluster.x-k8s.io',
    kind: 'ServiceExport',
    plural: 'serviceexports',
    shortNames: ['svcex'],
    scope: 'Namespaced',
    description: 'Offers the service of the same name to other clusters.',
    versions: [
      {
        name: 'v1alpha1',
        status: object({ conditions: listByKeys(['type'], condition) }),
        columns: [{ ...ageColumn, name: 'Age' }],
      },
    ],
  },
  {
    group: 'multicluster.x-k8s.io',
    kind: 'ServiceImport',
    plural: 'serviceimports',
    shortNames: ['svcim'],
    scope: 'Namespaced',
    description: 'A service that other clusters export.',
    versions: [
      {
        name: 'v1alpha1',
        spec: object(
          {
            ips: list(text, { maxItems: 1 }),
            ports: atomicList(
              object({ appProtocol: text, name: text, port: int32, protocol: text }, ['port']),
            ),
            sessionAffinity: text,
            sessionAffinityConfig: object({ clientIP: object({ timeoutSeconds: int32 }) }),
            type: oneOf('ClusterSetIP', 'Headless'),
          },
          ['ports', 'type'],
        ),
        status: object({ clusters: listByKeys(['cluster'], object({ cluster: text }, ['cluster'])) }),
        required: [],
        columns: [
          { name: 'Type', type: 'string', jsonPath: '.spec.type' },
          { name: 'IP', type: 'string', jsonPath: '.spec.ips' },
          { ...ageColumn, name: 'Age' },
        ],
      },
    ],
  },
]
