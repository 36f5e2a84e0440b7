import { Anchor, Group } from '@mantine/core'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { Cluster } from '../../proto/gen/kairship/cluster_pb.js'
import { useLive } from '../live/use-live.js'
import { WholeBadge } from '../parts/whole-badge.js'
import { MayLink } from '../rights/may.js'
import { LiveTable } from '../tables/live-table.js'
import { useClusterWords } from '../words/clusters.js'
import { useWords } from '../words/use-words.js'
import { taintText } from './cluster-fields.js'
import { clusters } from './clusters.js'
import { Nodes, Readiness, Used } from './readiness.js'

const route = getRouteApi('/instances/$name/clusters')

/** The member clusters of an instance: readiness with the reason, taints and use. */
export function ClustersScreen() {
  const { name } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { clusters: words } = useWords()
  const { join } = useClusterWords()
  const source = clusters(name, search)
  const live = useLive(() => source, [name, search.find])
  return (
    <LiveTable
      label={words.title}
      live={live}
      keyOf={source.keyOf}
      search={search}
      change={next => void navigate({ search: next, replace: true })}
      empty={words.empty}
      tools={
        <MayLink
          wanted={{ verb: 'create', resource: 'instances/clusters', name }}
          to="/instances/$name/join-cluster"
          params={{ name }}
          variant="default"
        >
          {join}
        </MayLink>
      }
      columns={[
        {
          title: words.columns.name,
          cell: ({ metadata }) => (
            <Anchor
              component={Link}
              to="/instances/$name/clusters/$cluster"
              params={{ name, cluster: metadata?.name } as never}
              size="sm"
              style={{ whiteSpace: 'nowrap' }}
            >
              {metadata?.name}
            </Anchor>
          ),
        },
        { title: words.columns.state, cell: cluster => <Readiness cluster={cluster} /> },
        { title: words.columns.taints, cell: cluster => <Taints cluster={cluster} /> },
        {
          title: words.columns.nodes,
          cell: cluster => <Nodes cluster={cluster} />,
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

const Taints = ({ cluster: { spec } }: { readonly cluster: Cluster }) => (
  <Group gap={4}>
    {spec?.taints.map(({ key, value, effect }) => (
      <WholeBadge key={`${key} ${value} ${effect}`} text={taintText({ key, value, effect })} />
    ))}
  </Group>
)
