import { Button, Group, SegmentedControl, Stack, Text, TextInput, Title } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { Problem } from '../failures/problem.js'
import { useLive } from '../live/use-live.js'
import { lazyComponent } from '../loading/lazy-component.js'
import { usePainted } from '../loading/use-painted.js'
import { Freshness } from '../parts/freshness.js'
import { useWords } from '../words/use-words.js'
import { fleetSource, PAGE_SIZE } from './fleet-source.js'
import { InstanceCards } from './instance-cards.js'

/** A reader who types is not asked for at each letter, milliseconds. */
const TYPING_MS = 200

/** Instances in the first frame: a screen of them. The others of the page are drawn after it, so that reading begins sooner. */
const FIRST_ITEMS = 12

const route = getRouteApi('/instances')

/** Loaded after the first frame with instances, to keep the script before it small (bench/README.md, `scriptBytes`). */
const MayLink = lazyComponent(async () => (await import('../rights/may.js')).MayLink)
const FleetPages = lazyComponent(async () => (await import('./fleet-pages.js')).FleetPages)
/** Loaded by readers who choose the table. */
const FleetTable = lazyComponent(async () => (await import('./fleet-table.js')).FleetTable)
const CREATE = { verb: 'create', resource: 'instances' } as const

/** All control planes, live. */
export function FleetScreen() {
  const { fleet } = useWords()
  const { name = '', view, page = 1 } = route.useSearch()
  const navigate = route.useNavigate()
  const live = useLive(() => fleetSource(name), [name], { page, pageSize: PAGE_SIZE })
  const [typed, setTyped] = useState(name)
  const find = useDebouncedCallback(
    (text: string) =>
      void navigate({
        search: ({ view }) => ({ ...(view && { view }), ...(text && { name: text }) }),
        replace: true,
      }),
    TYPING_MS,
  )
  const pages = Math.ceil(live.total / PAGE_SIZE)
  const isDrawn = usePainted(live.state !== 'loading')
  const items = isDrawn ? live.items : live.items.slice(0, FIRST_ITEMS)
  return (
    <Stack>
      <Group justify="space-between">
        <Group align="baseline">
          <Title order={1} size="h2">
            {fleet.title}
          </Title>
          {live.state !== 'loading' && <Text c="dimmed">{fleet.instances(live.total)}</Text>}
        </Group>
        <Group>
          <Freshness page={live} />
          <CreateLink isDrawn={isDrawn} />
        </Group>
      </Group>
      <Group justify="space-between">
        <TextInput
          aria-label={fleet.filter}
          placeholder={fleet.filter}
          value={typed}
          onChange={event => {
            setTyped(event.currentTarget.value)
            find(event.currentTarget.value)
          }}
          w={260}
        />
        <SegmentedControl
          value={view ?? 'cards'}
          onChange={next =>
            void navigate({
              search: ({ view: _, ...rest }) => ({
                ...rest,
                ...(next === 'table' && { view: 'table' as const }),
              }),
            })
          }
          data={[
            { value: 'cards', label: fleet.cards },
            { value: 'table', label: fleet.table },
          ]}
        />
      </Group>
      {live.state === 'loading' && live.problem && <Problem error={live.problem} />}
      {live.state !== 'loading' && live.items.length === 0 && (
        <Text c="dimmed">{name ? fleet.noMatch(name) : fleet.empty}</Text>
      )}
      <Suspense>{view === 'table' ? <FleetTable items={items} /> : <InstanceCards items={items} />}</Suspense>
      {isDrawn && pages > 1 && (
        <Suspense>
          <FleetPages
            total={pages}
            page={page}
            turn={next => void navigate({ search: rest => ({ ...rest, page: next }) })}
          />
        </Suspense>
      )}
    </Stack>
  )
}

/** The link to the form for a new instance. @param isDrawn the fleet is shown; the caller's rights are asked for then */
function CreateLink({ isDrawn }: { readonly isDrawn: boolean }) {
  const { fleet } = useWords()
  const look = { variant: 'default', size: 'xs', children: fleet.create } as const
  const link = <Button component={Link} to="/new-instance" {...look} />
  if (!isDrawn) return link
  return (
    <Suspense fallback={link}>
      <MayLink wanted={CREATE} to="/new-instance" {...look} />
    </Suspense>
  )
}
