import { Button, Code, Table, Text } from '@mantine/core'
import { useState } from 'react'
import type { Transition } from '../../proto/gen/kairship/instance_pb.js'
import { ServerWords } from '../failures/server-words.js'
import { Ago } from '../parts/time.js'
import { SCROLLABLE } from '../tables/scrollable.js'
import { TableHead } from '../tables/table-head.js'
import { useWords } from '../words/use-words.js'

/** Transitions that are shown at first: a screenful. Older ones are seldom needed. */
const SHOWN = 12

/** The last transitions of the state machine, the newest first. */
export function Transitions({ transitions }: { readonly transitions: readonly Transition[] }) {
  const { instance } = useWords()
  const { transition: titles, noTransitions } = instance
  const [all, setAll] = useState(false)
  if (transitions.length === 0) return <Text size="sm">{noTransitions}</Text>
  const newest = transitions.toReversed().slice(0, all ? undefined : SHOWN)
  return (
    <>
      <Table.ScrollContainer minWidth={700} scrollAreaProps={SCROLLABLE}>
        <Table verticalSpacing="xs">
          <TableHead titles={[titles.time, titles.from, titles.to, titles.event, titles.cause]} />
          <Table.Tbody>
            {newest.map(({ time, from, to, event, cause }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two transitions can have one time
              <Table.Tr key={`${time} ${index}`}>
                <Table.Td>
                  <Ago time={time} />
                </Table.Td>
                <Table.Td>{from}</Table.Td>
                <Table.Td>{to}</Table.Td>
                <Table.Td>
                  <Code>{event}</Code>
                </Table.Td>
                <Table.Td maw={420}>
                  <ServerWords text={cause} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {newest.length < transitions.length && (
        <Button variant="default" size="xs" mt="sm" onClick={() => setAll(true)}>
          {instance.allTransitions(transitions.length)}
        </Button>
      )}
    </>
  )
}
