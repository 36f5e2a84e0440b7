import { serviceClient } from '../../client/service-client.js'
import type { Cluster } from '../../proto/gen/kairship/cluster_pb.js'
import { ClusterService } from '../../proto/gen/kairship/cluster_pb.js'
import { rest } from '../connection/rest.js'
import { changesOf } from '../live/changes.js'
import type { Source } from '../live/source.js'
import type { ListSearch } from '../tables/list-search.js'

export const service = serviceClient(ClusterService, rest)

/** The member clusters of an instance. @param only follows only the cluster of this name */
export const clusters = (instance: string, { find = '' }: ListSearch, only = ''): Source<Cluster> => ({
  async list(page, signal) {
    const { items, pagination } = await service.listJoinedClusters(
      { instance, name: find, clusterSelector: only, ...page },
      { signal },
    )
    return { items, total: pagination?.total ?? items.length }
  },
  watch: (resumeToken, signal) =>
    changesOf(
      service.watchJoinedClusters({ instance, name: find, clusterSelector: only, resumeToken }, { signal }),
      ({ cluster }) => cluster,
    ),
  keyOf: ({ metadata }) => metadata?.name ?? '',
  isStable: true,
})
