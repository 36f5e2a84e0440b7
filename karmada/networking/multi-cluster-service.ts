import type { Condition, KubeObject } from '../../manifests/kube.js'
import type { Resource } from '../interpreter/workload.js'
import { CLAIMS } from '../matching/policies.js'
import { bindingName } from '../names.js'
import { BINDINGS, type Binding } from '../objects/resource-binding.js'
import type { Work } from '../objects/work.js'
import { carrier } from '../propagation/work-of.js'
import { without } from '../without.js'
import { BINDING_MANAGED_BY, OF_MCS } from './marks.js'

/** The resource type of MultiClusterServices. */
export const MULTI_CLUSTER_SERVICES = {
  group: 'networking.karmada.io',
  version: 'v1alpha1',
  resource: 'multiclusterservices',
} as const

/** Keeps a MultiClusterService until what was made for it is gone. */
export const MCS_FINALIZER = 'karmada.io/multiclusterservice-controller'

/** networking.karmada.io/v1alpha1 MultiClusterService: a Service that some clusters provide, for others. */
export interface MultiClusterService extends KubeObject {
  readonly spec: {
    readonly types: readonly string[]
    readonly ports?: readonly { readonly name?: string; readonly port: number }[]
    readonly providerClusters?: readonly { readonly name: string }[]
    readonly consumerClusters?: readonly { readonly name: string }[]
  }
  readonly status?: { readonly conditions?: readonly Condition[] }
}

/** Whether clusters reach each other's endpoints; a load balancer in front of them is nothing that Karmada makes. */
export const isCrossCluster = ({ spec }: MultiClusterService): boolean => spec.types.includes('CrossCluster')

/**
 * The clusters that a MultiClusterService names, sorted; all where it names none.
 * @param all the names of all clusters
 */
export const clustersOf = (
  named: readonly { readonly name: string }[] | undefined,
  all: readonly string[],
): readonly string[] => [...new Set(named?.length ? named.map(({ name }) => name) : all)].sort()

const CLAIMED_BY = 'resourcetemplate.karmada.io/claimed-by'
const KIND = 'MultiClusterService'

const idOf = ({ metadata }: KubeObject): string => metadata.labels?.[OF_MCS.id] ?? ''

/** A Service that a MultiClusterService has taken over: no policy propagates it any more. */
export function claimedService<T extends KubeObject>(service: T, mcs: MultiClusterService): T {
  const { labels = {}, annotations = {} } = service.metadata
  const { policy, clusterPolicy } = CLAIMS
  return {
    ...service,
    metadata: {
      ...service.metadata,
      labels: {
        ...without(labels, [policy.id, clusterPolicy.id]),
        [CLAIMED_BY]: KIND,
        [OF_MCS.id]: idOf(mcs),
      },
      annotations: {
        ...without(annotations, [policy.name, policy.namespace, clusterPolicy.name]),
        [OF_MCS.name]: mcs.metadata.name,
        [OF_MCS.namespace]: mcs.metadata.namespace ?? '',
      },
    },
  }
}

/** A Service, or its binding, that its MultiClusterService has given up. */
export function released<T extends KubeObject>(object: T): T {
  const { labels = {}, annotations = {} } = object.metadata
  const isBinding = object.kind === BINDINGS.namespaced.kind
  const gone = isBinding ? [OF_MCS.name, OF_MCS.namespace] : []
  return {
    ...object,
    metadata: {
      ...object.metadata,
      labels: without(labels, [isBinding ? BINDING_MANAGED_BY : CLAIMED_BY, OF_MCS.id]),
      annotations: without(annotations, gone),
    },
  }
}

/** The binding that brings a Service to the clusters that provide it and to those that use it. @param clusters sorted */
export function serviceBinding(
  service: KubeObject,
  mcs: MultiClusterService,
  clusters: readonly string[],
): Binding {
  const { name, namespace = '', uid = '', resourceVersion = '' } = service.metadata
  return {
    apiVersion: 'work.karmada.io/v1alpha2',
    kind: BINDINGS.namespaced.kind,
    metadata: {
      name: bindingName('Service', name),
      namespace,
      ownerReferences: [{ apiVersion: 'v1', kind: 'Service', name, uid }],
      annotations: { [OF_MCS.name]: mcs.metadata.name, [OF_MCS.namespace]: namespace },
      labels: { [BINDING_MANAGED_BY]: KIND, [OF_MCS.id]: idOf(mcs) },
      finalizers: [BINDINGS.namespaced.finalizer],
    },
    spec: {
      placement: { clusterAffinity: { clusterNames: clusters } },
      conflictResolution: 'Overwrite',
      resource: { apiVersion: 'v1', kind: 'Service', namespace, name, uid, resourceVersion },
    },
  }
}

/** The present binding with what the MultiClusterService wants of it. */
export const withServiceBinding = (present: Binding, wanted: Binding): Binding => ({
  ...present,
  metadata: {
    ...present.metadata,
    labels: { ...present.metadata.labels, ...wanted.metadata.labels },
    annotations: { ...present.metadata.annotations, ...wanted.metadata.annotations },
    ...(wanted.metadata.ownerReferences && { ownerReferences: wanted.metadata.ownerReferences }),
    finalizers: [...new Set([...(present.metadata.finalizers ?? []), ...(wanted.metadata.finalizers ?? [])])],
  },
  spec: {
    ...present.spec,
    ...(wanted.spec.placement && { placement: wanted.spec.placement }),
    conflictResolution: 'Overwrite',
    resource: wanted.spec.resource,
  },
})

/** The Work that says that a cluster provides the Service. It stays in the control plane. */
export function providerWork(mcs: MultiClusterService, cluster: string, present: Work | undefined): Work {
  const { namespace = '', name } = mcs.metadata
  const labels = { [OF_MCS.id]: idOf(mcs), [OF_MCS.namespace]: namespace, [OF_MCS.name]: name }
  const { status: _, ...manifest } = mcs
  const work = carrier(manifest as unknown as Resource, cluster, NO_OVERRIDES, present, { labels })
  return {
    ...work,
    metadata: { ...work.metadata, finalizers: [] },
    spec: { ...work.spec, suspendDispatching: true },
  }
}

/** Nothing overrides what Karmada makes for itself. */
export const NO_OVERRIDES = { clusterOverrides: [], overrides: [] } as const
