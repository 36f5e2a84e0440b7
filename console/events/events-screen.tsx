import { Badge, NativeSelect, Switch, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { serviceClient } from '../../client/service-client.js'
import { ClusterService } from '../../proto/gen/kairship/cluster_pb.js'
import { EventType } from '../../proto/gen/kairship/core_pb.js'
import { rest } from '../connection/rest.js'
import { useLive } from '../live/use-live.js'
import { Dot } from '../parts/dot.js'
import { Ago } from '../parts/time.js'
import { LiveTable } from '../tables/live-table.js'
import { useEventWords } from '../words/events.js'
import type { EventSearch } from './event-search.js'
import { core, eventKey, events } from './events.js'

const route = getRouteApi('/instances/$name/events')
const clusters = serviceClient(ClusterService, rest)

/** The events of an instance's control plane or of a member, live. */
export function EventsScreen() {
  const { name: instance } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const words = useEventWords()
  const { find, cluster, kind, warnings } = search
  const live = useLive(() => events(instance, search), [instance, find, cluster, kind, warnings])
  const members = useQuery({
    queryKey: ['clusters', instance],
    queryFn: ({ signal }) => clusters.listClustersLabels({ instance }, { signal }),
  })
  const kinds = useQuery({
    queryKey: ['event kinds', instance, cluster],
    queryFn: ({ signal }) => core.listInstanceEventKinds({ instance, cluster: cluster ?? '' }, { signal }),
  })
  const change = (next: EventSearch) => void navigate({ search: next, replace: true })
  const { columns } = words
  return (
    <LiveTable
      label={words.title}
      live={live}
      keyOf={eventKey}
      search={search}
      change={({ find: text, row }) => {
        const { find: _, row: __, ...rest } = search
        change({ ...rest, ...(text && { find: text }), ...(row && { row }) })
      }}
      findLabel={words.findObject}
      empty={words.empty}
      tools={
        <>
          <NativeSelect
            aria-label={words.place}
            value={cluster ?? ''}
            onChange={({ currentTarget: { value } }) => {
              const { cluster: _, row: __, kind: ___, ...rest } = search
              change(value ? { ...rest, cluster: value } : rest)
            }}
            data={[
              { value: '', label: words.controlPlane },
              ...named(members.data?.clusterLabels.map(each => each.cluster) ?? [], cluster),
            ]}
          />
          <NativeSelect
            aria-label={words.kind}
            value={kind ?? ''}
            onChange={({ currentTarget: { value } }) => {
              const { kind: _, row: __, ...rest } = search
              change(value ? { ...rest, kind: value } : rest)
            }}
            data={[{ value: '', label: words.allKinds }, ...named(kinds.data?.data ?? [], kind)]}
          />
          <Switch
            label={words.warnings}
            checked={warnings === true}
            onChange={({ currentTarget: { checked } }) => {
              const { warnings: _, row: __, ...rest } = search
              change(checked ? { ...rest, warnings: true } : rest)
            }}
          />
        </>
      }
      columns={[
        { title: columns.time, cell: ({ lastTimestamp }) => <Ago time={Number(lastTimestamp)} /> },
        {
          title: columns.type,
          cell: ({ type }) => <EventTypeBadge isWarning={type === EventType.Warning} />,
        },
        {
          title: columns.object,
          cell: ({ involvedObject: object }) => (
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              {object?.kind} {[object?.namespace, object?.name].filter(Boolean).join('/')}
            </Text>
          ),
        },
        { title: columns.reason, cell: ({ reason }) => reason },
        {
          title: columns.message,
          cell: ({ message }) => (
            <Text size="sm" maw={460} style={{ overflowWrap: 'anywhere' }} lang="en">
              {message}
            </Text>
          ),
        },
        { title: columns.count, cell: ({ count }) => count },
        { title: columns.source, cell: ({ source }) => source?.component },
      ]}
    />
  )
}

/** The names to choose from. The chosen name is among them also while the list is being read. */
const named = (names: readonly string[], chosen: string | undefined): string[] =>
  [...new Set([...names, ...(chosen ? [chosen] : [])])].sort()

export function EventTypeBadge({ isWarning }: { readonly isWarning: boolean }) {
  const { types } = useEventWords()
  return (
    <Badge
      variant="default"
      tt="none"
      size="sm"
      miw="max-content"
      leftSection={<Dot color={isWarning ? 'orange' : 'gray'} />}
    >
      {isWarning ? types.Warning : types.Normal}
    </Badge>
  )
}
