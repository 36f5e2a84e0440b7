import {
  type DescField,
  type DescMessage,
  getOption,
  hasOption,
  type JsonObject,
  type JsonValue,
  ScalarType,
} from '@bufbuild/protobuf'
import { objectFieldsOf } from '../../http/operation/permission.js'
import { FieldBehavior, field_behavior } from '../../proto/gen/google/api/field_behavior_pb.js'
import type { HttpMethod } from '../../transcoding/binding.js'
import { PLANTED } from '../contract/secrecy/planted.js'
import { requestTo } from '../contract/secrecy/requests.js'
import { inPath, insideOf, nameOf } from './table.js'

/** Where a request goes. */
export interface At {
  readonly instance: string
  readonly member: string
  readonly namespace: string
}

/** What nothing is called: a write that is allowed finds nothing to change, so that the next call meets the same world. */
const ABSENT = 'absent'
const READS = /^(Get|List|Watch|Query|Detect|Trace|Explain|Preview|Inspect|Stream)/

/**
 * A request that is complete, so that rights alone decide whether it is refused, and that changes nothing where it is not: what it would
 * change is not there, and what it would create is there already, or no whole object.
 * @param isAllowed the instance is not named to what would remove it
 */
export function requestFor(
  method: HttpMethod,
  { instance, member, namespace }: At,
  isAllowed: boolean,
): JsonObject {
  const [service, isRead] = [method.parent.name, READS.test(method.name)]
  const name = isRead ? PLANTED : ABSENT
  const request: JsonObject = {
    ...requestTo(method, { instance, member, namespace, name }),
    ...dataOf(method, isRead ? PLANTED : ABSENT, namespace),
    ...MORE[nameOf(method)]?.({ instance, member, namespace }),
  }
  if (/Cluster(Custom)Resource/.test(method.name)) request.resource = 'harbors'
  if (service === 'InstanceService' && 'name' in request)
    request.name = method.name === 'DeleteInstance' && isAllowed ? ABSENT : instance
  if (service === 'ClusterService' && 'name' in request) request.name = isAllowed ? ABSENT : member
  const inside = insideOf(method)
  if (inside && inside !== 'member' && inside.isNamespace && 'name' in request) request.name = namespace
  // Lists are as wide as they can be.
  const isList = /^(List|Watch)/.test(method.name) && service !== 'WorkloadPodsService'
  for (const field of ['cluster', 'kind', 'apiVersion', 'cronjob', 'name', 'namespace'])
    if (isList && field in request && !inPath(method, field)) delete request[field]
  if (typeof request.cluster === 'string' && !inPath(method, 'cluster')) delete request.cluster
  return { ...requiredOf(method.input), ...request }
}

/** A value for each field that a message must have. */
function requiredOf({ fields }: DescMessage): JsonObject {
  const required = fields.filter(
    field =>
      hasOption(field, field_behavior) && getOption(field, field_behavior).includes(FieldBehavior.REQUIRED),
  )
  return Object.fromEntries(required.map(field => [field.jsonName, sampleOf(field)]))
}

function sampleOf(field: DescField): JsonValue {
  if (field.fieldKind === 'map') return {}
  if (field.fieldKind === 'list') return field.message ? [requiredOf(field.message)] : []
  if (field.fieldKind === 'enum') return (field.enum.values[1] ?? field.enum.values[0]!).name
  if (field.fieldKind === 'message') return requiredOf(field.message)
  if (field.scalar === ScalarType.BOOL) return true
  return field.scalar === ScalarType.STRING ? ABSENT : 1
}

/** What is written: of an object as much as an API server needs to say who may write it. */
function dataOf(method: HttpMethod, named: string, namespace: string): JsonObject {
  const data = method.input.fields.find(({ name }) => name === 'data')
  if (!data || data.fieldKind === 'message') return {}
  if (data.fieldKind === 'map') return { data: { note: 'x' } }
  if (method.name.startsWith('Patch')) return { data: '{"metadata":{"labels":{"note":"x"}}}' }
  const { group = '', version = 'v1', resource = '' } = objectFieldsOf(method)?.action ?? {}
  const kind = KINDS[resource || (/Cluster(Custom)Resource/.test(method.name) ? 'harbors' : 'boats')]
  if (!kind) return { data: '{}' }
  const apiVersion = resource === '' ? 'example.io/v1' : group ? `${group}/${version}` : version
  const name = method.name.startsWith('Create') ? PLANTED : resource === 'namespaces' ? namespace : named
  const isNamespaced = inPath(method, 'namespace')
  return {
    data: JSON.stringify({ apiVersion, kind, metadata: { name, ...(isNamespaced && { namespace }) } }),
  }
}

/** Kinds by their resources. */
const KINDS: Readonly<Record<string, string>> = {
  ...{ configmaps: 'ConfigMap', secrets: 'Secret', services: 'Service', namespaces: 'Namespace' },
  ...{ deployments: 'Deployment', statefulsets: 'StatefulSet', daemonsets: 'DaemonSet' },
  ...{ jobs: 'Job', cronjobs: 'CronJob', ingresses: 'Ingress', federatedhpas: 'FederatedHPA' },
  ...{ propagationpolicies: 'PropagationPolicy', clusterpropagationpolicies: 'ClusterPropagationPolicy' },
  ...{ overridepolicies: 'OverridePolicy', clusteroverridepolicies: 'ClusterOverridePolicy' },
  ...{ customresourcedefinitions: 'CustomResourceDefinition', boats: 'Boat', harbors: 'Harbor' },
}

/** What single operations need beyond names. */
const MORE: Readonly<Record<string, (at: At) => Readonly<Record<string, JsonValue>>>> = {
  ...Object.fromEntries(
    ['Apps.*Deployment', 'Workload.*StatefulSet', 'Workload.*DaemonSet'].flatMap(kind => [
      [kind.replace('*', 'Scale'), () => ({ replicas: 1 })],
      [kind.replace('*', 'Rollback'), () => ({ revision: '1' })],
    ]),
  ),
  'Aggregation.CreateAggregationResource': ({ namespace }) => ({
    data: { popagrationpolicies: [JSON.stringify(policy('PropagationPolicy', namespace))] },
  }),
  'Aggregation.CreateClusterAggregationResource': () => ({
    data: { clusterpopagrationpolicies: [JSON.stringify(policy('ClusterPropagationPolicy'))] },
  }),
  'CloudShell.CreateCloudShell': () => ({ data: { metadata: { name: ABSENT } } }),
  'Cluster.JoinCluster': () => ({ kubeconfig: 'none' }),
  'Core.CreateWorkloadService': () => ({ kind: 'Deployment', kindName: PLANTED }),
  'Core.PatchSecret': () => ({ data: { note: 'eA==' } }),
  'Instance.CreateInstance': () => ({ data: { metadata: { name: PLANTED } } }),
  'Instance.CreateInstanceScopedKubeConfig': () => ({ role: 'INSTANCE_ROLE_VIEWER' }),
  'Placement.TracePropagation': () => ({ kind: 'ConfigMap' }),
  'Placement.ExplainPlacement': () => ({ kind: 'ConfigMap' }),
  'Placement.PreviewPolicy': ({ namespace }) => ({
    data: JSON.stringify(policy('PropagationPolicy', namespace)),
  }),
  'Placement.RehearseTaints': ({ member }) => ({
    taints: [{ cluster: member, taint: { key: 'fire', effect: 'NoExecute' } }],
  }),
}

/** A policy that selects nothing that is there. */
const policy = (kind: string, namespace?: string) => ({
  apiVersion: 'policy.karmada.io/v1alpha1',
  kind,
  metadata: { name: ABSENT, ...(namespace && { namespace }) },
  spec: { resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap', name: ABSENT }], placement: {} },
})
