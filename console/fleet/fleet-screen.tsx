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

/** The pause after typing before the list is filtered, milliseconds. */
const TYPING_MS = 200

/** Instances of the first frame: a screenful. The others are rendered after it, so that the first frame comes sooner. */
const FIRST_ITEMS = 12

const route = getRouteApi('/instances')

/** Loaded after the first frame with instances, to keep the script before it small (bench/README.md, `scriptBytes`). */
const MayLink = lazyComponent(async () => (await import('../rights/may.js')).MayLink)
const FleetPages = lazyComponent(async () => (await import('./fleet-pages.js')).FleetPages)
/** Loaded when the user chooses the table. */
const FleetTable = lazyComponent(async () => (await import('./fleet-table.js')).FleetTable)
const CREATE = { verb: 'create', resource: 'instances' } as const

/** All control planes, live. */
export function FleetScreen() {
  const { fleet } = useWords()
  const { name = '', view, page = 1, attention = false, sort } = route.useSearch()
  const navigate = route.useNavigate()
  const live = useLive(
    () => fleetSource({ name, needsAttention: attention }, sort),
    [name, attention, sort],
    {
      page,
      pageSize: PAGE_SIZE,
    },
  )
  const [typed, setTyped] = useState(name)
  const find = useDebouncedCallback(
    (text: string) =>
      void navigate({
        search: ({ name: _, page: __, ...rest }) => ({ ...rest, ...(text && { name: text }) }),
        replace: true,
      }),
    TYPING_MS,
  )
  const pages = Math.ceil(live.total / PAGE_SIZE)
  const isPainted = usePainted(live.state !== 'loading')
  const items = isPainted ? live.items : live.items.slice(0, FIRST_ITEMS)
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
          <CreateLink isPainted={isPainted} />
        </Group>
      </Group>
      <Group justify="space-between">
        <Group>
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
            aria-label={fleet.columns.attention}
            value={attention ? 'attention' : 'all'}
            onChange={next =>
              void navigate({
                search: ({ attention: _, page: __, ...rest }) => ({
                  ...rest,
                  ...(next === 'attention' && { attention: true as const }),
                }),
              })
            }
            data={[
              { value: 'all', label: fleet.all },
              { value: 'attention', label: fleet.columns.attention },
            ]}
          />
        </Group>
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
        <Text c="dimmed">{attention ? fleet.calm(name) : name ? fleet.noMatch(name) : fleet.empty}</Text>
      )}
      <Suspense>
        {view === 'table' ? (
          <FleetTable
            items={items}
            sort={sort}
            changeSort={next =>
              void navigate({
                search: ({ sort: _, page: __, ...rest }) => ({ ...rest, ...(next && { sort: next }) }),
              })
            }
          />
        ) : (
          <InstanceCards items={items} />
        )}
      </Suspense>
      {isPainted && pages > 1 && (
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

/** The link to the form for a new instance. @param isPainted the fleet is visible; the caller's right is checked then */
function CreateLink({ isPainted }: { readonly isPainted: boolean }) {
  const { fleet } = useWords()
  const look = { variant: 'default', size: 'xs', children: fleet.create } as const
  const link = <Button component={Link} to="/new-instance" {...look} />
  if (!isPainted) return link
  return (
    <Suspense fallback={link}>
      <MayLink wanted={CREATE} to="/new-instance" {...look} />
    </Suspense>
  )
}
