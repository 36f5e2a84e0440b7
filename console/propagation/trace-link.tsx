import { Anchor, Group, Paper, Text } from '@mantine/core'
import { Link as RouterLink } from '@tanstack/react-router'
import { type CSSProperties, Fragment } from 'react'
import { TraceLink_State as State, type TraceLink } from '../../proto/gen/kairship/placement_pb.js'
import { ServerWords } from '../failures/server-words.js'
import { Dot } from '../parts/dot.js'
import { useWords } from '../words/use-words.js'
import { ClusterLink } from './cluster-link.js'
import { pageOf } from './trace-pages.js'
import type { PlacedLink } from './trace-rows.js'

const colors: Readonly<Record<State, string>> = {
  [State.STATE_UNSPECIFIED]: 'gray',
  [State.DONE]: 'green',
  [State.WAITING]: 'blue',
  [State.BROKEN]: 'red',
  [State.UNKNOWN]: 'gray',
}

/** The Mantine colour of a link's state. */
export const colorOf = ({ state }: TraceLink): string => colors[state] ?? 'gray'

/**
 * A link of a trace, with its line. Its cluster and object link to their pages, where they have one. @param isFirst the first broken or waiting link
 */
export function Link({
  instance,
  placed: { link, column, row, rows, from, trunkContinues },
  isFirst,
}: {
  readonly instance: string
  readonly placed: PlacedLink
  readonly isFirst: boolean
}) {
  const { trace: words } = useWords()
  const { cluster, object, state, reason, message, quoted } = link
  const page = pageOf(instance, object)
  const place = {
    '--column': column + 1,
    // The first row holds the titles.
    '--row': row + 2,
    '--rows': rows,
    '--line': `var(--mantine-color-${colorOf(link)}-filled)`,
  } as CSSProperties
  return (
    <div
      className="trace-place"
      data-from={from}
      data-state={State[state]}
      data-goes-on={trunkContinues || undefined}
      style={place}
    >
      <Paper withBorder p="xs" className={isFirst ? 'trace-link first' : 'trace-link'}>
        <Group gap={6} wrap="nowrap">
          <Dot color={colorOf(link)} />
          <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
            {cluster ? (
              <ClusterLink instance={instance} cluster={cluster} />
            ) : (
              <WrappingKind of={object?.kind ?? ''} />
            )}
          </Text>
        </Group>
        <Text size="xs" style={{ overflowWrap: 'anywhere' }}>
          {page ? (
            <Anchor component={RouterLink} to={page.to} params={page.params as never} inherit>
              {object?.name}
            </Anchor>
          ) : (
            object?.name
          )}
        </Text>
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {words.states[State[state] as keyof typeof words.states] ?? ''} ·{' '}
          {message ? <ServerWords text={message} others={quoted} /> : reason}
        </Text>
      </Paper>
    </div>
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
