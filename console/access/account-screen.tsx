import { Code, Group, Stack, Table, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Problem } from '../failures/problem.js'
import { ServerWords } from '../failures/server-words.js'
import { Ago } from '../parts/time.js'
import { TableHead } from '../tables/table-head.js'
import { useAccessWords } from '../words/use-access-words.js'
import { useWords } from '../words/use-words.js'
import { reviews } from './sources.js'

/** The signed-in user as the server sees them: the credential, groups and roles. */
export function AccountScreen() {
  const { joint } = useWords()
  const access = useAccessWords()
  const { account: words } = access
  const { data, error, refetch } = useQuery({
    queryKey: ['whoami'],
    queryFn: ({ signal }) => reviews.whoAmI({}, { signal }),
    staleTime: 0,
  })
  if (error) return <Problem error={error} retry={() => void refetch()} />
  if (!data) return null
  const { credential } = data
  const ends = Number(credential?.expiresAt ?? 0)
  return (
    <Stack>
      <Line label={words.user}>
        <Code>{data.user}</Code>
      </Line>
      <Line label={words.groups}>
        {data.groups.map(group => (
          <Code key={group}>{group}</Code>
        ))}
      </Line>
      <Line label={words.credential}>
        <Text size="sm">
          {words.sources[credential?.source ?? 0]} {credential?.issuer || credential?.instance}
        </Text>
        {ends > 0 && (
          <Text size="sm" c="dimmed">
            {access.until} <Moment time={ends} />
          </Text>
        )}
      </Line>
      <Title order={2} size="h4">
        {words.roles}
      </Title>
      <Text size="sm" c="dimmed">
        {data.roles.length === 0 ? words.none : words.rolesHelp}
      </Text>
      {data.roles.length > 0 && (
        <Table.ScrollContainer minWidth={640}>
          <Table aria-label={words.roles}>
            <TableHead titles={Object.values(words.columns)} />
            <Table.Tbody>
              {data.roles.map(role => (
                <Table.Tr
                  key={`${role.instance} ${role.bindingKind} ${role.bindingName} ${role.namespaces.join()}`}
                >
                  <Table.Th scope="row">{role.instance}</Table.Th>
                  <Table.Td>{role.role}</Table.Td>
                  <Table.Td>{joint.names(role.namespaces) || words.whole}</Table.Td>
                  <Table.Td>{[role.bindingName, role.workspace].filter(Boolean).join(' · ')}</Table.Td>
                  <Table.Td>{role.expiresAt ? <Moment time={role.expiresAt} /> : access.never}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {data.notes.map(note => (
        <Text key={note} size="sm">
          <ServerWords text={note} />
        </Text>
      ))}
    </Stack>
  )
}

const Line = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => (
  <Group gap="xs">
    <Text size="sm" fw={600} w={110}>
      {label}
    </Text>
    {children}
  </Group>
)

/** A time in the user's time zone; the age of a past one. */
export function Moment({ time }: { readonly time: string | number }) {
  const { locale } = useWords()
  const date = new Date(time)
  if (Number.isNaN(date.getTime())) return <span>–</span>
  if (date.getTime() <= Date.now()) return <Ago time={time} />
  const format = (timeStyle: 'short' | 'long') =>
    new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle }).format(date)
  return (
    <time dateTime={date.toISOString()} title={format('long')}>
      {format('short')}
    </time>
  )
}
