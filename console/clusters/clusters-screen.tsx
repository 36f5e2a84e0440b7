import { Badge, Group, Text } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { type Cluster, ClusterPhase as Phase } from '../../proto/gen/kairship/cluster_pb.js'
import { TaintEffect } from '../../proto/gen/kairship/types_pb.js'
import { useLive } from '../live/use-live.js'
import { Dot } from '../parts/dot.js'
import { LiveTable } from '../parts/live-table.js'
import { bytesText, coresText, roughly } from '../parts/quantity.js'
import { Share } from '../parts/share.js'
import { useWords } from '../words/use-words.js'
import { clusters } from './clusters.js'

const route = getRouteApi('/instances/$name/clusters')

/** The member clusters of an instance: whether they are ready and why not, their taints, how full they are. */
export function ClustersScreen() {
  const { name } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { clusters: words } = useWords()
  const source = clusters(name, search)
  const live = useLive(() => source, [name, search.find, search.page])
  return (
    <LiveTable
      label={words.title}
      live={live}
      keyOf={source.keyOf}
      search={search}
      change={next => void navigate({ search: next, replace: true })}
      empty={words.empty}
      columns={[
        { title: words.columns.name, cell: ({ metadata }) => metadata?.name },
        { title: words.columns.state, cell: cluster => <Readiness cluster={cluster} /> },
        { title: words.columns.taints, cell: cluster => <Taints cluster={cluster} /> },
        {
          title: words.columns.nodes,
          cell: ({ status }) => words.ready(status?.readyNodes ?? 0, status?.totalNodes ?? 0),
        },
        { title: words.columns.cpu, cell: cluster => <Used cluster={cluster} resource="cpu" /> },
        { title: words.columns.memory, cell: cluster => <Used cluster={cluster} resource="memory" /> },
        { title: words.columns.version, cell: ({ status }) => status?.kubernetesVersion },
        {
          title: words.columns.place,
          cell: ({ spec }) => [spec?.region, ...(spec?.zones ?? [])].filter(Boolean).join(' · '),
        },
      ]}
    />
  )
}

/** Whether Karmada reaches the cluster, and what it says where it does not. */
function Readiness({ cluster: { status } }: { readonly cluster: Cluster }) {
  const { clusters: words } = useWords()
  const ready = status?.conditions.find(({ type }) => type === 'Ready')
  const isReady = ready?.status === 'True'
  return (
    <div>
      <Group gap={6} wrap="nowrap">
        <Dot color={isReady ? 'green' : 'red'} />
        <Text size="sm">
          {isReady ? words.isReady : status?.phase === Phase.DELETING ? words.leaving : words.notReady}
        </Text>
      </Group>
      {!isReady && (
        <Text size="xs" c="dimmed" maw={260}>
          {ready?.message || ready?.reason}
        </Text>
      )}
    </div>
  )
}

const Taints = ({ cluster: { spec } }: { readonly cluster: Cluster }) => (
  <Group gap={4}>
    {spec?.taints.map(({ key, value, effect }) => (
      <Badge key={`${key} ${value} ${effect}`} variant="default" tt="none" size="sm">
        {`${key}${value && `=${value}`}:${TaintEffect[effect]}`}
      </Badge>
    ))}
  </Group>
)

function Used({
  cluster: { status },
  resource,
}: {
  readonly cluster: Cluster
  readonly resource: 'cpu' | 'memory'
}) {
  const { clusters: words, instance, locale } = useWords()
  const { allocatable = {}, allocated = {} } = status?.resourceSummary ?? {}
  const [whole, part] = [roughly(allocatable[resource]), roughly(allocated[resource])]
  const text = resource === 'cpu' ? coresText : bytesText
  return (
    <Share
      label={words.columns[resource]}
      part={part}
      whole={whole}
      text={instance.allocated(text(part ?? 0, locale), text(whole ?? 0, locale))}
    />
  )
}
