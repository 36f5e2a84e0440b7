import { Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { type AuditEvent, AuditOutcome as Outcome } from '../../proto/gen/kairship/audit_pb.js'
import { useLive } from '../live/use-live.js'
import { Dot } from '../parts/dot.js'
import { shownName } from '../parts/shown-name.js'
import { Ago } from '../parts/time.js'
import { LiveTable } from '../tables/live-table.js'
import { useAccessWords } from '../words/use-access-words.js'
import { placeOf } from './audit-details.js'
import { auditEvents } from './sources.js'

const route = getRouteApi('/access/audit')

/** The outcomes to choose from, and their colours. */
export const outcomes = {
  SUCCEEDED: { outcome: Outcome.SUCCEEDED, color: 'green' },
  DENIED: { outcome: Outcome.DENIED, color: 'red' },
  FAILED: { outcome: Outcome.FAILED, color: 'orange' },
  UNKNOWN: { outcome: Outcome.UNKNOWN, color: 'gray' },
} as const
export type OutcomeName = keyof typeof outcomes

/** The audit events of the last hours, live. */
export function AuditScreen() {
  const access = useAccessWords()
  const { audit: words } = access
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { user = '', instance = '', outcome } = search
  const live = useLive(
    () =>
      auditEvents({
        user,
        instance,
        outcome: outcome ? outcomes[outcome].outcome : Outcome.AUDIT_OUTCOME_UNSPECIFIED,
      }),
    [user, instance, outcome],
  )
  const filter = (change: object) =>
    void navigate({ search: ({ row: _, ...rest }) => ({ ...rest, ...change }), replace: true })
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        {words.help}
      </Text>
      <LiveTable
        label={access.tabs.audit}
        live={live}
        keyOf={({ id, stage }) => `${id} ${stage}`}
        search={search}
        change={next =>
          void navigate({ search: ({ row: _, ...rest }) => ({ ...rest, ...next }), replace: true })
        }
        finds={false}
        empty={words.empty}
        tools={
          <Group>
            <ExactFilter label={words.user} value={user} change={next => filter({ user: next })} />
            <ExactFilter
              label={words.instance}
              value={instance}
              change={next => filter({ instance: next })}
            />
            <Select
              aria-label={words.outcome}
              placeholder={words.any}
              clearable
              w={160}
              value={outcome ?? null}
              onChange={next => filter({ outcome: next ?? undefined })}
              data={Object.entries(words.outcomes).map(([value, label]) => ({ value, label }))}
            />
          </Group>
        }
        columns={[
          { title: words.columns.time, cell: ({ endedAt }) => <Ago time={Number(endedAt)} /> },
          { title: words.columns.user, cell: ({ user }) => shownName(user) },
          {
            title: words.columns.what,
            cell: ({ operation, verb }) => (
              <Text size="sm" miw={220} style={{ overflowWrap: 'anywhere' }}>
                {[verb, operation].filter(Boolean).join(' ')}
              </Text>
            ),
          },
          { title: words.columns.on, cell: event => placeOf(event, words) },
          { title: words.columns.outcome, cell: event => <Ended event={event} /> },
          { title: words.columns.from, cell: ({ wire, remote }) => [wire, remote].filter(Boolean).join(' ') },
        ]}
      />
    </Stack>
  )
}

/** A filter that matches whole values, so it applies when the user leaves the field or presses Enter. */
function ExactFilter({
  label,
  value,
  change,
}: {
  readonly label: string
  readonly value: string
  readonly change: (text: string | undefined) => void
}) {
  const [typed, setTyped] = useState(value)
  return (
    <TextInput
      aria-label={label}
      placeholder={label}
      w={180}
      value={typed}
      onChange={event => setTyped(event.currentTarget.value)}
      onBlur={() => change(typed || undefined)}
      onKeyDown={event => event.key === 'Enter' && change(typed || undefined)}
    />
  )
}

function Ended({ event: { outcome, code } }: { readonly event: AuditEvent }) {
  const access = useAccessWords()
  const found = (Object.keys(outcomes) as OutcomeName[]).find(name => outcomes[name].outcome === outcome)
  if (!found) return access.audit.begun
  return (
    <>
      <Group gap={6} wrap="nowrap">
        <Dot color={outcomes[found].color} />
        <Text size="sm" style={{ whiteSpace: 'nowrap' }}>
          {access.audit.outcomes[found]}
        </Text>
      </Group>
      <Text size="xs" c="dimmed">
        {code}
      </Text>
    </>
  )
}
