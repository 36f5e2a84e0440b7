import { Alert, Group, NativeSelect, Stack, Switch, Table, Text, TextInput, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo } from 'react'
import { serviceClient } from '../../client/service-client.js'
import { FleetScope, FleetService } from '../../proto/gen/kairship/fleet_pb.js'
import { instances } from '../connection/instance-service.js'
import { rest } from '../connection/rest.js'
import { Problem } from '../failures/problem.js'
import { useFeed } from '../live/use-feed.js'
import { Freshness } from '../parts/freshness.js'
import { Ago } from '../parts/time.js'
import { withField } from '../tables/list-search.js'
import { ScrollingTable } from '../tables/scrolling-table.js'
import { useEventWords } from '../words/events.js'
import { useWords } from '../words/use-words.js'
import { EventFeed } from './event-feed.js'
import type { FleetEventSearch } from './event-search.js'
import { EventTypeBadge } from './events-screen.js'
import type { FleetEvent } from './fleet-event.js'

const fleet = serviceClient(FleetService, rest)
const route = getRouteApi('/events')

/** The newest events of all control planes, and of their members if wanted, live. */
export function FleetEventsScreen() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const words = useEventWords()
  const { instance, members, warnings, find = '' } = search
  const change = (next: FleetEventSearch) => void navigate({ search: next, replace: true })
  const feed = useMemo(
    () =>
      new EventFeed(signal =>
        fleet.watchFleetObjects(
          {
            version: 'v1',
            resource: 'events',
            scope: members ? FleetScope.EVERYWHERE : FleetScope.CONTROL_PLANES,
            instances: instance ? [instance] : [],
            fieldSelector: warnings ? 'type=Warning' : '',
            withData: true,
          },
          { signal },
        ),
      ),
    [instance, members, warnings],
  )
  const view = useFeed(feed)
  const all = useQuery({
    queryKey: ['instance names'],
    queryFn: ({ signal }) => instances.listInstances({}, { signal }),
  })
  const { joint } = useWords()
  const shown = useMemo(() => {
    const wanted = find.toLowerCase()
    return wanted === ''
      ? view.events
      : view.events.filter(({ object, reason, message }) =>
          [object, reason, message].some(text => text.toLowerCase().includes(wanted)),
        )
  }, [view.events, find])
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={1} size="h2">
          {words.fleetTitle}
        </Title>
        <Freshness page={view} />
      </Group>
      <Group>
        <TextInput
          aria-label={words.columns.object}
          placeholder={joint.names([words.columns.object, words.columns.reason, words.columns.message])}
          value={find}
          onChange={({ currentTarget: { value } }) => change(withField(search, 'find', value || undefined))}
          w={280}
        />
        <NativeSelect
          aria-label={words.instance}
          value={instance ?? ''}
          onChange={({ currentTarget: { value } }) =>
            change(withField(search, 'instance', value || undefined))
          }
          data={[
            { value: '', label: words.allInstances },
            ...new Set(
              [...(all.data?.items.map(({ metadata }) => metadata?.name ?? '') ?? []), instance ?? ''].filter(
                Boolean,
              ),
            ),
          ]}
        />
        <Switch
          label={words.everywhere}
          checked={members === true}
          onChange={({ currentTarget: { checked } }) =>
            change(withField(search, 'members', checked || undefined))
          }
        />
        <Switch
          label={words.warnings}
          checked={warnings === true}
          onChange={({ currentTarget: { checked } }) =>
            change(withField(search, 'warnings', checked || undefined))
          }
        />
        <Text size="sm" c="dimmed">
          {words.newest(view.events.length, view.total)}
        </Text>
      </Group>
      {view.state !== 'live' && view.problem && <Problem error={view.problem} />}
      {view.unread.length > 0 && (
        <Alert
          color="orange"
          variant="outline"
          title={words.unread}
          styles={{ title: { color: 'var(--mantine-color-text)' } }}
        >
          {view.unread.map(sentence => (
            <Text key={sentence} size="sm">
              {sentence}
            </Text>
          ))}
        </Alert>
      )}
      {view.state === 'live' && shown.length === 0 && <Text c="dimmed">{words.empty}</Text>}
      <Rows events={shown} />
    </Stack>
  )
}

/** The widths of the columns, fixed because only visible rows are rendered. A time and a type fit also in a narrow window. */
const WIDTHS = ['7rem', '6.5rem', '15%', '20%', '14%', 'auto'] as const

function Rows({ events }: { readonly events: readonly FleetEvent[] }) {
  const { columns, rows: label } = useEventWords()
  if (events.length === 0) return null
  return (
    <ScrollingTable
      label={label}
      titles={[columns.time, columns.type, columns.place, columns.object, columns.reason, columns.message]}
      widths={WIDTHS}
      count={events.length}
      keyOf={index => events[index]?.key ?? index}
      row={index => {
        const event = events[index]
        return (
          event && (
            <>
              <Table.Td>
                <Ago time={event.time} />
              </Table.Td>
              <Table.Td>
                <EventTypeBadge isWarning={event.isWarning} />
              </Table.Td>
              <Line text={[event.instance, event.cluster].filter(Boolean).join(' · ')} />
              <Line text={event.object} />
              <Line text={event.count > 1 ? `${event.reason} ×${event.count}` : event.reason} />
              <Line text={event.message} lang="en" />
            </>
          )
        )
      }}
    />
  )
}

/** A cell with one line, so that all rows have the same height. Cut text is its title. */
const Line = ({ text, lang }: { readonly text: string; readonly lang?: 'en' }) => (
  <Table.Td {...(lang && { lang })}>
    <Text size="sm" truncate title={text}>
      {text}
    </Text>
  </Table.Td>
)
