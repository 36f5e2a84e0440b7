import { Badge, Group, List, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { ApiError } from '../../client/errors.js'
import type { Explanation } from '../../proto/gen/kairship/instance_pb.js'
import { Code } from '../../transcoding/code.js'
import { NotReady } from '../clusters/not-ready.js'
import { Problem } from '../failures/problem.js'
import { ServerWords } from '../failures/server-words.js'
import { Capacity } from '../fleet/capacity.js'
import { namedVersionsOf } from '../fleet/versions.js'
import { Freshness } from '../parts/freshness.js'
import { Section } from '../parts/section.js'
import { StateBadge } from '../parts/state-badge.js'
import { Ago } from '../parts/time.js'
import { Conditions } from '../tables/conditions.js'
import { useSettingWords } from '../words/settings.js'
import { useWords } from '../words/use-words.js'
import { Connect } from './connect.js'
import { useExplanation } from './explanation.js'
import { Lifecycle } from './lifecycle.js'
import { NoInstance } from './no-instance.js'
import { Transitions } from './transitions.js'

const route = getRouteApi('/instances/$name/')

/** One control plane: its state with reasons, lifecycle, capacity, conditions and transitions. */
export function InstanceScreen() {
  const { name } = route.useParams()
  const { instance: words } = useWords()
  const { data, error, refetch, freshness } = useExplanation(name)
  const isGone = error instanceof ApiError && error.code === Code.NOT_FOUND
  if (isGone && !data) return <NoInstance name={name} />
  return (
    <Stack>
      {error && (
        <Problem
          error={isGone ? new Error(words.gone(name)) : error}
          {...(!isGone && { retry: () => void refetch() })}
        />
      )}
      {data && <Details name={name} explanation={data} freshness={freshness} />}
    </Stack>
  )
}

function Details({
  name,
  explanation,
  freshness,
}: {
  readonly name: string
  readonly explanation: Explanation
  readonly freshness: ReturnType<typeof useExplanation>['freshness']
}) {
  const { instance: words } = useWords()
  const { notReady } = useSettingWords()
  const { instance, configuration, pending, transitions, leader } = explanation
  if (!instance) return null
  const { spec, status } = instance
  const clusters = status?.summary?.clusterSummary
  return (
    <>
      <Group justify="space-between" align="flex-start">
        <div>
          <Title order={1} size="h2">
            {name}
          </Title>
          <Text c="dimmed">
            {[spec?.alias, namedVersionsOf(instance), status?.endpoint].filter(Boolean).join(' · ')}
          </Text>
        </div>
        <Group>
          <Freshness page={freshness} />
          {status?.since && (
            <Text size="sm" c="dimmed">
              <Ago time={status.since} />
            </Text>
          )}
          <StateBadge state={status?.state ?? 0} />
        </Group>
      </Group>
      <Section order={2} title={words.why}>
        {pending.length > 0 ? (
          <List size="sm">
            {pending.map(sentence => (
              <List.Item key={sentence}>
                <ServerWords text={sentence} />
              </List.Item>
            ))}
          </List>
        ) : (
          <Text size="sm">{words.calm}</Text>
        )}
        {leader && (
          <Text size="xs" c="dimmed" mt="xs">
            {words.leader(leader)}
          </Text>
        )}
      </Section>
      {clusters && clusters.readyNum < clusters.totalNum && (
        <Section order={2} title={notReady}>
          <NotReady instance={name} summary={clusters} />
        </Section>
      )}
      <Section order={2} title={words.lifecycle}>
        <Lifecycle configuration={configuration} state={status?.state ?? 0} />
        <Group gap="xs" mt="sm" aria-label={words.regions}>
          {regionsOf(configuration).map(region => (
            <Badge key={region} variant="default" tt="none">
              {region}
            </Badge>
          ))}
        </Group>
      </Section>
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <Section order={2} title={words.capacity}>
          <Group grow>
            <Capacity instance={instance} resource="cpu" />
            <Capacity instance={instance} resource="memory" />
          </Group>
        </Section>
        <Section order={2} title={words.connect}>
          <Connect name={name} />
        </Section>
      </SimpleGrid>
      <Section order={2} title={words.conditions}>
        <Conditions of="instance" conditions={status?.conditions ?? []} />
      </Section>
      <Section order={2} title={words.transitions}>
        <Transitions transitions={transitions} />
      </Section>
    </>
  )
}

/** The innermost states; their parents follow from them. */
const regionsOf = (configuration: readonly string[]): readonly string[] =>
  configuration.filter(path => !configuration.some(other => other.startsWith(`${path}.`))).sort()
