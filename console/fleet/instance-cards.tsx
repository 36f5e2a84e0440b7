import { Anchor, Card, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Instance } from '../../proto/gen/kairship/instance_pb.js'
import { Dot } from '../parts/dot.js'
import { StateBadge } from '../parts/state-badge.js'
import { Ago } from '../parts/time.js'
import { useWords } from '../words/use-words.js'
import { Attention } from './attention.js'
import { attentionOf } from './attention-of.js'
import { Capacity } from './capacity.js'
import { namedVersionsOf } from './versions.js'

/** A card for each instance: its state, why it needs attention, and how full its clusters are. */
export const InstanceCards = ({ items }: { readonly items: readonly Instance[] }) => (
  <SimpleGrid cols={{ base: 1, md: 2, xl: 3 }} component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
    {items.map(instance => (
      <InstanceCard key={instance.metadata?.name} instance={instance} />
    ))}
  </SimpleGrid>
)

function InstanceCard({ instance }: { readonly instance: Instance }) {
  const { fleet } = useWords()
  const { metadata, spec, status } = instance
  const name = metadata?.name ?? ''
  const { clusterSummary: clusters, nodeSummary: nodes } = status?.summary ?? {}
  return (
    <Card withBorder component="li" padding="lg">
      <Stack gap="sm" h="100%">
        <Group justify="space-between" wrap="nowrap" align="flex-start">
          <div>
            <Title order={2} size="h4">
              <Anchor component={Link} to="/instances/$name" params={{ name } as never} inherit>
                {name}
              </Anchor>
            </Title>
            <Text size="sm" c="dimmed">
              {spec?.alias}
            </Text>
          </div>
          <StateBadge state={status?.state ?? 0} />
        </Group>
        {attentionOf(instance) && (
          <Text size="sm" lineClamp={3}>
            <Attention instance={instance} />
          </Text>
        )}
        <Group gap="xl" mt="auto">
          <Counted label={fleet.columns.clusters} of={clusters} />
          <Counted label={fleet.columns.nodes} of={nodes} />
        </Group>
        <Group grow align="flex-start">
          <Capacity instance={instance} resource="cpu" />
          <Capacity instance={instance} resource="memory" />
        </Group>
        <Group justify="space-between">
          <Text size="xs" c="dimmed">
            {namedVersionsOf(instance)}
          </Text>
          <Text size="xs" c="dimmed">
            {status?.since && <Ago time={status.since} />}
          </Text>
        </Group>
      </Stack>
    </Card>
  )
}

function Counted({
  label,
  of,
}: {
  readonly label: string
  readonly of: { readonly readyNum: number; readonly totalNum: number } | undefined
}) {
  const { fleet } = useWords()
  return (
    <div>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <Group gap={6} wrap="nowrap">
        {of && of.readyNum < of.totalNum && <Dot color="red" />}
        <Text size="sm">{of ? fleet.ready(of.readyNum, of.totalNum) : '–'}</Text>
      </Group>
    </div>
  )
}
