import { Group, Stack, Table, Text, Title } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { Suspense, useMemo } from 'react'
import { Problem } from '../failures/problem.js'
import { lazyComponent } from '../loading/lazy-component.js'
import { Freshness } from '../parts/freshness.js'
import { Section } from '../parts/section.js'
import { TableHead } from '../tables/table-head.js'
import { useActivityWords } from '../words/activity.js'
import { useWords } from '../words/use-words.js'
import { reasonsOf, seriesOf } from './series.js'
import { useActivity } from './use-activity.js'

const Plot = lazyComponent(async () => (await import('./plot.js')).Plot)
const route = getRouteApi('/instances/$name/reads')

/** The last hour of an instance: where its reads were answered and why, the lag of its index, and its capacity. */
export function ActivityScreen() {
  const { name: instance } = route.useParams()
  const words = useActivityWords()
  const { locale } = useWords()
  const view = useActivity(instance)
  const { buckets, bucketMs } = view
  const series = useMemo(() => seriesOf(buckets, bucketMs), [buckets, bucketMs])
  const { times } = series
  const count = (value: number) => value.toLocaleString(locale)
  const percent = (value: number) =>
    (value / 100).toLocaleString(locale, { style: 'percent', maximumFractionDigits: 1 })
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={2}>{words.title}</Title>
        <Freshness page={view} />
      </Group>
      <Text size="sm" c="dimmed">
        {words.help}
      </Text>
      {view.state !== 'live' && view.problem && <Problem error={view.problem} />}
      {times.length > 0 && (
        <Suspense>
          <Section title={words.requests}>
            <Plot
              title={words.requests}
              times={times}
              text={count}
              lines={[
                { label: words.fromIndex, color: 'teal', values: series.fromIndex },
                { label: words.fromKarmada, color: 'orange', values: series.fromKarmada },
                { label: words.writes, color: 'grape', values: series.writes },
              ]}
            />
          </Section>
          <Section title={words.lag}>
            {series.lag.some(value => value !== undefined) ? (
              <Plot
                title={words.lag}
                times={times}
                text={value => `${count(value)} ms`}
                lines={[{ label: words.lagSeries, color: 'blue', values: series.lag }]}
              />
            ) : (
              <Text size="sm">{words.noLag}</Text>
            )}
          </Section>
          <Section title={words.capacity}>
            <Plot
              title={words.capacity}
              times={times}
              text={percent}
              most={100}
              lines={[
                { label: words.cpu, color: 'teal', values: series.cpu },
                { label: words.memory, color: 'blue', values: series.memory },
              ]}
            />
          </Section>
          <Section title={words.reasons}>
            <Reasons buckets={buckets} />
          </Section>
        </Suspense>
      )}
    </Stack>
  )
}

function Reasons({ buckets }: { readonly buckets: Parameters<typeof reasonsOf>[0] }) {
  const words = useActivityWords()
  const { locale } = useWords()
  const reasons = reasonsOf(buckets)
  const all = reasons.reduce((sum, { count }) => sum + count, 0)
  if (all === 0) return <Text size="sm">{words.none}</Text>
  return (
    <Table verticalSpacing="xs">
      <TableHead titles={[words.source, words.reason, words.count, words.share]} />
      <Table.Tbody>
        {reasons.map(({ source, reason, count }) => (
          <Table.Tr key={`${source} ${reason}`}>
            <Table.Td>{words.sources[source as keyof typeof words.sources] ?? source}</Table.Td>
            <Table.Td>{reason}</Table.Td>
            <Table.Td>{count.toLocaleString(locale)}</Table.Td>
            <Table.Td>
              {(count / all).toLocaleString(locale, { style: 'percent', maximumFractionDigits: 1 })}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
