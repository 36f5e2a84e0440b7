import { Table } from '@mantine/core'

/** The head of a table: a title for each column. */
export const TableHead = ({ titles }: { readonly titles: readonly string[] }) => (
  <Table.Thead>
    <Table.Tr>
      {titles.map(title => (
        <Table.Th key={title} scope="col">
          {title}
        </Table.Th>
      ))}
    </Table.Tr>
  </Table.Thead>
)
