import { Table, Text } from '@mantine/core'
import type { Condition } from '../../proto/gen/kairship/types_pb.js'
import { ServerWords } from '../failures/server-words.js'
import { SCROLLABLE } from '../tables/scrollable.js'
import { TableHead } from '../tables/table-head.js'
import { useWords } from '../words/use-words.js'
import { Ago } from './time.js'

/** What must hold for the instance to be ready, and whether it does. */
export function Conditions({ conditions }: { readonly conditions: readonly Condition[] }) {
  const { instance } = useWords()
  const { condition: titles, holds } = instance
  return (
    <Table.ScrollContainer minWidth={640} scrollAreaProps={SCROLLABLE}>
      <Table verticalSpacing="xs">
        <TableHead titles={[titles.type, titles.status, titles.reason, titles.message, titles.since]} />
        <Table.Tbody>
          {conditions.map(({ type, status, reason, message, lastTransitionTime }) => (
            <Table.Tr key={type}>
              <Table.Th scope="row">{type}</Table.Th>
              <Table.Td>
                <Text size="sm" fw={status === 'True' ? 400 : 600} {...(status !== 'True' && { c: 'red' })}>
                  {holds[status as keyof typeof holds] ?? status}
                </Text>
              </Table.Td>
              <Table.Td>{reason}</Table.Td>
              <Table.Td maw={460}>
                <ServerWords text={message} />
              </Table.Td>
              <Table.Td>{lastTransitionTime && <Ago time={lastTransitionTime} />}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}
