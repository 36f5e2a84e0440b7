import { Group, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { Cluster } from '../../proto/gen/kairship/cluster_pb.js'
import { Problem } from '../failures/problem.js'
import { useLive } from '../live/use-live.js'
import { Freshness } from '../parts/freshness.js'
import { Section } from '../parts/section.js'
import { Trail } from '../parts/trail.js'
import { WholeBadge } from '../parts/whole-badge.js'
import { MayButton } from '../rights/may.js'
import { Conditions } from '../tables/conditions.js'
import { useClusterWords } from '../words/clusters.js'
import { useWords } from '../words/use-words.js'
import { taintText } from './cluster-fields.js'
import { clusters } from './clusters.js'
import { CordonCluster, isCordoned } from './cordon-cluster.js'
import { EditCluster } from './edit-cluster.js'
import { PlacedHere } from './placed-here.js'
import { Nodes, Readiness, Used } from './readiness.js'
import { RemoveCluster } from './remove-cluster.js'

const route = getRouteApi('/instances/$name/clusters/$cluster')

/** One member cluster: its state, capacity, workloads and actions. */
export function ClusterScreen() {
  const { name: instance, cluster: name } = route.useParams()
  const words = useClusterWords()
  const { clusters: listWords } = useWords()
  const live = useLive(() => clusters(instance, { find: name }, name), [instance, name])
  const cluster = live.items.find(({ metadata }) => metadata?.name === name)
  const [shown, setShown] = useState<Shown>()
  const close = () => setShown(undefined)
  return (
    <Stack>
      <Trail to="/instances/$name/clusters" params={{ name: instance }} from={listWords.title} here={name} />
      <Group justify="space-between">
        <Group>
          <Title order={2}>{name}</Title>
          {cluster && <Readiness cluster={cluster} />}
        </Group>
        <Freshness page={live} />
      </Group>
      {live.state !== 'live' && live.problem && <Problem error={live.problem} />}
      {live.state === 'live' && !cluster && <Text>{words.gone(name)}</Text>}
      {cluster && (
        <>
          <Actions instance={instance} cluster={cluster} show={setShown} />
          <Details instance={instance} cluster={cluster} />
        </>
      )}
      {cluster && shown === 'edit' && <EditCluster instance={instance} cluster={cluster} close={close} />}
      {cluster && shown === 'cordon' && <CordonCluster instance={instance} cluster={cluster} close={close} />}
      {shown === 'remove' && <RemoveCluster instance={instance} name={name} close={close} />}
    </Stack>
  )
}

/** The dialog that is open. */
type Shown = 'edit' | 'cordon' | 'remove'

function Actions({
  instance,
  cluster,
  show,
}: {
  readonly instance: string
  readonly cluster: Cluster
  readonly show: (what: Shown) => void
}) {
  const words = useClusterWords()
  const { joint } = useWords()
  const name = cluster.metadata?.name ?? ''
  const update = { instance, verb: 'update', group: 'cluster.karmada.io', resource: 'clusters', name }
  return (
    <Stack gap="xs">
      <Group>
        <MayButton wanted={update} size="xs" variant="default" onClick={() => show('edit')}>
          {words.edit}
        </MayButton>
        <MayButton wanted={update} size="xs" variant="default" onClick={() => show('cordon')}>
          {isCordoned(cluster) ? words.uncordon : words.cordon}
        </MayButton>
        <MayButton
          wanted={{ verb: 'delete', resource: 'instances/clusters', name: instance }}
          size="xs"
          variant="outline"
          color="red"
          onClick={() => show('remove')}
        >
          {words.remove}
        </MayButton>
      </Group>
      <Text size="sm" c="dimmed">
        {isCordoned(cluster) ? words.cordoned : joint.of(words.cordon, words.cordonHelp)}
      </Text>
    </Stack>
  )
}

function Details({ instance, cluster }: { readonly instance: string; readonly cluster: Cluster }) {
  const words = useClusterWords()
  const { clusters: listWords } = useWords()
  const { metadata, spec, status } = cluster
  const facts: readonly (readonly [string, ReactNode])[] = [
    [listWords.columns.version, status?.kubernetesVersion],
    [words.mode, spec?.syncMode],
    [words.server, spec?.apiEndpoint],
    [words.provider, spec?.providerName],
    [listWords.columns.place, [spec?.region, ...(spec?.zones ?? [])].filter(Boolean).join(' · ')],
    [listWords.columns.nodes, <Nodes key="nodes" cluster={cluster} />],
  ]
  const labels = Object.entries(metadata?.labels ?? {}).map(([key, value]) => `${key}=${value}`)
  return (
    <>
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <Section title={words.facts}>
          <dl className="facts">
            {facts.map(([term, fact]) => (
              <div key={term}>
                <dt>{term}</dt>
                <dd>{fact || '–'}</dd>
              </div>
            ))}
          </dl>
        </Section>
        <Section title={words.capacity}>
          <Group grow>
            <Used cluster={cluster} resource="cpu" />
            <Used cluster={cluster} resource="memory" />
          </Group>
          <Marks title={words.labels} marks={labels} />
          <Marks title={words.taints} marks={(spec?.taints ?? []).map(taintText)} />
        </Section>
      </SimpleGrid>
      <Section title={words.placed}>
        <PlacedHere instance={instance} cluster={metadata?.name ?? ''} />
      </Section>
      <Section title={words.conditions}>
        <Conditions of="cluster" conditions={status?.conditions ?? []} />
      </Section>
    </>
  )
}

function Marks({ title, marks }: { readonly title: string; readonly marks: readonly string[] }) {
  const words = useClusterWords()
  return (
    <>
      <Text fw={600} size="sm" mt="md">
        {title}
      </Text>
      <Group gap={4}>
        {marks.length === 0 && <Text size="sm">{words.none}</Text>}
        {marks.map(mark => (
          <WholeBadge key={mark} text={mark} />
        ))}
      </Group>
    </>
  )
}
