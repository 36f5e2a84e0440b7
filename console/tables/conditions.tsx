import { Table, Text } from '@mantine/core'
import type { Condition } from '../../proto/gen/kairship/types_pb.js'
import { ConditionWords, OthersWords } from '../failures/server-words.js'
import { Ago } from '../parts/time.js'
import { useWords } from '../words/use-words.js'
import { SCROLLABLE } from './scrollable.js'
import { TableHead } from './table-head.js'

/** A table of conditions of an instance, or of a cluster as Karmada reports them. */
export function Conditions({
  conditions,
  of,
}: {
  readonly conditions: readonly Condition[]
  readonly of: 'instance' | 'cluster'
}) {
  const { instance } = useWords()
  const { condition: titles, holds } = instance
  return (
    <Table.ScrollContainer minWidth={640} scrollAreaProps={SCROLLABLE}>
      <Table verticalSpacing="xs">
        <TableHead titles={[titles.type, titles.status, titles.reason, titles.message, titles.since]} />
        <Table.Tbody>
          {conditions.map(condition => {
            const { type, status, reason, message, lastTransitionTime } = condition
            return (
              <Table.Tr key={type}>
                <Table.Th scope="row">{type}</Table.Th>
                <Table.Td>
                  <Text size="sm" fw={status === 'True' ? 400 : 600} {...(status !== 'True' && { c: 'red' })}>
                    {holds[status as keyof typeof holds] ?? status}
                  </Text>
                </Table.Td>
                <Table.Td>{reason}</Table.Td>
                <Table.Td maw={460}>
                  {of === 'instance' ? (
                    <ConditionWords condition={condition} />
                  ) : (
                    <OthersWords text={message} />
                  )}
                </Table.Td>
                <Table.Td>{lastTransitionTime && <Ago time={lastTransitionTime} />}</Table.Td>
              </Table.Tr>
            )
          })}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}
