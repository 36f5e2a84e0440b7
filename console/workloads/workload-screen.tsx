import { Anchor, Breadcrumbs, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { serviceClient } from '../../client/service-client.js'
import { PlacementService } from '../../proto/gen/kairship/placement_pb.js'
import { rest } from '../connection/rest.js'
import { useLive } from '../live/use-live.js'
import { WorkloadPods } from '../logs/workload-pods.js'
import { Freshness } from '../parts/freshness.js'
import { Problem } from '../parts/problem.js'
import { useLogWords } from '../words/logs.js'
import { useWords } from '../words/use-words.js'
import { Distribution } from './distribution.js'
import { Trace } from './trace.js'
import { isWorkloadKind, workloadKinds } from './workload.js'
import { WorkloadStateBadge } from './workload-state.js'
import { workloads } from './workloads.js'

const placement = serviceClient(PlacementService, rest)

const route = getRouteApi('/instances/$name/workloads/$kind/$namespace/$workload')

/** One workload: where it runs, and how far it has come on its way to each member. */
export function WorkloadScreen() {
  const { name: instance, kind: given, namespace, workload: name } = route.useParams()
  const kind = isWorkloadKind(given) ? given : 'deployments'
  const { workloads: words, trace: traceWords, problem } = useWords()
  const logWords = useLogWords()
  const queries = useQueryClient()
  const live = useLive(
    () => ({
      ...workloads(kind, { instance, find: name, namespace, only: name }),
    }),
    [kind, instance, namespace, name],
  )
  const shown = live.items.find(({ metadata }) => metadata?.name === name && metadata.namespace === namespace)
  const { kind: word, apiVersion } = workloadKinds[kind]
  const key = ['trace', instance, word, namespace, name]
  const trace = useQuery({
    queryKey: key,
    queryFn: ({ signal }) =>
      placement.tracePropagation({ instance, apiVersion, kind: word, namespace, name }, { signal }),
  })
  // What the members report changes the template's status: the way there is looked at again then.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change of what is shown is a reason to look again
  useEffect(() => {
    void queries.invalidateQueries({ queryKey: key })
  }, [shown])
  if (!isWorkloadKind(given)) return <Title order={2}>{problem.notFound}</Title>
  return (
    <Stack>
      <Breadcrumbs>
        <Anchor
          component={Link}
          to="/instances/$name/workloads"
          params={{ name: instance } as never}
          size="sm"
        >
          {words.title}
        </Anchor>
        <Text size="sm">
          {namespace}/{name}
        </Text>
      </Breadcrumbs>
      <Group justify="space-between">
        <Group>
          <Title order={2}>{name}</Title>
          {shown && <WorkloadStateBadge state={shown.state} />}
          {shown && (
            <Text>
              {words.columns.ready} {shown.ready}/{shown.desired}
            </Text>
          )}
        </Group>
        <Freshness page={live} />
      </Group>
      {live.state === 'live' && !shown && <Text>{words.gone(name)}</Text>}
      {shown && (
        <Paper withBorder p="lg" component="section">
          <Title order={3} size="h4" mb="sm">
            {words.columns.clusters}
          </Title>
          <Distribution clusters={shown.clusters} />
        </Paper>
      )}
      {shown && shown.clusters.length > 0 && (
        <Paper withBorder p="lg" component="section">
          <Group justify="space-between">
            <Title order={3} size="h4">
              {logWords.pods}
            </Title>
            <Anchor
              component={Link}
              to="/instances/$name/workloads/$kind/$namespace/$workload/logs"
              params={{ name: instance, kind: given, namespace, workload: name } as never}
              size="sm"
            >
              {logWords.of(name)}
            </Anchor>
          </Group>
          <WorkloadPods
            instance={instance}
            namespace={namespace}
            kind={word}
            kinds={given}
            name={name}
            clusters={shown.clusters.map(cluster => cluster.name)}
          />
        </Paper>
      )}
      <Paper withBorder p="lg" component="section">
        <Title order={3} size="h4" mb="sm">
          {traceWords.title}
        </Title>
        {trace.error && <Problem error={trace.error} retry={() => void trace.refetch()} />}
        {trace.data && <Trace trace={trace.data} />}
      </Paper>
    </Stack>
  )
}
