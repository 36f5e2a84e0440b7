import { Alert, Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { Fragment } from 'react'
import {
  TraceLink_State as State,
  TraceLink_Step as Step,
  type TraceLink,
  type TracePropagationResponse,
} from '../../proto/gen/kairship/placement_pb.js'
import { OthersWords, ServerWords, serverText } from '../failures/server-words.js'
import { Dot } from '../parts/dot.js'
import { useWords } from '../words/use-words.js'

const steps = [
  { step: Step.TEMPLATE, word: 'template' },
  { step: Step.POLICY, word: 'policy' },
  { step: Step.BINDING, word: 'binding' },
  { step: Step.SCHEDULING, word: 'scheduling' },
  { step: Step.WORK, word: 'work' },
  { step: Step.MEMBER, word: 'member' },
] as const

const colors: Readonly<Record<State, string>> = {
  [State.STATE_UNSPECIFIED]: 'gray',
  [State.DONE]: 'green',
  [State.WAITING]: 'blue',
  [State.BROKEN]: 'red',
  [State.UNKNOWN]: 'gray',
}

/** The way of a template to its members, a column for each step. The first broken or waiting link is highlighted, with its fix. */
export function Trace({ trace }: { readonly trace: TracePropagationResponse }) {
  const { trace: words, problem } = useWords()
  const { summary, links, first, unread } = trace
  return (
    <Stack>
      <Alert
        color={first ? colors[first.state] : 'green'}
        variant="outline"
        title={<ServerWords text={summary} {...(first && { others: first.quoted })} />}
        styles={{ title: { color: 'var(--mantine-color-text)' } }}
      >
        {first?.fix && <Text size="sm">{words.fix(serverText(first.fix, problem))}</Text>}
      </Alert>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3, lg: 6 }} spacing="sm" component="ol" p={0} m={0}>
        {steps.map(({ step, word }) => (
          <Stack key={word} gap="xs" component="li" style={{ listStyle: 'none' }}>
            <Title order={3} size="h6">
              {words.steps[word]}
            </Title>
            {links
              .filter(link => link.step === step)
              .map(link => (
                <Link
                  key={`${link.cluster} ${link.object?.name}`}
                  link={link}
                  isFirst={isSame(link, first)}
                />
              ))}
          </Stack>
        ))}
      </SimpleGrid>
      {unread.map(sentence => (
        <Text key={sentence} size="sm" c="dimmed">
          <OthersWords text={sentence} />
        </Text>
      ))}
    </Stack>
  )
}

/** A kind that may wrap between its words: `Propagation` `Policy`. */
const WrappingKind = ({ of }: { readonly of: string }) =>
  of.split(/(?<=[a-z])(?=[A-Z])/).map((word, at) => (
    <Fragment key={word}>
      {at > 0 && <wbr />}
      {word}
    </Fragment>
  ))

function Link({ link, isFirst }: { readonly link: TraceLink; readonly isFirst: boolean }) {
  const { trace: words } = useWords()
  const { cluster, object, state, reason, message, quoted } = link
  const color = colors[state] ?? 'gray'
  return (
    <Paper
      withBorder
      p="xs"
      {...(isFirst && {
        style: { borderColor: `var(--mantine-color-${color}-filled)`, borderWidth: 2 },
      })}
    >
      <Group gap={6} wrap="nowrap">
        <Dot color={color} />
        <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
          {cluster || <WrappingKind of={object?.kind ?? ''} />}
        </Text>
      </Group>
      <Text size="xs" style={{ overflowWrap: 'anywhere' }}>
        {object?.name}
      </Text>
      <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {words.states[State[state] as keyof typeof words.states] ?? ''} ·{' '}
        {message ? <ServerWords text={message} others={quoted} /> : reason}
      </Text>
    </Paper>
  )
}

const isSame = (link: TraceLink, first: TraceLink | undefined): boolean =>
  first !== undefined && link.step === first.step && link.cluster === first.cluster
