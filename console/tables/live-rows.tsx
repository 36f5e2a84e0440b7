import { Table, Text } from '@mantine/core'
import { memo, type ReactNode, useCallback, useEffect } from 'react'
import { type Page, rowAt } from '../live/page.js'
import { useWords } from '../words/use-words.js'
import { SCROLLABLE } from './scrollable.js'
import { ScrollingTable } from './scrolling-table.js'
import { TableHead } from './table-head.js'

/** Rows before and after the visible ones that are read ahead. */
const AHEAD = 20

/** A column: its title, and its cell of a row. The first column is the row's name. */
export interface Column<T> {
  readonly title: string
  readonly cell: (row: T) => ReactNode
}

/** The props of a live table's rows. */
export interface RowsProps<T> {
  /** The accessible name of the table. */
  readonly label: string
  readonly live: Page<T>
  readonly columns: readonly Column<T>[]
  readonly keyOf: (row: T) => string
}

/** The rows of a list: all where they fit on one page, the visible ones otherwise. */
export function Rows<T>({
  label,
  live,
  columns,
  keyOf,
  row,
  scrolled,
}: RowsProps<T> & {
  /** The top row, counted from 1. */
  readonly row: number
  readonly scrolled: (first: number) => void
}) {
  const { showRows, total, pageSize } = live
  const isLong = total > pageSize
  const titles = columns.map(({ title }) => title)
  const onVisible = useCallback(
    (first: number, last: number) => {
      showRows(first - AHEAD, last + AHEAD)
      scrolled(first)
    },
    [showRows, scrolled],
  )
  // Before the total is known, and where the list fits on one page.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a long list is at the position to which the user scrolled
  useEffect(() => {
    if (!isLong) showRows(total > 0 ? 0 : row - 1, total > 0 ? 0 : row - 1)
  }, [showRows, isLong])
  if (isLong)
    return (
      <ScrollingTable
        label={label}
        titles={titles}
        count={total}
        top={row - 1}
        onVisible={onVisible}
        row={index => <Cells columns={columns} row={rowAt(live, index)} />}
      />
    )
  if (live.items.length === 0) return null
  return (
    <Table.ScrollContainer minWidth={760} scrollAreaProps={SCROLLABLE}>
      <Table highlightOnHover verticalSpacing="xs" aria-label={label}>
        <TableHead titles={titles} />
        <Table.Tbody>
          {live.items.map(one => (
            <Table.Tr key={keyOf(one)}>
              <Cells columns={columns} row={one} />
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

const Cells = memo(function Cells<T>({
  columns,
  row,
}: {
  readonly columns: readonly Column<T>[]
  /** Undefined while its page is being read. */
  readonly row: T | undefined
}) {
  const { live } = useWords()
  if (row === undefined)
    return (
      <Table.Td colSpan={columns.length} aria-busy>
        <Text size="sm" c="dimmed">
          {live.loading}
        </Text>
      </Table.Td>
    )
  return columns.map(({ title, cell }, index) =>
    index === 0 ? (
      <Table.Th key={title} scope="row">
        {cell(row)}
      </Table.Th>
    ) : (
      <Table.Td key={title}>{cell(row)}</Table.Td>
    ),
  )
}) as <T>(props: { readonly columns: readonly Column<T>[]; readonly row: T | undefined }) => ReactNode
