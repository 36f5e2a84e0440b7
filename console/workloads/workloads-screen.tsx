import { Anchor, SegmentedControl } from '@mantine/core'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { isWorkloadKind, workloadKinds, workloadType } from '../kube/workload-kinds.js'
import { useLive } from '../live/use-live.js'
import { Ago } from '../parts/time.js'
import { Distribution } from '../propagation/distribution.js'
import { MayButton } from '../rights/may.js'
import type { Column } from '../tables/live-rows.js'
import { LiveTable } from '../tables/live-table.js'
import { useObjectWords } from '../words/objects.js'
import { useWords } from '../words/use-words.js'
import { type Workload, workloadKey } from './workload.js'
import { WorkloadStateBadge } from './workload-state.js'
import { workloads } from './workloads.js'

const route = getRouteApi('/instances/$name/workloads')

/** The workloads of an instance: their state and clusters. */
export function WorkloadsScreen() {
  const { name: instance } = route.useParams()
  const { kind = 'deployments', ...search } = route.useSearch()
  const navigate = route.useNavigate()
  const objects = useObjectWords()
  const { workloads: words } = useWords()
  const live = useLive(() => workloads(kind, { instance, ...search }), [kind, instance, search.find])
  const columns = useMemo(
    (): readonly Column<Workload>[] => [
      {
        title: words.columns.name,
        cell: ({ metadata }) => (
          <Anchor
            component={Link}
            to="/instances/$name/workloads/$kind/$namespace/$workload"
            params={
              { name: instance, kind, namespace: metadata?.namespace, workload: metadata?.name } as never
            }
            size="sm"
          >
            {metadata?.name}
          </Anchor>
        ),
      },
      { title: words.columns.namespace, cell: ({ metadata }) => metadata?.namespace },
      { title: words.columns.state, cell: ({ state }) => <WorkloadStateBadge state={state} /> },
      { title: words.columns.ready, cell: ({ ready, desired }) => `${ready}/${desired}` },
      { title: words.columns.clusters, cell: ({ clusters }) => <Distribution clusters={clusters} /> },
      {
        title: words.columns.created,
        cell: ({ metadata }) => metadata && <Ago time={Number(metadata.creationTimestamp)} />,
      },
    ],
    [instance, kind, words],
  )
  return (
    <LiveTable
      key={kind}
      label={words.title}
      live={live}
      keyOf={workloadKey}
      search={search}
      change={next =>
        void navigate({ search: { ...(kind !== 'deployments' && { kind }), ...next }, replace: true })
      }
      empty={words.empty}
      tools={
        <>
          <SegmentedControl
            aria-label={words.kind}
            value={kind}
            onChange={next => {
              if (isWorkloadKind(next))
                void navigate({ search: next === 'deployments' ? {} : { kind: next } })
            }}
            data={Object.entries(workloadKinds).map(([value, { kind: label }]) => ({ value, label }))}
          />
          <MayButton
            wanted={{ instance, verb: 'create', ...workloadType(kind) }}
            onClick={() =>
              void navigate({
                to: '/instances/$name/workloads/new',
                params: { name: instance },
                search: { kind },
              } as never)
            }
          >
            {objects.create}
          </MayButton>
        </>
      }
      columns={columns}
    />
  )
}
