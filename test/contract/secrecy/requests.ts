import type { JsonObject } from '@bufbuild/protobuf'
import { executionNamespace, workName } from '../../../karmada/names.js'
import type { HttpMethod } from '../../../transcoding/binding.js'
import { services } from '../../proto/services.js'
import { idOf } from './calls.js'
import { IN_MEMBER, LABELLED, PLANTED } from './planted.js'

/** Every operation of every service, the contract's and those beyond it. */
export const operations: readonly HttpMethod[] = services.flatMap(
  ({ methods }) => methods as readonly unknown[] as readonly HttpMethod[],
)

/** Operations that read: they can be called with any parameters at any time. */
export const reads = operations.filter(({ name }) =>
  /^(Get|List|Watch|Query|Detect|Trace|Explain|Preview|Inspect|Stream)/.test(name),
)
export const writes = operations.filter(method => !reads.includes(method))

/** Where a request goes. */
export interface At {
  readonly instance: string
  readonly member: string
  readonly namespace?: string
  readonly name?: string
}

/** A request with all parameters that the operation has a field for. */
export function requestTo(method: HttpMethod, at: At): JsonObject {
  const { instance, member: cluster, namespace = PLANTED, name = PLANTED } = at
  const isOwn = name === PLANTED
  const values: JsonObject = {
    ...{ instance, cluster, namespace, name },
    ...(method.parent.name === 'InstanceService' && isOwn && { name: instance }),
    ...(method.parent.name === 'ClusterService' && isOwn && { name: cluster }),
    ...(method.name.includes('CustomResourceDefinition') && isOwn && { name: 'boats.example.io' }),
    ...{ group: 'example.io', version: 'v1', resource: 'boats', cronjob: name },
    ...{ apiVersion: 'v1', kind: KINDED.get(method.parent.name) ?? '' },
    ...{ registry: 'team', project: 'shop', repository: 'shop/web' },
    ...{ query: '1 / 0', time: 1_600_000_600, start: 1_600_000_000, end: 1_600_000_030, step: 30 },
  }
  const known = new Set(
    method.input.fields.filter(({ fieldKind }) => fieldKind === 'scalar').map(one => one.jsonName),
  )
  return Object.fromEntries(Object.entries(values).filter(([field]) => known.has(field)))
}

/** The kind that requests of a service are about. */
const KINDED = new Map([
  ['PlacementService', 'Secret'],
  ['PropagationService', 'Secret'],
  ['WorkloadPodsService', 'Deployment'],
])

/** More requests of operations that read: about that which holds secrets, and with what the operation needs. */
export function moreOf(method: HttpMethod, at: At): readonly JsonObject[] {
  const request = requestTo(method, at)
  const more = MORE[idOf(method)]?.(at) ?? []
  return [request, ...more.map(one => without({ ...request, ...one }))]
}

/** A request without the fields that are to be absent, which is not the same as empty. */
const without = (request: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(request).filter(([, value]) => value !== null))

const SECRETS = { apiVersion: 'v1', kind: 'Secret' }
const policy = (kind: string, spec: object) =>
  JSON.stringify({
    ...{ apiVersion: 'policy.karmada.io/v1alpha1', kind, metadata: { name: 'new', namespace: PLANTED } },
    spec: { resourceSelectors: [{ ...SECRETS, namespace: PLANTED }], ...spec },
  })
const works = ({ member }: At) =>
  [PLANTED, workName('Secret', PLANTED, PLANTED)].map(name => ({
    namespace: executionNamespace(member),
    name,
  }))
const WORKS = { group: 'work.karmada.io', version: 'v1alpha1', resource: 'works' }
const HARBORS = { resource: 'harbors', cluster: null }
const worksAsCustom = (at: At) => works(at).map(one => ({ ...one, ...WORKS, cluster: null }))
const bound = () => ['Secret', 'Deployment'].map(kind => ({ name: `${PLANTED}-${kind.toLowerCase()}` }))
const everyType = [
  ...['secrets', 'configmaps', 'events', 'pods', 'serviceaccounts'].map(resource => ({
    group: '',
    version: 'v1',
    resource,
  })),
  ...['works', 'resourcebindings', 'clusterresourcebindings'].map(resource => ({
    ...{ group: 'work.karmada.io', resource },
    version: resource === 'works' ? 'v1alpha1' : 'v1alpha2',
  })),
  { group: 'cluster.karmada.io', version: 'v1alpha1', resource: 'clusters' },
  { group: 'apps', version: 'v1', resource: 'controllerrevisions' },
]
const inLogs = () => [{ tailLines: '5' }, { follow: true }]

const MORE: Readonly<Record<string, (at: At) => readonly JsonObject[]>> = {
  Placement_TracePropagation: () => [
    { ...SECRETS, name: 'tls' },
    { apiVersion: 'apps/v1', kind: 'Deployment' },
  ],
  Placement_ExplainPlacement: () => [
    { ...SECRETS, name: 'tls' },
    { apiVersion: 'apps/v1', kind: 'Deployment' },
  ],
  Placement_RehearseTaints: ({ member }) => [
    { taints: [{ cluster: member, taint: { key: 'fire', effect: 'NoExecute' } }], namespace: null },
  ],
  Placement_PreviewPolicy: () => [
    { data: policy('PropagationPolicy', { placement: { clusterAffinity: { clusterNames: ['nowhere'] } } }) },
    { data: policy('PropagationPolicy', { placement: {} }) },
    { data: policy('OverridePolicy', { overrideRules: [LABELLED] }) },
    { data: policy('OverridePolicy', { overrideRules: [BROKEN] }) },
    {
      data: JSON.stringify({
        ...{
          apiVersion: 'policy.karmada.io/v1alpha1',
          kind: 'ClusterOverridePolicy',
          metadata: { name: 'new' },
        },
        spec: { overrideRules: [LABELLED] },
      }),
    },
  ],
  Propagation_GetWork: works,
  Propagation_GetWorkJSON: works,
  Propagation_GetResourceBinding: bound,
  Propagation_GetResourceBindingJSON: bound,
  Propagation_GetClusterResourceBinding: () => [{ name: `${PLANTED}-clusterrole` }],
  Propagation_GetClusterResourceBindingJSON: () => [{ name: `${PLANTED}-clusterrole` }],
  Propagation_ListWorks: at => [
    { namespace: executionNamespace(at.member) },
    { namespace: '', kind: 'Secret' },
  ],
  Propagation_WatchWorks: at => [{ namespace: executionNamespace(at.member) }],
  Apiextensions_GetCustomResource: worksAsCustom,
  Apiextensions_GetCustomResourceJSON: worksAsCustom,
  Apiextensions_ListCustomResources: worksAsCustom,
  Apiextensions_ListClusterCustomResources: () => [{ ...WORKS, cluster: null }, HARBORS],
  Apiextensions_WatchCustomResources: () => [{ ...WORKS, cluster: null, namespace: '', name: '' }],
  Apiextensions_GetClusterCustomResourceJSON: () => [HARBORS],
  Apiextensions_GetClusterCustomResource: () => [HARBORS],
  Apiextensions_GetCustomResourceDefinition: () => [{ cluster: null }],
  Apiextensions_GetCustomResourceDefinitionJSON: () => [{ cluster: null }],
  Fleet_ListFleetObjects: () =>
    everyType.flatMap(type =>
      [true, false].map(withData => ({
        ...{ ...type, withData, namespace: '', name: '' },
        ...{ scope: 'EVERYWHERE', pageSize: 1_000 },
      })),
    ),
  Fleet_WatchFleetObjects: () =>
    everyType.map(type => ({ ...type, withData: true, namespace: '', name: '', scope: 'EVERYWHERE' })),
  Core_GetSecret: () => ['tls', 'login', 'registry', 'account'].map(name => ({ name })),
  Core_ListSecretsForMemberCluster: () => [{ name: '' }, { name: IN_MEMBER }],
  Core_ListSecrets: () => [{ name: '' }],
  Core_ListInstanceSecrets: () => [{ name: '', namespace: '' }],
  Core_WatchSecrets: () => [{ name: '', namespace: '' }],
  Core_WatchEvents: () => [{ name: '', namespace: '' }],
  Batch_WatchJobs: () => [{ cronjob: null }],
  ...Object.fromEntries(
    ['PropagationPolicies', 'ClusterPropagationPolicies', 'OverridePolicies', 'ClusterOverridePolicies'].map(
      kind => [`Policy_Watch${kind}`, () => [{ apiVersion: null, name: '' }]],
    ),
  ),
  Audit_ListAuditEvents: () => [{ instance: '', cluster: '', namespace: '', name: '', resource: '' }],
  Audit_WatchAuditEvents: () => [{ instance: '', cluster: '', namespace: '', name: '', resource: '' }],
  Cluster_ListJoinedClusters: () => [{ name: '' }],
  Cluster_ListClusters: () => [
    { name: '', instance: '' },
    { name: '', allCluster: true },
  ],
  Cluster_WatchClusters: () => [
    { name: '', instance: '' },
    { name: '', allCluster: true },
  ],
  Workspace_WatchInstances: () => [{ instance: '' }],
  Workspace_WatchNamespaceInstances: () => [{ instance: '', namespace: '' }],
  Instance_ListInstances: () => [{ name: '' }],
  WorkloadPods_StreamWorkloadLogs: inLogs,
  Apps_ListMemberClusterAllDeployments: () => [{ name: '' }],
}

/** An override that cannot be applied. */
const BROKEN = {
  overriders: { plaintext: [{ path: '/data/password/deeper', operator: 'replace', value: 'x' }] },
}
