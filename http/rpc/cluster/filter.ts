import type { Cluster } from '../../../karmada/objects/cluster.js'
import {
  type ClusterPhase,
  ClusterPhaseSchema,
  type ListJoinedClustersRequest,
} from '../../../proto/gen/kairship/cluster_pb.js'
import { ClusterProvider } from '../../../proto/gen/kairship/types_pb.js'
import { invalidFields } from '../../errors/failure.js'
import { providerOf } from '../distribution/distribution.js'
import { wantedState } from '../distribution/list-by-state.js'
import { ANNOTATIONS, phaseOf, ROLES, rolesOf, zonesOf } from './cluster.js'

/** The fields by which both lists of clusters choose. */
export type FilterFields = Pick<
  ListJoinedClustersRequest,
  'role' | 'kubernetesVersion' | 'phase' | 'managedBy' | 'region' | 'provider' | 'zone' | 'clusterSelector'
>

/** What those fields are compared with. */
export interface ClusterFacts {
  readonly roles: readonly string[]
  readonly kubernetesVersion: string
  readonly phase: ClusterPhase
  readonly managedBy: string
  readonly region: string
  /** The provider's names: Karmada's text, and the contract's value. */
  readonly providers: readonly string[]
  readonly zones: readonly string[]
}

/** The facts of a member. */
export const factsOf = (cluster: Cluster): ClusterFacts => ({
  roles: rolesOf(cluster),
  kubernetesVersion: cluster.status?.kubernetesVersion ?? '',
  phase: phaseOf(cluster),
  managedBy: cluster.metadata.annotations?.[ANNOTATIONS.managedBy] ?? '',
  region: cluster.spec.region ?? '',
  providers: [cluster.spec.provider ?? '', ClusterProvider[providerOf(cluster.spec.provider)] ?? ''],
  zones: zonesOf(cluster.spec),
})

/**
 * Whether a cluster is one that a request asks for.
 * @throws Failure INVALID_ARGUMENT for a phase or a role that no cluster has
 */
export function clusterFilter(request: FilterFields): (facts: ClusterFacts) => boolean {
  const { role, kubernetesVersion, managedBy, region, provider, zone } = request
  const phase = wantedState(ClusterPhaseSchema, request.phase)
  const known: readonly string[] = ROLES
  const wrong = role.find(one => !known.includes(one))
  if (wrong !== undefined)
    throw invalidFields([
      {
        field: 'role',
        description: `is ${JSON.stringify(wrong)}, but must be one of ${ROLES.join(', ')}`,
      },
    ])
  const isAny = (wanted: string, found: readonly string[]) => wanted === '' || found.includes(wanted)
  return facts =>
    (role.length === 0 || facts.roles.some(one => role.includes(one))) &&
    isAny(kubernetesVersion, [facts.kubernetesVersion]) &&
    (phase === undefined || facts.phase === phase) &&
    isAny(managedBy, [facts.managedBy]) &&
    isAny(region, [facts.region]) &&
    isAny(provider, facts.providers) &&
    isAny(zone, facts.zones)
}

/** The names that `clusterSelector` lists; none for every cluster. */
export const namesOf = ({ clusterSelector }: Pick<FilterFields, 'clusterSelector'>): string[] =>
  clusterSelector
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '')
