import { Anchor, Stack, Text } from '@mantine/core'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { WorkspaceInstance } from '../../proto/gen/kairship/workspace_pb.js'
import { useLive } from '../live/use-live.js'
import { MayButton } from '../rights/may.js'
import { LiveTable } from '../tables/live-table.js'
import { useAccessWords } from '../words/use-access-words.js'
import { BindWorkspace } from './bind-workspace.js'
import { workspaceInstances } from './sources.js'

const route = getRouteApi('/access/workspaces')

/** The workspace of each instance, with buttons to bind and release it. */
export function WorkspacesScreen() {
  const access = useAccessWords()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const live = useLive(workspaceInstances, [])
  const [bound, setBound] = useState<WorkspaceInstance>()
  return (
    <Stack>
      {bound && <BindWorkspace bound={bound} close={() => setBound(undefined)} />}
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
          {
            title: access.roles.columns.act,
            cell: each => {
              const { instance, workspace } = each
              const { bind, release } = access.workspaces
              return (
                <MayButton
                  wanted={{ verb: 'update', resource: 'instances/workspace', name: instance }}
                  size="compact-sm"
                  variant="default"
                  onClick={() => setBound(each)}
                >
                  {workspace?.workspace ? release : bind}
                </MayButton>
              )
            },
          },
        ]}
      />
    </Stack>
  )
}
