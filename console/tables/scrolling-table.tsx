import './scrolling-table.css'
import { Box, Table } from '@mantine/core'
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { Fragment, type ReactNode, useEffect, useRef, useState } from 'react'
import { TableHead } from './table-head.js'

/**
 * Height of each row, pixels: one line, so that the bar, End and an address lead to the same row whichever rows were drawn before. What does not
 * fit is cut, and its title.
 */
const ROW_PX = 40
/** Rows that are drawn before and after those in sight. */
const MARGIN = 10
/** Rows of a table at most: no browser draws an element that is higher than some 17 million pixels (Firefox; Chromium: 33). */
export const MOST_ROWS = 400_000

/** A table of very many rows, of which those in sight are drawn. It scrolls in itself, with the keyboard too, once it or something in it has the focus. */
export function ScrollingTable({
  label,
  titles,
  widths,
  count,
  top = 0,
  row,
  keyOf,
  seen,
}: {
  /** What the table is of, for those who hear it. */
  readonly label: string
  readonly titles: readonly string[]
  /** Of the columns: a table of which a part is there keeps them while it scrolls. Absent: all alike, the first twice as wide. */
  readonly widths?: readonly string[]
  readonly count: number
  /** The row that is at the top at first, counted from 0. */
  readonly top?: number
  /** The cells of a row. */
  readonly row: (index: number) => ReactNode
  readonly keyOf?: (index: number) => string | number
  /** Called with the first and the last row in sight. */
  readonly seen?: (first: number, last: number) => void
}) {
  const scroller = useRef<HTMLDivElement>(null)
  // A row with the focus stays: whoever reads on with the keyboard would be nowhere without it.
  const [held, setHeld] = useState<number>()
  const virtual = useVirtualizer({
    count: Math.min(count, MOST_ROWS),
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: MARGIN,
    initialOffset: top * ROW_PX,
    rangeExtractor: range => {
      const drawn = defaultRangeExtractor(range)
      if (held === undefined || held >= range.count || drawn.includes(held)) return drawn
      return [...drawn, held].sort((one, other) => one - other)
    },
    ...(keyOf && { getItemKey: keyOf }),
  })
  const { startIndex, endIndex } = virtual.range ?? { startIndex: top, endIndex: top }
  useEffect(() => seen?.(startIndex, endIndex), [seen, startIndex, endIndex])
  const items = virtual.getVirtualItems()
  const below = virtual.getTotalSize() - (items.at(-1)?.end ?? 0)
  return (
    <Box ref={scroller} component="section" className="rows" tabIndex={0} aria-label={label}>
      <Table
        layout="fixed"
        stickyHeader
        highlightOnHover
        miw={Math.max(760, titles.length * 130)}
        aria-label={label}
        aria-rowcount={count + 1}
      >
        <colgroup>
          {titles.map((title, index) => (
            <col key={title} style={{ width: widths?.[index] ?? widthOf(index, titles.length) }} />
          ))}
        </colgroup>
        <TableHead titles={titles} rowIndex={1} />
        <Table.Tbody
          onFocus={({ target }) => setHeld(Number(target.closest('tr')?.dataset.index))}
          onBlur={() => setHeld(undefined)}
          onMouseOver={({ target }) => sayCut(target)}
        >
          {items.map(({ key, index, start }, at) => (
            <Fragment key={key}>
              <Gap height={start - (items[at - 1]?.end ?? 0)} />
              <Table.Tr data-index={index} aria-rowindex={index + 2} style={{ height: ROW_PX }}>
                {row(index)}
              </Table.Tr>
            </Fragment>
          ))}
          <Gap height={below} />
        </Table.Tbody>
      </Table>
    </Box>
  )
}

/** Gives a cell that is cut its whole text as its title. */
function sayCut(target: EventTarget): void {
  const cell = target instanceof Element ? target.closest<HTMLElement>('td, th') : undefined
  if (cell && cell.scrollWidth > cell.clientWidth) cell.title = cell.textContent
}

/** Where rows would be that are not drawn. */
const Gap = ({ height }: { readonly height: number }) => (height > 0 ? <tr style={{ height }} /> : null)

const widthOf = (column: number, columns: number): string =>
  `${((column === 0 ? 2 : 1) * 100) / (columns + 1)}%`
