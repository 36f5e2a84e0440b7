import type { ObjectType } from '../kube/object.js'
import { policyName } from './forms/placement.js'
import type { ObjectKind } from './object-kind.js'
import { isPropagatedType } from './propagated.js'
import { definitions, federatedHpas, ingresses, namespaces, secrets, services } from './sources.js'
import { bare, customResources } from './type-sources.js'

const type = (
  group: string,
  version: string,
  resource: string,
  kind: string,
  isNamespaced = true,
): ObjectType => ({
  group,
  version,
  resource,
  kind,
  isNamespaced,
})

const configMaps = type('', 'v1', 'configmaps', 'ConfigMap')

const head = (apiVersion: string, kind: string, namespace: string, name: string) =>
  `apiVersion: ${apiVersion}
kind: ${kind}
metadata:
  name: ${name}
  namespace: ${namespace}
`

/** A policy that places an object in all clusters, as a second manifest. */
const placed = (apiVersion: string, kind: string, namespace: string, name: string) =>
  `---
${head('policy.karmada.io/v1alpha1', 'PropagationPolicy', namespace, policyName(kind, name))}spec:
  resourceSelectors:
  - apiVersion: ${apiVersion}
    kind: ${kind}
    name: ${name}
  placement: {}
`

/** The kinds with a screen here (not workloads and policies), by their names in addresses. */
export const objectKinds = {
  services: {
    type: type('', 'v1', 'services', 'Service'),
    source: services,
    facts: ['type', 'ports', 'clusterIp'],
    isPlaced: true,
    sketch: namespace => `${head('v1', 'Service', namespace, 'web')}spec:
  selector:
    app.kubernetes.io/name: web
  ports:
  - port: 80
    targetPort: 8080
${placed('v1', 'Service', namespace, 'web')}`,
  },
  ingresses: {
    type: type('networking.k8s.io', 'v1', 'ingresses', 'Ingress'),
    source: ingresses,
    facts: ['class', 'hosts'],
    isPlaced: true,
    sketch: namespace => `${head('networking.k8s.io/v1', 'Ingress', namespace, 'web')}spec:
  rules:
  - host: web.example.com
    http:
      paths:
      - path: /
        pathType: Prefix
        backend:
          service:
            name: web
            port:
              number: 80
${placed('networking.k8s.io/v1', 'Ingress', namespace, 'web')}`,
  },
  configmaps: {
    type: configMaps,
    source: bare(configMaps),
    facts: [],
    isPlaced: true,
    sketch: namespace => `${head('v1', 'ConfigMap', namespace, 'settings')}data:
  key: value
${placed('v1', 'ConfigMap', namespace, 'settings')}`,
  },
  secrets: {
    type: type('', 'v1', 'secrets', 'Secret'),
    source: secrets,
    facts: ['type'],
    isPlaced: true,
    isSecret: true,
    sketch: namespace => `${head('v1', 'Secret', namespace, 'credentials')}stringData:
  key: value
${placed('v1', 'Secret', namespace, 'credentials')}`,
  },
  namespaces: {
    type: type('', 'v1', 'namespaces', 'Namespace', false),
    source: namespaces,
    facts: ['phase'],
    isPlaced: false,
    sketch: () => 'apiVersion: v1\nkind: Namespace\nmetadata:\n  name: shop\n',
  },
  federatedhpas: {
    type: type('autoscaling.karmada.io', 'v1alpha1', 'federatedhpas', 'FederatedHPA'),
    source: federatedHpas,
    facts: ['target', 'bounds', 'state'],
    isPlaced: false,
    sketch: namespace => `${head('autoscaling.karmada.io/v1alpha1', 'FederatedHPA', namespace, 'web')}spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: web
  minReplicas: 1
  maxReplicas: 10
  metrics:
  - type: Resource
    resource:
      name: cpu
      target:
        type: Utilization
        averageUtilization: 70
`,
  },
  customresourcedefinitions: {
    type: type('apiextensions.k8s.io', 'v1', 'customresourcedefinitions', 'CustomResourceDefinition', false),
    source: definitions,
    facts: ['kind', 'scope', 'versions'],
    isPlaced: true,
    sketch: () => `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: boats.example.com
spec:
  group: example.com
  scope: Namespaced
  names:
    kind: Boat
    plural: boats
    singular: boat
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              sails:
                type: integer
`,
  },
} as const satisfies Readonly<Record<string, ObjectKind>>

export type ObjectKindName = keyof typeof objectKinds

export const isObjectKind = (text: unknown): text is ObjectKindName =>
  typeof text === 'string' && Object.hasOwn(objectKinds, text)

/** A kind of a CustomResourceDefinition. */
export const customKind = (of: ObjectType): ObjectKind => ({
  type: of,
  source: customResources(of),
  facts: ['policies'],
  isPlaced: isPropagatedType(of),
  sketch: namespace => {
    const apiVersion = `${of.group}/${of.version}`
    const policy = isPropagatedType(of) ? placed(apiVersion, of.kind, namespace, 'first') : ''
    return of.isNamespaced
      ? `${head(apiVersion, of.kind, namespace, 'first')}spec: {}\n${policy}`
      : `apiVersion: ${apiVersion}\nkind: ${of.kind}\nmetadata:\n  name: first\nspec: {}\n`
  },
})
