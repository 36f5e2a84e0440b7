import { Badge, Group, Paper, Select, SimpleGrid, Stack, Text, TextInput, Title } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { serviceClient } from '../../client/service-client.js'
import {
  RehearsedTemplate_Outcome as Outcome,
  PlacementService,
  type RehearsedTemplate,
  type RehearseTaintsResponse,
} from '../../proto/gen/kairship/placement_pb.js'
import { TaintEffect } from '../../proto/gen/kairship/types_pb.js'
import { rest } from '../connection/rest.js'
import { Problem } from '../failures/problem.js'
import { ServerWords } from '../failures/server-words.js'
import { useClusterNames } from '../instance/names.js'
import { useLatestAnswer } from '../live/use-latest-answer.js'
import { Dot } from '../parts/dot.js'
import { SeveralSelect } from '../parts/several-select.js'
import { PlacementTable } from '../propagation/placement-table.js'
import { useRehearseWords } from '../words/rehearse.js'
import { DEFAULT_KEY, effects, type Rehearsal, rehearsalSearch } from './rehearsal-search.js'

const placement = serviceClient(PlacementService, rest)

const route = getRouteApi('/instances/$name/rehearse')

/** The pause after typing before the address changes, milliseconds. */
const TYPING_MS = 300

/** Rehearses taints: shows where templates would move, and which would find no cluster. */
export function RehearseScreen() {
  const { name: instance } = route.useParams()
  const rehearsal = route.useSearch()
  const words = useRehearseWords()
  const wanted = rehearsal.clusters ? JSON.stringify(rehearsal) : undefined
  const answerTo = useMemo(
    () => (json: string, signal: AbortSignal) =>
      requestRehearsal(instance, rehearsalSearch(JSON.parse(json)), signal),
    [instance],
  )
  const { answer, problem, isLoading, question, retry } = useLatestAnswer(wanted, answerTo)
  return (
    <Stack>
      <Title order={2}>{words.title}</Title>
      <Text size="sm">{words.how}</Text>
      <Taints instance={instance} rehearsal={rehearsal} />
      <Group gap={6} role="status">
        {wanted && isLoading && <Text size="sm">{words.computing}</Text>}
        {!wanted && <Text size="sm">{words.choose}</Text>}
      </Group>
      {problem && <Problem error={problem} retry={retry} />}
      {answer && wanted && (
        <div style={{ opacity: question === wanted ? 1 : 0.85 }}>
          <Answer answer={answer} />
        </div>
      )}
    </Stack>
  )
}

function requestRehearsal(
  instance: string,
  rehearsal: Rehearsal,
  signal: AbortSignal,
): Promise<RehearseTaintsResponse> {
  const { clusters = [], key = DEFAULT_KEY, value = '', effect = 'NoExecute', namespace = '' } = rehearsal
  const taint = { key, value, effect: TaintEffect[effect] }
  return placement.rehearseTaints(
    { instance, namespace, taints: clusters.map(cluster => ({ cluster, taint })) },
    { signal },
  )
}

function Taints({ instance, rehearsal }: { readonly instance: string; readonly rehearsal: Rehearsal }) {
  const navigate = route.useNavigate()
  const words = useRehearseWords()
  const { clusters = [], key = DEFAULT_KEY, value = '', effect = 'NoExecute', namespace = '' } = rehearsal
  const [typed, setTyped] = useState({ key, value, namespace })
  const change = (part: Rehearsal) =>
    void navigate({ search: rehearsalSearch({ ...rehearsal, ...part }), replace: true })
  const soon = useDebouncedCallback(change, TYPING_MS)
  const names = useClusterNames(instance)
  const field = (name: keyof typeof typed) => ({
    label: words.field[name],
    value: typed[name],
    onChange: (event: { readonly currentTarget: { readonly value: string } }) => {
      setTyped({ ...typed, [name]: event.currentTarget.value })
      soon({ ...typed, [name]: event.currentTarget.value })
    },
  })
  return (
    <Paper withBorder p="md">
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
        <SeveralSelect
          label={words.clusters}
          data={[...new Set([...names, ...clusters])]}
          value={[...clusters]}
          onChange={next => change({ clusters: next })}
        />
        <TextInput {...field('key')} />
        <TextInput {...field('value')} />
        <Select
          label={words.effect}
          allowDeselect={false}
          data={[...effects]}
          value={effect}
          onChange={next => {
            const found = effects.find(one => one === next)
            if (found) change({ effect: found })
          }}
        />
        <TextInput {...field('namespace')} placeholder={words.allNamespaces} />
      </SimpleGrid>
    </Paper>
  )
}

function Answer({ answer }: { readonly answer: RehearseTaintsResponse }) {
  const words = useRehearseWords()
  const { templates, total, moving, shrinking, nowhere, staying, assumptions, unread } = answer
  return (
    <Stack>
      <Group>
        <Count color="red" text={words.nowhere(nowhere)} />
        <Count color="orange" text={words.shrinking(shrinking)} />
        <Count color="green" text={words.moving(moving)} />
        <Count color="gray" text={words.staying(staying)} />
      </Group>
      {total === 0 && <Text>{words.nothing}</Text>}
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        {templates.map(one => (
          <Template
            key={`${one.template?.kind} ${one.template?.namespace}/${one.template?.name}`}
            rehearsed={one}
          />
        ))}
      </SimpleGrid>
      {templates.length < total && <Text size="sm">{words.worst(templates.length, total)}</Text>}
      {[...unread, ...assumptions].map(sentence => (
        <Text key={sentence} size="sm" c="dimmed">
          <ServerWords text={sentence} />
        </Text>
      ))}
    </Stack>
  )
}

const Count = ({ color, text }: { readonly color: string; readonly text: string }) => (
  <Badge variant="default" size="lg" tt="none" leftSection={<Dot color={color} />}>
    {text}
  </Badge>
)

const looks = {
  [Outcome.OUTCOME_UNSPECIFIED]: { word: 'moves', color: 'gray' },
  [Outcome.MOVES]: { word: 'moves', color: 'green' },
  [Outcome.SHRINKS]: { word: 'shrinks', color: 'orange' },
  [Outcome.NOWHERE]: { word: 'nowhere', color: 'red' },
} as const

function Template({ rehearsed }: { readonly rehearsed: RehearsedTemplate }) {
  const words = useRehearseWords()
  const { template, outcome, leaving, placement: decided, note } = rehearsed
  const { word, color } = looks[outcome] ?? looks[Outcome.OUTCOME_UNSPECIFIED]
  return (
    <Paper withBorder p="sm">
      <Stack gap="xs">
        <Group justify="space-between">
          <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
            {template?.kind} {[template?.namespace, template?.name].filter(Boolean).join('/')}
          </Text>
          <Badge variant="default" tt="none" leftSection={<Dot color={color} />}>
            {words.outcome[word]}
          </Badge>
        </Group>
        {leaving
          .filter(({ afterSeconds }) => afterSeconds > 0)
          .map(({ cluster, afterSeconds }) => (
            <Text key={cluster} size="sm">
              {words.later(cluster, afterSeconds)}
            </Text>
          ))}
        {note && (
          <Text size="sm">
            <ServerWords text={note} />
          </Text>
        )}
        {decided && <PlacementTable placement={decided} />}
      </Stack>
    </Paper>
  )
}
