import { Group, Pagination, Stack, Table, Text, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { type ReactNode, useState } from 'react'
import type { Page } from '../live/live-page.js'
import { useWords } from '../words/use-words.js'
import { Freshness } from './freshness.js'
import { type ListSearch, ROWS } from './list-search.js'
import { Problem } from './problem.js'
import { SCROLLABLE } from './scrollable.js'
import { TableHead } from './table-head.js'

/** A reader who types is not asked for at each letter, milliseconds. */
const TYPING_MS = 200

/** One column: its title, and what a row shows in it. The first is the row's name. */
export interface Column<T> {
  readonly title: string
  readonly cell: (row: T) => ReactNode
}

/** A list as a table: found by name, paged by the server, live, and saying so. */
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
}: {
  /** What the table is of, for those who hear it. */
  readonly label: string
  readonly live: Page<T>
  readonly columns: readonly Column<T>[]
  readonly keyOf: (row: T) => string
  readonly search: ListSearch
  readonly change: (search: ListSearch) => void
  /** Said where there is nothing. */
  readonly empty: string
  readonly tools?: ReactNode
  /** What the text field finds by, where it is not the name of the rows. */
  readonly findLabel?: string
  /** Whether rows are found by name. */
  readonly finds?: boolean
}) {
  const { list } = useWords()
  const { find = '', page = 1 } = search
  const [typed, setTyped] = useState(find)
  const findSoon = useDebouncedCallback((text: string) => change(text ? { find: text } : {}), TYPING_MS)
  const pages = Math.ceil(live.total / ROWS)
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
          <Text size="sm" c="dimmed">
            {list.count(live.total)}
          </Text>
          <Freshness page={live} />
        </Group>
      </Group>
      {live.state !== 'live' && live.problem && <Problem error={live.problem} />}
      {live.state !== 'loading' && live.items.length === 0 && (
        <Text c="dimmed">{find ? list.noMatch(find) : empty}</Text>
      )}
      {live.items.length > 0 && (
        <Table.ScrollContainer minWidth={760} scrollAreaProps={SCROLLABLE}>
          <Table highlightOnHover verticalSpacing="xs" aria-label={label}>
            <TableHead titles={columns.map(({ title }) => title)} />
            <Table.Tbody>
              {live.items.map(row => (
                <Table.Tr key={keyOf(row)}>
                  {columns.map(({ title, cell }, index) =>
                    index === 0 ? (
                      <Table.Th key={title} scope="row">
                        {cell(row)}
                      </Table.Th>
                    ) : (
                      <Table.Td key={title}>{cell(row)}</Table.Td>
                    ),
                  )}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {pages > 1 && (
        <Pagination
          total={pages}
          value={page}
          onChange={next => change({ ...search, page: next })}
          getItemProps={number => ({ 'aria-label': `${list.page} ${number}` })}
          getControlProps={control => ({ 'aria-label': list.turn[control] })}
        />
      )}
    </Stack>
  )
}
