import { Anchor, List, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { serviceClient } from '../../client/service-client.js'
import { PropagationService } from '../../proto/gen/kairship/propagation_pb.js'
import { rest } from '../connection/rest.js'
import { Problem } from '../failures/problem.js'
import { workloadKindOf } from '../kube/workload-kinds.js'
import { useClusterWords } from '../words/clusters.js'
import { useWords } from '../words/use-words.js'

const propagation = serviceClient(PropagationService, rest)

/** The most workloads that are named; the others are counted. */
const NAMED = 20

/** The objects that are placed on a member cluster, with their replicas there, and whether they are on no other. Workloads are links. */
export function PlacedHere({ instance, cluster }: { readonly instance: string; readonly cluster: string }) {
  const words = useClusterWords()
  const { joint } = useWords()
  const { data, error, refetch } = useQuery({
    queryKey: ['placed', instance, cluster],
    staleTime: 0,
    queryFn: async ({ signal }) => {
      const wanted = { instance, targetCluster: cluster, page: 1, pageSize: NAMED }
      const [inNamespaces, others] = await Promise.all([
        propagation.listResourceBindings(wanted, { signal }),
        propagation.listClusterResourceBindings(wanted, { signal }),
      ])
      return {
        bindings: [...inNamespaces.items, ...others.items],
        total: (inNamespaces.pagination?.total ?? 0) + (others.pagination?.total ?? 0),
      }
    },
  })
  if (error) return <Problem error={error} retry={() => void refetch()} />
  if (!data) return null
  if (data.total === 0) return <Text size="sm">{words.removes_none}</Text>
  return (
    <>
      <List size="sm">
        {data.bindings.map(({ metadata, spec }) => {
          const { apiVersion = '', kind = '', namespace = '', name = '' } = spec?.resource ?? {}
          const workloads = workloadKindOf(apiVersion, kind)
          const path = [namespace, name].filter(Boolean).join('/')
          const here = spec?.clusters.find(each => each.name === cluster)?.replicas ?? 0
          const notes = [
            here > 0 ? words.replicas(here) : '',
            spec?.clusters.length === 1 ? words.only : '',
          ].filter(Boolean)
          return (
            <List.Item key={`${metadata?.namespace}/${metadata?.name}`}>
              {kind}{' '}
              {workloads === undefined ? (
                path
              ) : (
                <Anchor
                  component={Link}
                  to="/instances/$name/workloads/$kind/$namespace/$workload"
                  params={{ name: instance, kind: workloads, namespace, workload: name } as never}
                  size="sm"
                >
                  {path}
                </Anchor>
              )}
              {notes.length > 0 && joint.aside(joint.names(notes))}
            </List.Item>
          )
        })}
      </List>
      {data.total > data.bindings.length && (
        <Text size="sm">{words.andMore(data.total - data.bindings.length)}</Text>
      )}
    </>
  )
}
