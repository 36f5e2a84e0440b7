import { Alert, Group, Stack, Table, Text, TextInput, Timeline, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import {
  type AccessGrant,
  type AccessLink,
  type ExplainAccessResponse,
  type ListAccessSubjectsResponse,
  AccessLink_State as State,
} from '../../proto/gen/kairship/access_review_pb.js'
import { Problem } from '../failures/problem.js'
import { ServerWords, serverText } from '../failures/server-words.js'
import { Dot } from '../parts/dot.js'
import { RefusableButton } from '../rights/refusable-button.js'
import { TableHead } from '../tables/table-head.js'
import { useNotYetWords } from '../words/not-yet.js'
import { useAccessWords } from '../words/use-access-words.js'
import { useWords } from '../words/use-words.js'
import { type CheckSearch, checkFields, questionOf } from './check-search.js'
import { reviews } from './sources.js'
import { subjectText } from './subjects.js'

const route = getRouteApi('/instances/$name/access')

/** A form for questions about rights in an instance and its members, and the answer with its reasons. The question is in the address. */
export function CheckScreen() {
  const { name: instance } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { check: words } = useAccessWords()
  const notYet = useNotYetWords()
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>(search)
  const ask = (by: 'explain' | 'who') => {
    const asked = Object.fromEntries(Object.entries(typed).filter(([, text]) => text !== ''))
    void navigate({ search: { ...asked, ask: by } as CheckSearch })
  }
  const missing = (['verb', 'resource'] as const).filter(field => !typed[field]).map(field => words[field])
  const refusal = missing.length > 0 ? notYet.fill(missing) : undefined
  return (
    <Stack>
      <Title order={2} size="h4">
        {words.title}
      </Title>
      <Stack
        component="form"
        onSubmit={event => {
          event.preventDefault()
          ask('explain')
        }}
      >
        <Group align="flex-end">
          {checkFields.map(field => (
            <TextInput
              key={field}
              label={words[field]}
              w={180}
              required={field === 'verb' || field === 'resource'}
              {...(field === 'resource' && { placeholder: words.resourceHelp })}
              {...(field === 'user' && { placeholder: words.userHelp })}
              value={typed[field] ?? ''}
              onChange={({ currentTarget: { value } }) => setTyped(before => ({ ...before, [field]: value }))}
            />
          ))}
          <RefusableButton type="submit" refusal={refusal}>
            {words.explain}
          </RefusableButton>
          <RefusableButton variant="default" refusal={refusal} onClick={() => ask('who')}>
            {words.who}
          </RefusableButton>
        </Group>
      </Stack>
      {search.ask === 'explain' && <Explanation instance={instance} search={search} />}
      {search.ask === 'who' && <AllowedSubjects instance={instance} search={search} />}
    </Stack>
  )
}

interface CheckProps {
  readonly instance: string
  readonly search: CheckSearch
}

function Explanation({ instance, search }: CheckProps) {
  const { check: words } = useAccessWords()
  const { problem, joint } = useWords()
  const { data, error, refetch } = useQuery<ExplainAccessResponse>({
    queryKey: ['explain-access', instance, search],
    queryFn: ({ signal }) => reviews.explainAccess({ instance, ...questionOf(search) }, { signal }),
    staleTime: 0,
  })
  if (error) return <Problem error={error} retry={() => void refetch()} />
  if (!data) return null
  return (
    <Stack>
      <Alert variant="default" title={words.decisions[data.decision]} role="status">
        <ServerWords text={data.summary} {...(data.first && { others: data.first.quoted })} />
      </Alert>
      <Timeline bulletSize={18} lineWidth={2} aria-label={words.chain}>
        {data.links.map(link => (
          <Timeline.Item
            key={link.step}
            bullet={<Dot color={colorOf(link)} />}
            title={joint.of(words.steps[link.step] ?? String(link.step), words.states[link.state] ?? '')}
          >
            <Text size="sm">
              <ServerWords text={link.message} others={link.quoted} />
            </Text>
            {link.fix && (
              <Text size="sm" fw={600}>
                {words.fix(serverText(link.fix, problem))}
              </Text>
            )}
            {link.grants.map(grant => (
              <Text key={grantText(grant)} size="xs" c="dimmed">
                {grantText(grant)}
              </Text>
            ))}
          </Timeline.Item>
        ))}
      </Timeline>
      {[...data.unread, ...data.notes].map(note => (
        <Text key={note} size="xs" c="dimmed">
          <ServerWords text={note} />
        </Text>
      ))}
    </Stack>
  )
}

function AllowedSubjects({ instance, search }: CheckProps) {
  const { check: words } = useAccessWords()
  const { joint } = useWords()
  const { data, error, refetch } = useQuery<ListAccessSubjectsResponse>({
    queryKey: ['who-can', instance, search],
    queryFn: ({ signal }) => reviews.listAccessSubjects({ instance, ...questionOf(search) }, { signal }),
    staleTime: 0,
  })
  if (error) return <Problem error={error} retry={() => void refetch()} />
  if (!data) return null
  return (
    <Stack>
      {data.subjects.length === 0 ? (
        <Text c="dimmed">{words.nobody}</Text>
      ) : (
        <Table.ScrollContainer minWidth={560}>
          <Table aria-label={words.who}>
            <TableHead titles={[words.subjects, words.by, words.passes]} />
            <Table.Tbody>
              {data.subjects.map(({ subject, grants, passesKairship }) => (
                <Table.Tr key={subject && subjectText(subject)}>
                  <Table.Th scope="row">{subject && subjectText(subject)}</Table.Th>
                  <Table.Td>{joint.clauses(grants.map(grantText))}</Table.Td>
                  <Table.Td>{passesKairship ? words.yes : words.no}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {data.notes.map(note => (
        <Text key={note} size="xs" c="dimmed">
          <ServerWords text={note} />
        </Text>
      ))}
    </Stack>
  )
}

const colorOf = ({ state }: AccessLink): string =>
  state === State.FOUND ? 'green' : state === State.MISSING ? 'red' : 'gray'

const grantText = ({ bindingKind, bindingNamespace, bindingName, roleKind, roleName }: AccessGrant): string =>
  `${bindingKind} ${bindingNamespace ? `${bindingNamespace}/` : ''}${bindingName} (${[roleKind, roleName].filter(Boolean).join(' ')})`
