import { Table, UnstyledButton } from '@mantine/core'
import { directionOf, type Sort, type SortKey, sortAfterClick } from './sort.js'

/** The sort of a table by the server. */
export interface Sorting {
  readonly sort: Sort | undefined
  /** The columns that the server can sort by, by their titles. */
  readonly keys: Readonly<Record<string, SortKey>>
  readonly change: (sort: Sort | undefined) => void
}

const ARROWS = { ascending: ' ↑', descending: ' ↓', none: '' } as const

/** The head of a table: a title for each column, and a button where the column can be sorted by. */
export const TableHead = ({
  titles,
  rowIndex,
  sorting,
}: {
  readonly titles: readonly string[]
  /** Set where not all rows are rendered. */
  readonly rowIndex?: number
  readonly sorting?: Sorting
}) => (
  <Table.Thead>
    <Table.Tr aria-rowindex={rowIndex}>
      {titles.map(title => {
        const key = sorting?.keys[title]
        if (!sorting || !key)
          return (
            <Table.Th key={title} scope="col">
              {title}
            </Table.Th>
          )
        const { sort, change } = sorting
        const direction = directionOf(sort, key)
        return (
          <Table.Th key={title} scope="col" aria-sort={direction}>
            <UnstyledButton fz="inherit" fw="inherit" onClick={() => change(sortAfterClick(sort, key))}>
              {title}
              <span aria-hidden>{ARROWS[direction]}</span>
            </UnstyledButton>
          </Table.Th>
        )
      })}
    </Table.Tr>
  </Table.Thead>
)
