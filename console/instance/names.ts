import { useQuery } from '@tanstack/react-query'
import { serviceClient } from '../../client/service-client.js'
import { ClusterService } from '../../proto/gen/kairship/cluster_pb.js'
import { CoreService } from '../../proto/gen/kairship/core_pb.js'
import { rest } from '../connection/rest.js'

const clusters = serviceClient(ClusterService, rest)
const core = serviceClient(CoreService, rest)

/** Names that a form offers: more would not be looked through. */
const MOST_NAMES = 500

/** The member clusters that a form offers. Empty until they are known, and where they may not be read. @param instance absent where none is chosen yet */
export function useClusterNames(instance: string | undefined): readonly string[] {
  const { data = [] } = useQuery({
    queryKey: ['cluster-names', instance],
    enabled: instance !== undefined,
    queryFn: async ({ signal }) => {
      const { items } = await clusters.listJoinedClusters(
        { instance: instance ?? '', pageSize: MOST_NAMES },
        { signal },
      )
      return items.map(({ metadata }) => metadata?.name ?? '')
    },
    staleTime: 0,
  })
  return data
}

/** The namespaces that a form offers; another may be typed. */
export function useNamespaceNames(instance: string): readonly string[] {
  const { data = [] } = useQuery({
    queryKey: ['namespace-names', instance],
    queryFn: async ({ signal }) => {
      const { items } = await core.listNamespaces({ instance, pageSize: MOST_NAMES }, { signal })
      return items.filter(({ system }) => !system).map(({ metadata }) => metadata?.name ?? '')
    },
    staleTime: 0,
  })
  return data
}
