import { Select, Stack, Tabs, VisuallyHidden } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Outlet, useLocation, useNavigate } from '@tanstack/react-router'
import { Fragment } from 'react'
import { ApiError } from '../../client/errors.js'
import { Code } from '../../transcoding/code.js'
import { instances } from '../connection/instance-service.js'
import { Trail } from '../parts/trail.js'
import { useWords } from '../words/use-words.js'
import { NoInstance } from './no-instance.js'

const route = getRouteApi('/instances/$name')

/** The sections of an instance, grouped by task. */
const groups = {
  state: ['overview', 'events', 'reads'],
  run: ['clusters', 'workloads', 'objects', 'promote'],
  decide: ['policies', 'rehearse'],
  govern: ['access', 'settings'],
} as const

type Part = (typeof groups)[keyof typeof groups][number]

/** Sections without a tab, and the tab that is selected in them. */
const tabOf: Readonly<Record<string, string>> = { 'join-cluster': 'clusters', terminal: 'workloads' }

/** Narrower windows have a select instead of tabs. */
const NARROW = '(max-width: 62em)'

/** The props of a panel without a tab. */
const WITHOUT_TAB = { role: undefined, 'aria-labelledby': undefined, tabIndex: undefined }

/** The frame of every screen of one instance: its name and tabs. */
export function InstanceFrame() {
  const { name } = route.useParams()
  const { nav, tabs } = useWords()
  const labels = { ...tabs, access: nav.access }
  const { pathname } = useLocation()
  const navigate = useNavigate()
  const isNarrow = useMediaQuery(NARROW)
  const [, , , first] = pathname.split('/')
  const part = tabOf[first ?? ''] ?? (first || 'overview')
  const label: string | undefined = Object.hasOwn(labels, part) ? labels[part as Part] : undefined
  const { data, error } = useQuery({
    queryKey: ['instance', name],
    queryFn: ({ signal }) => instances.getInstance({ name }, { signal }),
  })
  // Screens of an instance that is deleted while it is read say that it is gone.
  const isUnknown = !data && error instanceof ApiError && error.code === Code.NOT_FOUND
  const open = (next: string | null) => {
    if (next === null) return
    const to = next === 'overview' ? '/instances/$name' : `/instances/$name/${next}`
    void navigate({ to, params: { name } } as never)
  }
  if (isUnknown)
    return (
      <Stack>
        <Trail to="/instances" from={nav.fleet} here={name} />
        <VisuallyHidden component="h1">{name}</VisuallyHidden>
        <NoInstance name={name} />
      </Stack>
    )
  return (
    <Stack>
      <Trail to="/instances" from={nav.fleet} here={name} />
      {part !== 'overview' && (
        <VisuallyHidden component="h1">{[name, label].filter(Boolean).join(' · ')}</VisuallyHidden>
      )}
      <Tabs value={part} onChange={open}>
        {isNarrow ? (
          <Select
            aria-label={tabs.parts}
            value={part}
            onChange={open}
            allowDeselect={false}
            maxDropdownHeight={600}
            data={Object.entries(groups).map(([group, parts]) => ({
              group: tabs.groups[group as keyof typeof groups],
              items: parts.map(value => ({ value, label: labels[value] })),
            }))}
          />
        ) : (
          <Tabs.List aria-label={name} className="grouped-tabs">
            {Object.entries(groups).map(([group, parts]) => (
              <Fragment key={group}>
                {parts.map((value, index) => (
                  <Tabs.Tab key={value} value={value} mod={{ begins: index === 0 }}>
                    {labels[value]}
                  </Tabs.Tab>
                ))}
              </Fragment>
            ))}
          </Tabs.List>
        )}
        {/* The same element for both widths: another one would remount the screen and lose typed text. */}
        <Tabs.Panel value={part} pt="md" {...(isNarrow && WITHOUT_TAB)}>
          <Outlet />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  )
}
