import { Table, Text } from '@mantine/core'
import type { Condition } from '../../proto/gen/kairship/types_pb.js'
import { SCROLLABLE } from '../parts/scrollable.js'
import { TableHead } from '../parts/table-head.js'
import { Ago } from '../parts/time.js'
import { useWords } from '../words/use-words.js'

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
              <Table.Td maw={460}>{message}</Table.Td>
              <Table.Td>{lastTransitionTime && <Ago time={lastTransitionTime} />}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}
