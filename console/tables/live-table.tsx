import { Alert, Button, Group, Stack, Table, Text, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { memo, type ReactNode, useCallback, useEffect, useState } from 'react'
import { Problem } from '../failures/problem.js'
import { isDenied } from '../live/denied.js'
import { type Page, rowAt } from '../live/page.js'
import { Freshness } from '../parts/freshness.js'
import { clockText } from '../parts/time.js'
import { useWords } from '../words/use-words.js'
import type { ListSearch } from './list-search.js'
import { SCROLLABLE } from './scrollable.js'
import { MOST_ROWS, ScrollingTable } from './scrolling-table.js'
import { TableHead } from './table-head.js'

/** The pause after typing before the list is searched, milliseconds. */
const TYPING_MS = 200

/** The pause after scrolling before the address is updated, milliseconds. */
const SCROLLING_MS = 300
/** Rows before and after the visible ones that are read ahead. */
const AHEAD = 20

/** A column: its title, and its cell of a row. The first column is the row's name. */
export interface Column<T> {
  readonly title: string
  readonly cell: (row: T) => ReactNode
}

/** The props of a live table's rows. */
interface RowsProps<T> {
  /** The accessible name of the table. */
  readonly label: string
  readonly live: Page<T>
  readonly columns: readonly Column<T>[]
  readonly keyOf: (row: T) => string
}

/** A live list as a table with a search field and its freshness. A long list scrolls: only the rows around the visible ones are read. */
export function LiveTable<T>({
  label,
  live,
  columns,
  keyOf,
  search,
  change,
  empty,
  tools,
  findLabel,
  finds = true,
}: RowsProps<T> & {
  readonly search: ListSearch
  readonly change: (search: ListSearch) => void
  /** The text of an empty list. */
  readonly empty: string
  readonly tools?: ReactNode
  /** The label of the search field where it does not search names. */
  readonly findLabel?: string
  /** Whether there is a search field. */
  readonly finds?: boolean
}) {
  const { list, locale } = useWords()
  const { find = '', row = 1 } = search
  const [typed, setTyped] = useState(find)
  const findSoon = useDebouncedCallback((text: string) => change(text ? { find: text } : {}), TYPING_MS)
  const scrolled = useDebouncedCallback((first: number) => {
    if (first + 1 === row) return
    const { row: _, ...rest } = search
    change(first === 0 ? rest : { ...rest, row: first + 1 })
  }, SCROLLING_MS)
  return (
    <Stack>
      <Group justify="space-between">
        <Group>
          {finds && (
            <TextInput
              aria-label={findLabel ?? list.find}
              placeholder={findLabel ?? list.find}
              value={typed}
              onChange={event => {
                setTyped(event.currentTarget.value)
                findSoon(event.currentTarget.value)
              }}
              w={220}
            />
          )}
          {tools}
        </Group>
        <Group>
          {live.state !== 'loading' && (
            <Text size="sm" c="dimmed">
              {live.countedAt === undefined
                ? list.count(live.total)
                : list.countedAt(live.total, clockText(live.countedAt, locale))}
            </Text>
          )}
          <Freshness page={live} />
        </Group>
      </Group>
      {live.state === 'read' ? (
        <Alert color="gray" variant="outline">
          <Group justify="space-between">
            <Text size="sm">{list.tooLong(live.total, finds)}</Text>
            <Button size="xs" variant="default" onClick={live.readAgain}>
              {list.readAgain}
            </Button>
          </Group>
        </Alert>
      ) : (
        live.state !== 'live' &&
        live.problem && (
          <Problem error={live.problem} {...(isDenied(live.problem) && { retry: live.readAgain })} />
        )
      )}
      {live.total > MOST_ROWS && (
        <Alert color="gray" variant="outline">
          {list.onlyFirst(MOST_ROWS, live.total, finds)}
        </Alert>
      )}
      {live.state !== 'loading' && live.total === 0 && (
        <Text c="dimmed">{find ? list.noMatch(find) : empty}</Text>
      )}
      <Rows {...{ label, live, columns, keyOf, row, scrolled }} />
    </Stack>
  )
}

/** The rows of a list: all where they fit on one page, the visible ones otherwise. */
function Rows<T>({
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
