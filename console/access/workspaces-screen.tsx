import { Anchor, Stack, Text } from '@mantine/core'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useLive } from '../live/use-live.js'
import { LiveTable } from '../parts/live-table.js'
import { useAccessWords } from '../words/use-access-words.js'
import { workspaceInstances } from './sources.js'

const route = getRouteApi('/access/workspaces')

/** Which workspace each instance belongs to. */
export function WorkspacesScreen() {
  const access = useAccessWords()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const live = useLive(workspaceInstances, [])
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        {access.workspaces.help}
      </Text>
      <LiveTable
        label={access.tabs.workspaces}
        live={live}
        keyOf={({ instance }) => instance}
        search={search}
        change={next => void navigate({ search: next, replace: true })}
        finds={false}
        empty={access.workspaces.empty}
        columns={[
          {
            title: access.account.columns.instance,
            cell: ({ instance }) => (
              <Anchor component={Link} to="/instances/$name" params={{ name: instance } as never} size="sm">
                {instance}
              </Anchor>
            ),
          },
          {
            title: access.workspaces.of,
            cell: ({ workspace }) => workspace?.workspace || access.workspaces.none,
          },
        ]}
      />
    </Stack>
  )
}
