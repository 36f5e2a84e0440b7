import { Group, Text, Tooltip } from '@mantine/core'
import type { ClusterProviderSummary } from '../../proto/gen/kairship/types_pb.js'
import { Dot } from '../parts/dot.js'
import { useWords } from '../words/use-words.js'
import { ClusterLink } from './cluster-link.js'

/** The member clusters of a workload with its ready replicas, and the reason where it is not healthy. */
export function Distribution({
  clusters,
  instance,
}: {
  readonly clusters: readonly ClusterProviderSummary[]
  /** The instance whose clusters the names link to. Absent in tables, where each row would have as many links as clusters. */
  readonly instance?: string
}) {
  const { workloads } = useWords()
  if (clusters.length === 0) return <Text size="sm">{workloads.nowhere}</Text>
  return (
    <Group gap="sm">
      {clusters.map(({ name, replicas, readyReplicas, health, reachable, applied, message }) => {
        const isFine = reachable && applied && health === 'Healthy'
        const why = message || (reachable ? health : workloads.unreachable)
        return (
          <Tooltip key={name} label={isFine ? health : why} multiline maw={320}>
            <Group gap={6} wrap="nowrap">
              <Dot color={isFine ? 'green' : health === 'Unknown' && reachable ? 'gray' : 'red'} />
              <Text size="sm">
                {instance === undefined ? name : <ClusterLink instance={instance} cluster={name} />}{' '}
                {replicas > 0 && `${readyReplicas}/${replicas}`}
              </Text>
            </Group>
          </Tooltip>
        )
      })}
    </Group>
  )
}
