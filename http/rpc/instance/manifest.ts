import type { IndexedResources, Instance, InstanceSpec } from '../../../manifests/instance.js'
import type { SecretReference } from '../../../manifests/kube.js'
import type {
  CreateInstanceRequest,
  InstanceSpec as SpecMessage,
} from '../../../proto/gen/kairship/instance_pb.js'
import { type FieldViolation, invalidArgument, invalidFields } from '../../errors/failure.js'
import { documentOf } from '../../objects/manifest.js'

/** Remembers which management cluster the contract's `cluster` field named; nothing is looked up by it. */
const HOST_CLUSTER_ANNOTATION = 'kairship.io/host-cluster'

/** The Instance object to create. What the host's schema can check is left to it. */
export function manifestOf({ cluster, data }: CreateInstanceRequest): Instance {
  const violations: FieldViolation[] = []
  const name = data?.metadata?.name ?? ''
  if (name === '') violations.push({ field: 'data.metadata.name', description: 'is required' })
  const { spec, problems } = specOf(data?.spec)
  violations.push(...problems)
  if (cluster && !data?.spec?.kubeconfigSecretRef && !spec.install?.hostCluster) {
    violations.push({
      field: 'cluster',
      description: `is ${JSON.stringify(cluster)}, but Kairship holds no credentials of clusters by name: name their Secret in data.spec.hostCluster.secretRef, or leave cluster empty to install next to Kairship`,
    })
  }
  if (violations.length > 0) throw invalidFields(violations)
  const annotations = {
    ...data?.metadata?.annotations,
    ...(cluster ? { [HOST_CLUSTER_ANNOTATION]: cluster } : {}),
  }
  return {
    apiVersion: 'kairship.io/v1alpha1',
    kind: 'Instance',
    metadata: { name, labels: { ...data?.metadata?.labels }, annotations },
    spec,
  }
}

/** Without a kubeconfig to adopt by, the control plane is installed: the contract's clients expect that. */
function specOf(message: SpecMessage | undefined): { spec: InstanceSpec; problems: FieldViolation[] } {
  const problems: FieldViolation[] = []
  const secret = message?.kubeconfigSecretRef
  if (secret && (message.install || message.hostCluster)) {
    problems.push({
      field: 'data.spec.kubeconfigSecretRef',
      description: 'adopts a running control plane, and cannot stand next to install or hostCluster',
    })
  }
  const common = {
    ...(message?.alias ? { alias: message.alias } : {}),
    ...(message?.description ? { description: message.description } : {}),
    ...(message?.deletionPolicy
      ? { deletionPolicy: message.deletionPolicy as NonNullable<InstanceSpec['deletionPolicy']> }
      : {}),
    ...(message?.index ? { index: { resources: message.index.resources.map(indexedOf) } } : {}),
  }
  if (secret) {
    const { namespace, name, key } = secret
    const kubeconfigSecretRef: SecretReference = { namespace, name, ...(key ? { key } : {}) }
    return { spec: { ...common, kubeconfigSecretRef }, problems }
  }
  const inner = message?.install?.hostCluster?.secretRef
  const outer = message?.hostCluster?.secretRef
  if (inner && outer && (inner.name !== outer.name || inner.namespace !== outer.namespace)) {
    problems.push({
      field: 'data.spec.hostCluster',
      description: 'differs from data.spec.install.hostCluster; give one of them',
    })
  }
  const secretRef = inner ?? outer
  const install = {
    ...(message?.install?.namespace ? { namespace: message.install.namespace } : {}),
    ...(secretRef
      ? { hostCluster: { secretRef: { namespace: secretRef.namespace, name: secretRef.name } } }
      : {}),
    ...(message?.install?.karmadaSpec ? { karmadaSpec: message.install.karmadaSpec } : {}),
  }
  return { spec: { ...common, install }, problems }
}

const indexedOf = ({ group, versions, resources }: IndexedResources): IndexedResources => ({
  group,
  ...(versions?.length ? { versions: [...versions] } : {}),
  resources: [...resources],
})

/** What a caller may change of an Instance: its labels, annotations and spec. Everything else of a given object only checks. */
export interface Replacement {
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  readonly spec: unknown
  /** Precondition, where given. */
  readonly resourceVersion?: string
  /** Precondition, where given. */
  readonly uid?: string
}

/**
 * Reads the whole object that UpdateInstance is given, JSON or YAML.
 * @param name the instance meant; the object may repeat it, but not name another
 * @throws Failure INVALID_ARGUMENT with the wrong place in `data`
 */
export function replacementOf(name: string, data: string): Replacement {
  const object = documentOf(data, 'data')
  if (!isRecord(object)) throw invalidFields([{ field: 'data', description: 'is not an object' }])
  const metadata = object.metadata ?? {}
  if (!isRecord(metadata)) throw invalidFields([{ field: 'data.metadata', description: 'is not an object' }])
  const violations = [
    ...expect('data.apiVersion', object.apiVersion, 'kairship.io/v1alpha1'),
    ...expect('data.kind', object.kind, 'Instance'),
    ...expect('data.metadata.name', metadata.name, name),
    ...(isRecord(object.spec)
      ? []
      : [{ field: 'data.spec', description: 'is required and must be an object' }]),
  ]
  const labels = stringMap(metadata.labels)
  const annotations = stringMap(metadata.annotations)
  if (!labels) violations.push({ field: 'data.metadata.labels', description: 'must map text to text' })
  if (!annotations)
    violations.push({ field: 'data.metadata.annotations', description: 'must map text to text' })
  if (violations.length > 0) throw invalidFields(violations)
  return {
    labels: labels ?? {},
    annotations: annotations ?? {},
    spec: object.spec,
    ...textMember(metadata, 'resourceVersion'),
    ...textMember(metadata, 'uid'),
  }
}

function expect(field: string, value: unknown, wanted: string): FieldViolation[] {
  if (value === undefined || value === wanted) return []
  return [{ field, description: `is ${JSON.stringify(value)}, but must be ${JSON.stringify(wanted)}` }]
}

function textMember<K extends string>(record: Record<string, unknown>, key: K): Partial<Record<K, string>> {
  const value = record[key]
  if (value === undefined || value === '') return {}
  if (typeof value !== 'string') throw invalidArgument(`data.metadata.${key}: must be text`)
  return { [key]: value } as Record<K, string>
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function stringMap(value: unknown): Readonly<Record<string, string>> | undefined {
  if (value === undefined || value === null) return {}
  if (!isRecord(value) || !Object.values(value).every(item => typeof item === 'string')) return undefined
  return value as Readonly<Record<string, string>>
}
