import { Anchor, Badge, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ObjectEdit } from '../editor/object-edit.js'
import { Problem } from '../failures/problem.js'
import { isWorkloadKind, workloadType } from '../kube/workload-kinds.js'
import { useLive } from '../live/use-live.js'
import { WorkloadPods } from '../logs/workload-pods.js'
import { Freshness } from '../parts/freshness.js'
import { Ago } from '../parts/time.js'
import { Trail } from '../parts/trail.js'
import { Distribution } from '../propagation/distribution.js'
import { Propagation } from '../propagation/propagation.js'
import { useLogWords } from '../words/logs.js'
import { useObjectWords } from '../words/objects.js'
import { useWords } from '../words/use-words.js'
import { WorkloadActions } from './actions.js'
import { WorkloadStateBadge } from './workload-state.js'
import { workloads } from './workloads.js'

const route = getRouteApi('/instances/$name/workloads/$kind/$namespace/$workload')

/** One workload: its clusters, pods, and the trace of its propagation. */
export function WorkloadScreen() {
  const { name: instance, kind: given, namespace, workload: name } = route.useParams()
  const kind = isWorkloadKind(given) ? given : 'deployments'
  const objects = useObjectWords()
  const { workloads: words, trace: traceWords, problem } = useWords()
  const { edit } = route.useSearch()
  const navigate = route.useNavigate()
  const logWords = useLogWords()
  const live = useLive(
    () => ({
      ...workloads(kind, { instance, namespace, only: name }),
    }),
    [kind, instance, namespace, name],
  )
  const shown = live.items.find(({ metadata }) => metadata?.name === name && metadata.namespace === namespace)
  if (!isWorkloadKind(given)) return <Title order={2}>{problem.notFound}</Title>
  return (
    <Stack>
      <Trail
        to="/instances/$name/workloads"
        params={{ name: instance }}
        from={words.title}
        here={`${namespace}/${name}`}
      />
      <Group justify="space-between">
        <Group>
          <Title order={2}>{name}</Title>
          {shown && <WorkloadStateBadge state={shown.state} />}
          {shown?.isPaused && <Badge variant="outline">{objects.paused}</Badge>}
          {shown?.note && <Text>{shown.note}</Text>}
          {shown && (
            <Text>
              {words.columns.ready} {shown.ready}/{shown.desired}
            </Text>
          )}
          {shown?.metadata && (
            <Text size="sm" c="dimmed">
              <Ago time={Number(shown.metadata.creationTimestamp)} />
            </Text>
          )}
        </Group>
        <Freshness page={live} />
      </Group>
      {shown && !edit && (
        <WorkloadActions
          instance={instance}
          kind={kind}
          workload={shown}
          edit={() => void navigate({ search: { edit: true } })}
        />
      )}
      {edit && (
        <ObjectEdit
          instance={instance}
          at={{ type: workloadType(kind), namespace, name }}
          close={() => void navigate({ search: {} })}
        />
      )}
      {live.state !== 'live' && live.problem && <Problem error={live.problem} />}
      {live.state === 'live' && !shown && <Text>{words.gone(name)}</Text>}
      {shown && (
        <Paper withBorder p="lg" component="section">
          <Title order={3} size="h4" mb="sm">
            {words.columns.clusters}
          </Title>
          <Distribution clusters={shown.clusters} instance={instance} />
        </Paper>
      )}
      <Paper withBorder p="lg" component="section">
        <Title order={3} size="h4" mb="sm">
          {traceWords.title}
        </Title>
        <Propagation instance={instance} at={{ type: workloadType(kind), namespace, name }} version={shown} />
      </Paper>
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
            kind={workloadType(kind).kind}
            kinds={given}
            name={name}
            clusters={shown.clusters.map(cluster => cluster.name)}
          />
        </Paper>
      )}
    </Stack>
  )
}
