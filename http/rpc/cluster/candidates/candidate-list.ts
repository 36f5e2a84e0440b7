import type { Cluster } from '../../../../karmada/objects/cluster.js'
import type { PediaCluster } from '../../../../manifests/pedia-cluster.js'
import { ClusterPhase, type ListClustersRequest } from '../../../../proto/gen/kairship/cluster_pb.js'
import { SortBy } from '../../../../proto/gen/kairship/types_pb.js'
import type { Call } from '../../../call/call.js'
import { type Authorizer, requireRight } from '../../../identity/authorize.js'
import { reaching } from '../../../identity/reach.js'
import { pageOfObjects, selects } from '../../../objects/list/select.js'
import type { Objects } from '../../../objects/objects.js'
import { CLUSTER } from '../../kind/object-types.js'
import { PageTokens } from '../../kind/page-token.js'
import { listQueryOf } from '../../kind/request-fields.js'
import { clusterFilter, type FilterFields, namesOf } from '../filter.js'
import { type Candidates, candidateMessage, candidatePhase, memberTest } from './candidates.js'

interface Dependencies {
  readonly objects: Objects
  readonly candidates: Candidates
  readonly authorizer: Authorizer
}

/**
 * The clusters that can join an instance; with `allCluster` also those that cannot, because they do not run or have joined it.
 * @throws Failure PERMISSION_DENIED for an instance that the caller may not read
 */
export async function listCandidates(
  { objects, candidates, authorizer }: Dependencies,
  request: ListClustersRequest,
  call: Call,
) {
  const { instance } = request
  const tokens = new PageTokens(request, call)
  const isWanted = candidateFilter(request)
  const members = instance ? await membersOf({ objects, authorizer }, call, instance) : []
  const isMember = memberTest(members)
  const managedBy = (candidate: PediaCluster) => (isMember(candidate) ? instance : '')
  const query = {
    ...listQueryOf<PediaCluster>(
      { sort: { [SortBy.state]: one => ClusterPhase[candidatePhase(one)] } },
      request,
    ),
    ...tokens.request,
    where: (candidate: PediaCluster) => isWanted(candidate, managedBy(candidate)),
  }
  const all = await candidates.all(request, call.signal)
  const page = pageOfObjects(all.filter(selects({ where: query.where })), query)
  const items = page.items.map(one => candidateMessage(one, managedBy(one)))
  return { items, pagination: tokens.pagination(page) }
}

/** The fields by which the list of candidates and its watch choose, but for selectors. */
type Fields = FilterFields & Pick<ListClustersRequest, 'allCluster' | 'name'>

/**
 * Whether a candidate is one that a request asks for.
 * @throws Failure INVALID_ARGUMENT for a phase or a role that no cluster has
 */
export function candidateFilter(request: Fields): (candidate: PediaCluster, managedBy: string) => boolean {
  const isWanted = clusterFilter(request)
  const isNamed = selects<PediaCluster>({ names: namesOf(request), nameContains: [request.name] })
  return (candidate, managedBy) => {
    const phase = candidatePhase(candidate)
    if (!request.allCluster && (managedBy !== '' || phase !== ClusterPhase.RUNNING)) return false
    return (
      isNamed(candidate) &&
      isWanted({
        ...{ roles: [], region: '', providers: [], zones: [] },
        kubernetesVersion: candidate.status?.version ?? '',
        ...{ phase, managedBy },
      })
    )
  }
}

/** The right to reach an instance at all; inside it its own RBAC decides. @throws Failure PERMISSION_DENIED */
export const mayReach = (
  authorizer: Authorizer,
  call: Pick<Call, 'caller'>,
  instance: string,
): Promise<void> => requireRight(authorizer, call, reaching(instance))

/** Inside the instance its own RBAC decides; on the host the right to reach it at all. */
async function membersOf(
  { objects, authorizer }: Pick<Dependencies, 'objects' | 'authorizer'>,
  call: Call,
  instance: string,
): Promise<readonly Cluster[]> {
  await mayReach(authorizer, call, instance)
  const { items } = await objects.list<Cluster>(call, { instance }, CLUSTER, { page: 1, pageSize: 0 })
  return items
}

/** Joining by name uses the credential that Container Management holds. @throws Failure PERMISSION_DENIED */
export const mayUseCandidate = (authorizer: Authorizer, call: Call, name: string): Promise<void> =>
  requireRight(authorizer, call, { verb: 'use', resource: 'clusters', name })
