import type { Cluster } from '../../../karmada/objects/cluster.js'
import { isConflict } from '../../../manifests/status-error.js'
import type { KubeApi, KubeConnector } from '../../../ports/kube-api.js'
import type { ClusterService } from '../../../proto/gen/kairship/cluster_pb.js'
import type { Call } from '../../call/call.js'
import type { Authorizer } from '../../identity/authorize.js'
import type { ListQuery } from '../../objects/list-query.js'
import type { Objects } from '../../objects/objects.js'
import type { ServiceHandlers } from '../../operation/operation.js'
import { tried } from '../kind/dry-run.js'
import { inField } from '../kind/in-field.js'
import { kindHandlers } from '../kind/kind-handlers.js'
import { CLUSTER } from '../kind/object-types.js'
import { type KeyFields, placeOf } from '../kind/request-fields.js'
import { watchKind } from '../kind/watch-kind.js'
import { listCandidates, mayUseCandidate } from './candidates/candidate-list.js'
import { Candidates } from './candidates/candidates.js'
import { watchCandidates } from './candidates/watch-candidates.js'
import { clusterMessage, clusters, zonesOf } from './cluster.js'
import { clusterFilter, type FilterFields, factsOf, namesOf } from './filter.js'
import { changedCluster, cordoned } from './given.js'
import { joinCluster } from './join.js'
import { removeCluster } from './remove.js'

/** What the handlers of the Cluster service depend on. */
export interface ClusterDependencies {
  readonly objects: Objects
  /** The host cluster under Kairship's own credential. */
  readonly host: KubeApi
  readonly connector: KubeConnector
  readonly authorizer: Authorizer
}

/** Whether a change is only checked. */
interface Trial {
  readonly dryRun: boolean
}

/** How often a change is tried while others change the Cluster too: Karmada's controllers write its taints. */
const MOST_ATTEMPTS = 5
const ALL = { page: 1, pageSize: 0 } as const

/** Member clusters of instances, and those that may become some. */
export function clusterHandlers(dependencies: ClusterDependencies): ServiceHandlers<typeof ClusterService> {
  const { objects, connector, host, authorizer } = dependencies
  const of = kindHandlers(objects, clusters)
  const watch = watchKind(of, 'cluster')
  const candidates = new Candidates(host)
  const connect: KubeConnector['connect'] = text => connector.connect(text)
  const cordon = (isWanted: boolean) => async (request: KeyFields & Trial, call: Call) => {
    const now = new Date().toISOString().replace(/\.\d+Z$/, 'Z')
    return changed(objects, call, request, cluster => cordoned(cluster, isWanted, now))
  }
  return {
    listJoinedClusters: async (request, call) => of.list(request, call, condition(request)),
    watchJoinedClusters: async (request, call) => watch(request, call, condition(request)),

    getJoinedCluster: of.get,
    getJoinedClusterJSON: of.json,

    async listClustersLabels(request, call) {
      const { items } = await objects.list<Cluster>(call, placeOf(request), CLUSTER, ALL)
      return {
        clusterLabels: items.map(({ metadata: { name, labels } }) => ({
          cluster: name,
          labels: { ...labels },
        })),
      }
    },

    async listClustersLocationSummary(request, call) {
      const { items } = await objects.list<Cluster>(call, placeOf(request), CLUSTER, ALL)
      return {
        locations: items.map(({ metadata: { name }, spec }) => ({
          cluster: name,
          provider: spec.provider ?? '',
          region: spec.region ?? '',
          zone: zonesOf(spec)[0] ?? '',
        })),
      }
    },

    async joinCluster({ instance, name, cluster, kubeconfig, dryRun }, call) {
      if (kubeconfig === '') await mayUseCandidate(authorizer, call, name)
      const text = kubeconfig || (await candidates.kubeconfig(name, call.signal))
      await joinCluster(objects, connect, call, { instance, name, cluster, kubeconfig: text, dryRun })
      return {}
    },

    async updateJoinedCluster(request, call) {
      const change = (current: Cluster) => changedCluster(current, request.cluster)
      return { cluster: await changed(objects, call, request, change) }
    },

    cordonJoinedCluster: cordon(true),
    uncordonJoinedCluster: cordon(false),

    async removeJoinedCluster(request, call) {
      return { leftInCluster: await removeCluster(objects, connect, call, request) }
    },

    listClusters: (request, call) => listCandidates({ objects, candidates, authorizer }, request, call),
    watchClusters: watchCandidates({ objects, candidates, authorizer }),
  }
}

/** @throws Failure INVALID_ARGUMENT for a phase or a role that no cluster has */
function condition(request: FilterFields): Pick<ListQuery<Cluster>, 'names' | 'where'> {
  const isWanted = clusterFilter(request)
  return { names: namesOf(request), where: cluster => isWanted(factsOf(cluster)) }
}

/**
 * Changes a Cluster, anew when another writer changed it in between, unless the change names the version that it is of. Nothing
 * is written where nothing changes.
 */
async function changed(
  objects: Objects,
  call: Call,
  { instance, name, dryRun }: { readonly instance: string; readonly name: string } & Trial,
  change: (current: Cluster) => Cluster,
) {
  const place = { instance }
  for (let attempt = 1; ; attempt += 1) {
    const current = await objects.get<Cluster>(call, place, CLUSTER, { name })
    const wanted = change(current)
    if (wanted === current) return clusterMessage(current, place)
    const isPinned = wanted.metadata.resourceVersion !== current.metadata.resourceVersion
    try {
      const written = objects.update(call, place, CLUSTER, wanted, { dryRun })
      const stored = await inField('cluster', dryRun ? tried(written) : written)
      return clusterMessage(stored ?? wanted, place)
    } catch (error) {
      if (!isConflict(error) || isPinned || attempt >= MOST_ATTEMPTS) throw error
    }
  }
}
