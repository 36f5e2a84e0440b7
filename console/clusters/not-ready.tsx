import { List, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { NumStatistic } from '../../proto/gen/kairship/instance_pb.js'
import { Problem } from '../failures/problem.js'
import { OthersWords } from '../failures/server-words.js'
import { ClusterLink } from '../propagation/cluster-link.js'
import { service } from './clusters.js'

/** The member clusters that are not ready, and why. Read again when their number changes. */
export function NotReady({
  instance,
  summary,
}: {
  readonly instance: string
  readonly summary: NumStatistic
}) {
  const { totalNum, readyNum } = summary
  const { data, error } = useQuery({
    queryKey: ['not ready', instance, totalNum, readyNum],
    queryFn: ({ signal }) => service.listJoinedClusters({ instance }, { signal }),
    staleTime: 0,
  })
  if (error) return <Problem error={error} />
  const found = (data?.items ?? []).flatMap(({ metadata, status }) => {
    const ready = status?.conditions.find(({ type }) => type === 'Ready')
    return ready?.status === 'True' ? [] : [{ name: metadata?.name ?? '', ready }]
  })
  return (
    <List size="sm">
      {found.map(({ name, ready }) => (
        <List.Item key={name}>
          <ClusterLink instance={instance} cluster={name} />{' '}
          <Text span size="sm">
            <OthersWords text={ready?.message || ready?.reason || ''} />
          </Text>
        </List.Item>
      ))}
    </List>
  )
}
