import { Group, Text } from '@mantine/core'
import { type Cluster, ClusterPhase as Phase } from '../../proto/gen/kairship/cluster_pb.js'
import { OthersWords } from '../failures/server-words.js'
import { clusterAsOf } from '../live/as-of.js'
import { AsOf } from '../parts/as-of.js'
import { Dot } from '../parts/dot.js'
import { bytesText, coresText, roughly } from '../parts/quantity.js'
import { Share } from '../parts/share.js'
import { useWords } from '../words/use-words.js'

/** Whether the cluster is ready, and Karmada's message where it is not. */
export function Readiness({ cluster: { status } }: { readonly cluster: Cluster }) {
  const { clusters: words } = useWords()
  const ready = status?.conditions.find(({ type }) => type === 'Ready')
  const isReady = ready?.status === 'True'
  return (
    <div>
      <Group gap={6} wrap="nowrap">
        <Dot color={isReady ? 'green' : 'red'} />
        <Text size="sm" style={{ whiteSpace: 'nowrap' }}>
          {isReady ? words.isReady : status?.phase === Phase.DELETING ? words.leaving : words.notReady}
        </Text>
      </Group>
      {!isReady && (
        <Text size="xs" c="dimmed" maw={260}>
          <OthersWords text={ready?.message || ready?.reason || ''} />
        </Text>
      )}
    </div>
  )
}

/** The share of a resource that pods request. */
export function Used({
  cluster,
  resource,
}: {
  readonly cluster: Cluster
  readonly resource: 'cpu' | 'memory'
}) {
  const words = useWords()
  const { status } = cluster
  const { allocatable = {}, allocated = {} } = status?.resourceSummary ?? {}
  const [whole, part] = [roughly(allocatable[resource]), roughly(allocated[resource])]
  const text = resource === 'cpu' ? coresText : bytesText
  return (
    <Share
      label={words.clusters.columns[resource]}
      part={part}
      whole={whole}
      text={words.instance.allocated(text(part ?? 0, words), text(whole ?? 0, words))}
      asOf={clusterAsOf(cluster)}
    />
  )
}

/** How many nodes are ready, and of when that is. */
export function Nodes({ cluster }: { readonly cluster: Cluster }) {
  const { clusters: words } = useWords()
  const { readyNodes = 0, totalNodes = 0 } = cluster.status ?? {}
  return (
    <>
      {words.ready(readyNodes, totalNodes)}
      <AsOf time={clusterAsOf(cluster)} />
    </>
  )
}
