import { type Container, type PodSpec, podSpecOf, type Resource, typeOf, type Volume } from './workload.js'

/** An object that must go where another one goes (config.karmada.io DependentObjectReference). */
export interface Dependency {
  readonly apiVersion: string
  readonly kind: string
  readonly namespace?: string
  readonly name?: string
  readonly labelSelector?: { readonly matchLabels: Readonly<Record<string, string>> }
}

const INGRESS = 'networking.k8s.io/v1 Ingress'
const SERVICE_IMPORT = 'multicluster.x-k8s.io/v1alpha1 ServiceImport'

/** Whether Karmada knows of the kind what it needs. */
export const hasDependencies = (resource: Resource): boolean =>
  [INGRESS, SERVICE_IMPORT].includes(typeOf(resource)) || podSpecOf(resource) !== undefined

/** What a template needs beside it in every member: ConfigMaps, Secrets, an account, volumes (`GetDependencies`). */
export function dependenciesOf(resource: Resource): readonly Dependency[] {
  const { namespace, name } = resource.metadata
  const here = namespace === undefined ? {} : { namespace }
  switch (typeOf(resource)) {
    case INGRESS:
      return tlsSecrets(resource).map(secret => ({ apiVersion: 'v1', kind: 'Secret', ...here, name: secret }))
    case SERVICE_IMPORT:
      return derivedService(name, here)
  }
  const pod = podSpecOf(resource)
  if (!pod) return []
  return podDependencies(pod, namespace, claimTemplates(resource))
}

/**
 * What pods need beside them.
 * @param claimed names of claims that are made for the pods
 */
export function podDependencies(
  pod: PodSpec,
  namespace: string | undefined,
  claimed: readonly string[] = [],
): readonly Dependency[] {
  const here = namespace === undefined ? {} : { namespace }
  const needed: Readonly<Record<string, readonly string[]>> = {
    ConfigMap: configMaps(pod),
    Secret: secrets(pod),
    ServiceAccount: pod.serviceAccountName === 'default' ? [] : [pod.serviceAccountName ?? ''],
    PersistentVolumeClaim: claims(pod).filter(claim => !claimed.includes(claim)),
  }
  return Object.entries(needed).flatMap(([kind, names]) =>
    [...new Set(names)].filter(Boolean).map(one => ({ apiVersion: 'v1', kind, ...here, name: one })),
  )
}

function tlsSecrets({ spec }: Resource): readonly string[] {
  const { tls = [] } = (spec ?? {}) as { readonly tls?: readonly { readonly secretName?: string }[] }
  return tls.map(({ secretName = '' }) => secretName)
}

/** A ServiceImport's Service has a name of its own in the members (`names.GenerateDerivedServiceName`). */
function derivedService(name: string, here: { readonly namespace?: string }): readonly Dependency[] {
  const derived = `derived-${name}`
  const labelSelector = { matchLabels: { 'kubernetes.io/service-name': derived } }
  return [
    { apiVersion: 'v1', kind: 'Service', ...here, name: derived },
    { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', ...here, labelSelector },
  ]
}

/** A StatefulSet makes the claims of its templates itself. */
function claimTemplates(resource: Resource): readonly string[] {
  if (typeOf(resource) !== 'apps/v1 StatefulSet') return []
  const { volumeClaimTemplates = [] } = (resource.spec ?? {}) as {
    readonly volumeClaimTemplates?: readonly { readonly metadata?: { readonly name?: string } }[]
  }
  return volumeClaimTemplates.map(({ metadata }) => metadata?.name ?? '')
}

const claims = ({ volumes = [] }: PodSpec): readonly string[] =>
  volumes.map(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? '')

const allContainers = (pod: PodSpec): readonly Container[] => [
  ...(pod.initContainers ?? []),
  ...(pod.containers ?? []),
  ...(pod.ephemeralContainers ?? []),
]

const configMaps = (pod: PodSpec): readonly string[] =>
  [
    ...allContainers(pod).flatMap(({ env = [], envFrom = [] }) => [
      ...envFrom.map(({ configMapRef }) => configMapRef?.name),
      ...env.map(({ valueFrom }) => valueFrom?.configMapKeyRef?.name),
    ]),
    ...(pod.volumes ?? []).flatMap(({ projected, configMap }) =>
      projected ? (projected.sources ?? []).map(source => source.configMap?.name) : [configMap?.name],
    ),
  ].map(name => name ?? '')

const secrets = (pod: PodSpec): readonly string[] =>
  [
    ...(pod.imagePullSecrets ?? []).map(({ name }) => name),
    ...allContainers(pod).flatMap(({ env = [], envFrom = [] }) => [
      ...envFrom.map(({ secretRef }) => secretRef?.name),
      ...env.map(({ valueFrom }) => valueFrom?.secretKeyRef?.name),
    ]),
    ...(pod.volumes ?? []).flatMap(volumeSecrets),
  ].map(name => name ?? '')

function volumeSecrets(volume: Volume): readonly (string | undefined)[] {
  const { azureFile, cephfs, cinder, csi, flexVolume, iscsi, projected, rbd, scaleIO, secret, storageos } =
    volume
  if (projected) return (projected.sources ?? []).map(source => source.secret?.name)
  const withSecret = cephfs ?? cinder ?? flexVolume ?? rbd ?? scaleIO ?? iscsi ?? storageos
  return [
    azureFile?.secretName ??
      secret?.secretName ??
      withSecret?.secretRef?.name ??
      csi?.nodePublishSecretRef?.name,
  ]
}
