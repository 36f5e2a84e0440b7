import { SegmentedControl, Text } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { useLive } from '../live/use-live.js'
import { MayButton } from '../rights/may.js'
import { LiveTable } from '../tables/live-table.js'
import { useAccessWords } from '../words/use-access-words.js'
import { useWords } from '../words/use-words.js'
import { Moment } from './account-screen.js'
import { GiveRole } from './give-role.js'
import { type Binding, type BindingKind, bindingKinds, roleBindings } from './sources.js'
import { subjectText } from './subjects.js'
import { TakeRole } from './take-role.js'

const route = getRouteApi('/access/roles')

/** The host's resources of role bindings, by kind. */
const resources: Readonly<Record<BindingKind, string>> = {
  instances: 'instancerolebindings',
  workspaces: 'workspacerolebindings',
}

/** The role bindings of instances and workspaces, with buttons to give and remove roles. */
export function RolesScreen() {
  const access = useAccessWords()
  const { roles: words } = access
  const { joint } = useWords()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { kind = 'instances' } = search
  const live = useLive(() => roleBindings(kind), [kind])
  const [isGiving, setGiving] = useState(false)
  const [taken, setTaken] = useState<Binding>()
  return (
    <>
      <GiveRole key={kind} kind={kind} opened={isGiving} close={() => setGiving(false)} />
      {taken && <TakeRole kind={kind} binding={taken} close={() => setTaken(undefined)} />}
      <LiveTable
        key={kind}
        label={access.tabs.roles}
        live={live}
        keyOf={({ name }) => name}
        search={search}
        change={next =>
          void navigate({ search: ({ row: _, ...rest }) => ({ ...rest, ...next }), replace: true })
        }
        finds={false}
        empty={words.empty}
        tools={
          <>
            <SegmentedControl
              aria-label={words.kind}
              value={kind}
              onChange={next =>
                void navigate({ search: next === 'instances' ? {} : { kind: next as BindingKind } })
              }
              data={bindingKinds.map(value => ({ value, label: words.kinds[value] }))}
            />
            <MayButton wanted={{ verb: 'create', resource: resources[kind] }} onClick={() => setGiving(true)}>
              {words.give}
            </MayButton>
          </>
        }
        columns={[
          { title: words.columns.name, cell: ({ name }) => name },
          {
            title: words.columns.on,
            cell: ({ on, namespaces }) => [on, joint.names(namespaces)].filter(Boolean).join(' · '),
          },
          { title: words.columns.role, cell: ({ role }) => role },
          {
            title: words.columns.who,
            cell: ({ subjects }) =>
              subjects.map(subject => (
                <Text key={subjectText(subject)} size="sm">
                  {subjectText(subject)}
                </Text>
              )),
          },
          {
            title: words.columns.end,
            cell: ({ expiresAt }) => (expiresAt ? <Moment time={expiresAt} /> : access.never),
          },
          { title: words.columns.why, cell: ({ reason }) => reason },
          {
            title: words.columns.act,
            cell: binding => (
              <MayButton
                wanted={{ verb: 'delete', resource: resources[kind], name: binding.name }}
                otherRefusal={binding.delivered ? words.delivered : undefined}
                size="compact-sm"
                variant="default"
                aria-label={`${words.take} ${binding.name}`}
                onClick={() => setTaken(binding)}
              >
                {words.take}
              </MayButton>
            ),
          },
        ]}
      />
    </>
  )
}
