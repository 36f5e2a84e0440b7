import type { KubeObject } from '../../manifests/kube.js'

/** Labels and annotations of Services and EndpointSlices that span clusters. */

/** Kubernetes': the Service of an EndpointSlice, and who keeps it. */
export const SLICE = {
  service: 'kubernetes.io/service-name',
  managedBy: 'endpointslice.kubernetes.io/managed-by',
} as const

/** Values of `SLICE.managedBy` that Karmada writes. */
export const SLICE_KEEPERS = {
  dispatched: 'endpointslice-dispatch-controller.karmada.io',
  imported: 'endpointslice-controller.karmada.io',
} as const

/** On Works of EndpointSlices that were collected for a MultiClusterService, or dispatched. */
export const OF_MCS = {
  namespace: 'multiclusterservice.karmada.io/namespace',
  name: 'multiclusterservice.karmada.io/name',
  id: 'multiclusterservice.karmada.io/permanent-id',
} as const

/** On Works of EndpointSlices that were collected for a ServiceExport. */
export const OF_EXPORT = {
  namespace: 'endpointslice.karmada.io/namespace',
  name: 'endpointslice.karmada.io/name',
} as const

/** On collected Works: for whom they were collected, joined by dots. */
export const COLLECTED_FOR = 'endpointslice.karmada.io/managed-by'
/** On dispatched EndpointSlices and their Works: the cluster that the endpoints are in. */
export const PROVISION_CLUSTER = 'endpointslice.karmada.io/provision-cluster'

/** Whether Karmada made an EndpointSlice, of endpoints in another cluster. */
export const isKarmadaSlice = ({ metadata }: KubeObject): boolean =>
  Object.values<string>(SLICE_KEEPERS).includes(metadata.labels?.[SLICE.managedBy] ?? '')

/** On bindings that no policy made: the kind that did. */
export const BINDING_MANAGED_BY = 'binding.karmada.io/managed-by'
