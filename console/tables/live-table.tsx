import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { type ReactNode, useState } from 'react'
import { Problem } from '../failures/problem.js'
import { isDenied } from '../live/denied.js'
import { Freshness } from '../parts/freshness.js'
import { clockText } from '../parts/time.js'
import { useWords } from '../words/use-words.js'
import type { ListSearch } from './list-search.js'
import { Rows, type RowsProps } from './live-rows.js'
import { MOST_ROWS } from './scrolling-table.js'

/** The pause after typing before the list is searched, milliseconds. */
const TYPING_MS = 200

/** The pause after scrolling before the address is updated, milliseconds. */
const SCROLLING_MS = 300
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
