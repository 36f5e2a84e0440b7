import { Table } from '@mantine/core'

/** The head of a table: a title for each column. */
export const TableHead = ({
  titles,
  rowIndex,
}: {
  readonly titles: readonly string[]
  /** Set where not all rows are rendered. */
  readonly rowIndex?: number
}) => (
  <Table.Thead>
    <Table.Tr aria-rowindex={rowIndex}>
      {titles.map(title => (
        <Table.Th key={title} scope="col">
          {title}
        </Table.Th>
      ))}
    </Table.Tr>
  </Table.Thead>
)
