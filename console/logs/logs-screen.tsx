import { Button, Group, Stack, Switch, Text, TextInput, Title } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { ApiError } from '../../client/errors.js'
import { serviceClient } from '../../client/service-client.js'
import { WorkloadPodsService } from '../../proto/gen/kairship/workload_pods_pb.js'
import { Code } from '../../transcoding/code.js'
import { rest } from '../connection/rest.js'
import { Problem } from '../failures/problem.js'
import { isWorkloadKind, workloadKinds } from '../kube/workload-kinds.js'
import { useFeed } from '../live/use-feed.js'
import { Dot } from '../parts/dot.js'
import { saveAs } from '../parts/download.js'
import { Trail } from '../parts/trail.js'
import { RefusableButton } from '../rights/refusable-button.js'
import { withField } from '../tables/list-search.js'
import { useLogWords } from '../words/logs.js'
import { useNotYetWords } from '../words/not-yet.js'
import { LogFeed } from './log-feed.js'
import { LogFilters } from './log-filters.js'
import type { LogLine } from './log-lines.js'
import { LogRows } from './log-rows.js'
import { type LogSearch, TAIL } from './log-search.js'
import { useLogPlaces } from './use-log-places.js'

const pods = serviceClient(WorkloadPodsService, rest)
const route = getRouteApi('/instances/$name/workloads/$kind/$namespace/$workload/logs')

const colors = {
  connecting: 'gray',
  reading: 'blue',
  following: 'green',
  ended: 'gray',
  broken: 'orange',
  refused: 'red',
} as const

/** Refusals that a retry would get again. */
const FINAL: readonly Code[] = [
  Code.INVALID_ARGUMENT,
  Code.NOT_FOUND,
  Code.PERMISSION_DENIED,
  Code.UNAUTHENTICATED,
  Code.FAILED_PRECONDITION,
]

/** The merged logs of a workload's pods in all of its member clusters. */
export function LogsScreen() {
  const { name: instance, kind: given, namespace, workload: name } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const words = useLogWords()
  const notYet = useNotYetWords()
  const change = (next: LogSearch) => void navigate({ search: next, replace: true })
  const kind = workloadKinds[isWorkloadKind(given) ? given : 'deployments'].kind
  const { cluster, container, find = '', only, previous, follow, tail = TAIL } = search
  const feed = useMemo(
    () =>
      new LogFeed(
        (since, signal) =>
          pods.streamWorkloadLogs(
            {
              instance,
              namespace,
              kind,
              name,
              clusters: cluster ? [cluster] : [],
              containers: container ? [container] : [],
              follow: follow !== false && !previous,
              previous: previous === true,
              ...(since ? { sinceTime: since } : tail > 0 && { tailLines: BigInt(tail) }),
            },
            { signal },
          ),
        {
          follow: follow !== false && !previous,
          isFinal: error => error instanceof ApiError && FINAL.includes(error.code),
        },
      ),
    [instance, namespace, kind, name, cluster, container, follow, previous, tail],
  )
  const { rows, dropped, state, problem } = useFeed(feed)
  const [atEnd, setAtEnd] = useState(true)
  const [wrap, setWrap] = useState(false)
  const places = useLogPlaces(rows, cluster, container)
  const wanted = find.toLowerCase()
  const matching = useMemo(
    () => (wanted === '' ? rows : rows.filter(({ text }) => text.toLowerCase().includes(wanted))),
    [rows, wanted],
  )
  const shown = only ? matching : rows
  return (
    <Stack gap="sm">
      <Trail
        to="/instances/$name/workloads/$kind/$namespace/$workload"
        params={{ name: instance, kind: given, namespace, workload: name }}
        from={`${namespace}/${name}`}
        here={words.title}
      />
      <Group justify="space-between">
        <Title order={2}>{words.of(name)}</Title>
        <Group gap={6} role="status">
          <Dot color={colors[state]} />
          <Text size="sm">{words.states[state]}</Text>
        </Group>
      </Group>
      <LogFilters search={search} change={change} places={places} wrap={wrap} setWrap={setWrap} />
      <Group gap="sm">
        <TextInput
          aria-label={words.find}
          placeholder={words.find}
          value={find}
          onChange={({ currentTarget: { value } }) => change(withField(search, 'find', value || undefined))}
          w={240}
        />
        {find !== '' && (
          <>
            <Text size="sm" role="status">
              {words.matches(matching.length)}
            </Text>
            <Switch
              label={words.onlyMatches}
              checked={only === true}
              onChange={({ currentTarget: { checked } }) =>
                change(withField(search, 'only', checked || undefined))
              }
            />
          </>
        )}
        <Button size="xs" variant="default" onClick={() => feed.clear()}>
          {words.clear}
        </Button>
        <RefusableButton
          size="xs"
          variant="default"
          refusal={shown.length === 0 ? notYet.noLines : undefined}
          onClick={() => saveAs(`${name}.log`, shown.map(textOf).join('\n'))}
        >
          {words.download}
        </RefusableButton>
        {!atEnd && (
          <Button size="xs" onClick={() => setAtEnd(true)}>
            {words.newest} ↓
          </Button>
        )}
      </Group>
      {problem && (state === 'refused' || state === 'broken') && <Problem error={problem} />}
      {dropped > 0 && (
        <Text size="xs" c="dimmed">
          {words.dropped(dropped)}
        </Text>
      )}
      {shown.length === 0 && state !== 'connecting' && (
        <Text c="dimmed">{find === '' ? words.none : words.noMatch(find)}</Text>
      )}
      <LogRows rows={shown} find={find} wrap={wrap} atEnd={atEnd} setAtEnd={setAtEnd} />
    </Stack>
  )
}

const textOf = ({ time, cluster, pod, container, text }: LogLine): string =>
  [time, [cluster, pod, container].filter(Boolean).join('/'), text].filter(Boolean).join(' ')
