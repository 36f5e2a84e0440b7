import { selectsLabels } from '../../manifests/label-selector.js'
import type { Cluster } from '../objects/cluster.js'
import type { ClusterAffinity, FieldRequirement } from '../objects/placement.js'

/** Whether a cluster is among those an affinity names (`util.ClusterMatches` of Karmada). */
export function matchesAffinity(cluster: Cluster, affinity: ClusterAffinity): boolean {
  const { exclude = [], labelSelector, fieldSelector, clusterNames = [] } = affinity
  const { name, labels } = cluster.metadata
  if (exclude.includes(name)) return false
  if (labelSelector && !selectsLabels(labelSelector, labels)) return false
  if (fieldSelector && !matchesFields(cluster, fieldSelector.matchExpressions ?? [])) return false
  return clusterNames.length === 0 || clusterNames.includes(name)
}

/** A cluster has several zones, so that field has rules of its own; provider and region are compared as labels are. */
function matchesFields({ spec }: Cluster, requirements: readonly FieldRequirement[]): boolean {
  const ofZones = requirements.filter(({ key }) => key === 'zone')
  if (!ofZones.every(requirement => matchesZones(spec.zones ?? [], requirement))) return false
  const fields = {
    ...(spec.provider && { provider: spec.provider }),
    ...(spec.region && { region: spec.region }),
  }
  return selectsLabels({ matchExpressions: requirements.filter(({ key }) => key !== 'zone') }, fields)
}

function matchesZones(zones: readonly string[], { operator, values = [] }: FieldRequirement): boolean {
  const overlap = zones.some(zone => values.includes(zone))
  switch (operator) {
    case 'In':
      return overlap
    case 'NotIn':
      return !overlap
    case 'Exists':
      return zones.length > 0
    case 'DoesNotExist':
      return zones.length === 0
    default:
      return false
  }
}
