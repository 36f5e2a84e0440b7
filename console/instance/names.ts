import { useQuery } from '@tanstack/react-query'
import { serviceClient } from '../../client/service-client.js'
import { ClusterService } from '../../proto/gen/kairship/cluster_pb.js'
import { CoreService } from '../../proto/gen/kairship/core_pb.js'
import { rest } from '../connection/rest.js'

const clusters = serviceClient(ClusterService, rest)
const core = serviceClient(CoreService, rest)

/** The most names that a form offers: nobody looks through more. */
const MOST_NAMES = 500

/**
 * The names of member clusters for a form. Empty until they are read, and where the caller may not read them. @param instance absent where none is
 * chosen yet
 */
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

/** The names of namespaces for a form; users may type another. */
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
