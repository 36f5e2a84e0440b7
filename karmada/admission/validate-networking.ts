import { dns1035Label, dns1123Label, dns1123Subdomain } from '../../manifests/name-format.js'
import type { MultiClusterService } from '../networking/multi-cluster-service.js'
import { sameJson } from '../same-json.js'
import { duplicateField, invalidField, refusalOf } from './field-refusal.js'
import { type IngressSpec, ingressRefusals } from './validate-ingress.js'

/** Karmada wants room for prefixes in names of clusters. */
const LONGEST_CLUSTER_NAME = 48
const TYPES = ['CrossCluster', 'LoadBalancer']

/** Why Karmada's webhook refuses a MultiClusterService; undefined where it does not. @param old absent when it is new */
export function multiClusterServiceRefusal(
  { metadata, spec }: MultiClusterService,
  old?: MultiClusterService,
): string | undefined {
  const { ports = [], types = [], providerClusters, consumerClusters } = spec
  const isChanged = old !== undefined && !sameJson(old.spec.types, types)
  const many = 'MultiClusterService types should not contain more than one type'
  return refusalOf([
    ...(isChanged
      ? [invalidField('spec.types', old.spec.types, 'MultiClusterService types are immutable')]
      : []),
    ...dns1035Label(metadata.name).map(why => invalidField('metadata.name', metadata.name, why)),
    ...ports.flatMap(({ name = '', port }, at) => {
      const path = `spec.ports[${at}]`
      const isTwice = ports.slice(0, at).some(one => one.name === name)
      return [
        ...(name ? dns1123Label(name).map(why => invalidField(`${path}.name`, name, why)) : []),
        ...(name && isTwice ? [duplicateField(`${path}.name`, name)] : []),
        ...(port >= 1 && port <= 65_535
          ? []
          : [invalidField(`${path}.port`, port, 'must be between 1 and 65535, inclusive')]),
      ]
    }),
    ...types.flatMap((type, at) =>
      TYPES.includes(type) ? [] : [invalidField(`spec.types[${at}]`, type, 'ExposureType Error')],
    ),
    ...(new Set(types).size > 1 ? [invalidField('spec.types', types, many)] : []),
    // The paths are those of an older form of the object, as in Karmada.
    ...clusterRefusals(providerClusters, 'spec.range.providerClusters'),
    ...clusterRefusals(consumerClusters, 'spec.range.consumerClusters'),
  ])
}

const clusterRefusals = (
  clusters: readonly { readonly name: string }[] = [],
  path: string,
): readonly string[] =>
  clusters.flatMap(({ name }, at) => {
    const wrong = clusterNameComplaints(name)
    return wrong.length > 0 ? [invalidField(`${path}[${at}]`, name, wrong.join(','))] : []
  })

function clusterNameComplaints(name: string): readonly string[] {
  if (name === '') return ['must be not empty']
  if (name.length > LONGEST_CLUSTER_NAME) return [`must be no more than ${LONGEST_CLUSTER_NAME} characters`]
  return dns1123Label(name)
}

/** Why Karmada's webhook refuses a MultiClusterIngress; undefined where it does not. */
export const multiClusterIngressRefusal = (name: string, spec: IngressSpec): string | undefined =>
  refusalOf([
    ...dns1123Subdomain(name).map(why => invalidField('metadata.name', name, why)),
    ...ingressRefusals(spec),
  ])
