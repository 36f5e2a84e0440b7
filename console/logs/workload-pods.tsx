import { Anchor, Group, Table, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { PodStatus_Phase as Phase, type Pod } from '../../proto/gen/kairship/core_pb.js'
import { Problem } from '../failures/problem.js'
import { useLive } from '../live/use-live.js'
import { Dot } from '../parts/dot.js'
import { Freshness } from '../parts/freshness.js'
import { SCROLLABLE } from '../tables/scrollable.js'
import { TableHead } from '../tables/table-head.js'
import { useLogWords } from '../words/logs.js'
import { useWords } from '../words/use-words.js'
import { type PodsOf, podsOf } from './pods.js'

const colors: Readonly<Partial<Record<Phase, string>>> = {
  [Phase.Running]: 'green',
  [Phase.Succeeded]: 'gray',
  [Phase.Pending]: 'blue',
  [Phase.Failed]: 'red',
}

/** The pods of a workload in each of its member clusters, with links to their logs and terminals. */
export function WorkloadPods({
  clusters,
  kinds,
  ...of
}: Omit<PodsOf, 'cluster'> & {
  readonly clusters: readonly string[]
  /** The kind's name in addresses. */
  readonly kinds: string
}) {
  return clusters.map(cluster => <ClusterPods key={cluster} {...of} cluster={cluster} kinds={kinds} />)
}

function ClusterPods({ kinds, ...of }: PodsOf & { readonly kinds: string }) {
  const words = useLogWords()
  const { instance, cluster, namespace, kind, name } = of
  const live = useLive(() => podsOf(of), [instance, cluster, namespace, kind, name])
  const { joint } = useWords()
  const { columns } = words
  return (
    <section aria-label={joint.of(words.pods, cluster)}>
      <Group justify="space-between" mt="sm">
        <Text fw={600} size="sm">
          {cluster}
        </Text>
        <Freshness page={live} />
      </Group>
      {live.state !== 'live' && live.problem && <Problem error={live.problem} />}
      {live.state === 'live' && live.items.length === 0 && (
        <Text size="sm" c="dimmed">
          {words.noPods}
        </Text>
      )}
      {live.items.length > 0 && (
        <Table.ScrollContainer minWidth={560} scrollAreaProps={SCROLLABLE}>
          <Table verticalSpacing={4} aria-label={words.podsOf(name)}>
            <TableHead
              titles={[columns.pod, columns.phase, columns.ready, columns.restarts, columns.actions]}
            />
            <Table.Tbody>
              {live.items.map(pod => (
                <Row key={pod.metadata?.name} pod={pod} of={of} kinds={kinds} />
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </section>
  )
}

function Row({ pod, of, kinds }: { readonly pod: Pod; readonly of: PodsOf; readonly kinds: string }) {
  const words = useLogWords()
  const { metadata, status, spec } = pod
  const { instance, cluster, namespace, name } = of
  const phase = status?.phase ?? Phase.Unknown
  const [container] = spec?.containers ?? []
  return (
    <Table.Tr>
      <Table.Th scope="row">{metadata?.name}</Table.Th>
      <Table.Td>
        <Group gap={6} wrap="nowrap">
          <Dot color={colors[phase] ?? 'gray'} />
          {Phase[phase]}
        </Group>
      </Table.Td>
      <Table.Td>
        {status?.containerReadyCount}/{status?.containerTotalCount}
      </Table.Td>
      <Table.Td>{status?.restartCount}</Table.Td>
      <Table.Td>
        <Group gap="sm" wrap="nowrap">
          <Anchor
            component={Link}
            to="/instances/$name/workloads/$kind/$namespace/$workload/logs"
            params={{ name: instance, kind: kinds, namespace, workload: name } as never}
            search={{ cluster, find: metadata?.name } as never}
            size="sm"
          >
            {words.logs}
          </Anchor>
          {phase === Phase.Running && (
            <Anchor
              component={Link}
              to="/instances/$name/terminal"
              params={{ name: instance } as never}
              search={{ cluster, namespace, pod: metadata?.name, container: container?.name } as never}
              size="sm"
              aria-label={`${words.terminal} ${metadata?.name}`}
            >
              {words.terminal}
            </Anchor>
          )}
        </Group>
      </Table.Td>
    </Table.Tr>
  )
}
