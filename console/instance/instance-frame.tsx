import { Stack, Tabs } from '@mantine/core'
import { getRouteApi, Outlet, useLocation, useNavigate } from '@tanstack/react-router'
import { Trail } from '../parts/trail.js'
import { useWords } from '../words/use-words.js'

const route = getRouteApi('/instances/$name')

/** What every screen of one instance has around it: its name, and the way to the others. */
export function InstanceFrame() {
  const { name } = route.useParams()
  const { nav, tabs } = useWords()
  const { pathname } = useLocation()
  const navigate = useNavigate()
  const [, , , first = 'overview'] = pathname.split('/')
  const part = first === 'join-cluster' ? 'clusters' : first || 'overview'
  return (
    <Stack>
      <Trail to="/instances" from={nav.fleet} here={name} />
      <Tabs
        value={part}
        onChange={next => {
          const to = next === 'overview' ? '/instances/$name' : `/instances/$name/${next}`
          void navigate({ to, params: { name } } as never)
        }}
      >
        <Tabs.List aria-label={name}>
          <Tabs.Tab value="overview">{tabs.overview}</Tabs.Tab>
          <Tabs.Tab value="clusters">{tabs.clusters}</Tabs.Tab>
          <Tabs.Tab value="workloads">{tabs.workloads}</Tabs.Tab>
          <Tabs.Tab value="objects">{tabs.objects}</Tabs.Tab>
          <Tabs.Tab value="policies">{tabs.policies}</Tabs.Tab>
          <Tabs.Tab value="rehearse">{tabs.rehearse}</Tabs.Tab>
          <Tabs.Tab value="promote">{tabs.promote}</Tabs.Tab>
          <Tabs.Tab value="events">{tabs.events}</Tabs.Tab>
          <Tabs.Tab value="reads">{tabs.reads}</Tabs.Tab>
          <Tabs.Tab value="settings">{tabs.settings}</Tabs.Tab>
          {part === 'terminal' && <Tabs.Tab value="terminal">{tabs.terminal}</Tabs.Tab>}
          <Tabs.Tab value="access">{nav.access}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value={part} pt="md">
          <Outlet />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  )
}
