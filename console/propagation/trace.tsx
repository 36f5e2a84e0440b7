import './trace.css'
import { Alert, Stack, Text, Title } from '@mantine/core'
import type { CSSProperties } from 'react'
import type { TraceLink, TracePropagationResponse } from '../../proto/gen/kairship/placement_pb.js'
import { OthersWords, ServerWords, serverText } from '../failures/server-words.js'
import { useWords } from '../words/use-words.js'
import { colorOf, Link } from './trace-link.js'
import { placedLinks, steps } from './trace-rows.js'

/** The way of a template to its members as a graph: a column for each step. The first broken or waiting link is highlighted, with its fix. */
export function Trace({
  instance,
  trace,
}: {
  readonly instance: string
  readonly trace: TracePropagationResponse
}) {
  const { trace: words, problem } = useWords()
  const { summary, links, first, unread } = trace
  const placed = placedLinks(links)
  return (
    <Stack>
      <Alert
        color={first ? colorOf(first) : 'green'}
        variant="outline"
        title={<ServerWords text={summary} {...(first && { others: first.quoted })} />}
        styles={{ title: { color: 'var(--mantine-color-text)' } }}
      >
        {first?.fix && <Text size="sm">{words.fix(serverText(first.fix, problem))}</Text>}
      </Alert>
      <ol className="trace">
        {steps.map(({ word }, column) => (
          <li key={word}>
            <Title order={3} size="h6" style={{ '--column': column + 1 } as CSSProperties}>
              {words.steps[word]}
            </Title>
            {placed
              .filter(one => one.column === column)
              .map(one => (
                <Link
                  key={`${one.link.cluster} ${one.link.object?.name}`}
                  instance={instance}
                  placed={one}
                  isFirst={isSame(one.link, first)}
                />
              ))}
          </li>
        ))}
      </ol>
      {unread.map(sentence => (
        <Text key={sentence} size="sm" c="dimmed">
          <OthersWords text={sentence} />
        </Text>
      ))}
    </Stack>
  )
}

const isSame = (link: TraceLink, first: TraceLink | undefined): boolean =>
  first !== undefined && link.step === first.step && link.cluster === first.cluster
