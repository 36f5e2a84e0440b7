import './scrolling-table.css'
import { Box, Table } from '@mantine/core'
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { Fragment, type ReactNode, useEffect, useRef, useState } from 'react'
import { TableHead } from './table-head.js'

/**
 * The height of each row, pixels. All rows have one line, so that the scroll bar, End and an address lead to the same row whichever rows were
 * rendered. Text that does not fit is cut and becomes the cell's title.
 */
const ROW_PX = 40
/** Rows that are rendered before and after the visible ones. */
const MARGIN = 10
/** The most rows of a table. Browsers render no element that is higher than some 17 million pixels (Firefox; Chromium: 33 million). */
export const MOST_ROWS = 400_000

/** A table of very many rows that renders the visible ones. It scrolls inside, also with the keyboard once it or an element in it has the focus. */
export function ScrollingTable({
  label,
  titles,
  widths,
  count,
  top = 0,
  row,
  keyOf,
  onVisible,
}: {
  /** The accessible name of the table. */
  readonly label: string
  readonly titles: readonly string[]
  /** The widths of the columns, so that they stay the same while other rows are rendered. Absent: all alike, the first twice as wide. */
  readonly widths?: readonly string[]
  readonly count: number
  /** The top row at first, counted from 0. */
  readonly top?: number
  /** The cells of a row. */
  readonly row: (index: number) => ReactNode
  readonly keyOf?: (index: number) => string | number
  /** Called with the first and the last visible row. */
  readonly onVisible?: (first: number, last: number) => void
}) {
  const scroller = useRef<HTMLDivElement>(null)
  // A row with the focus stays rendered: the keyboard's place would be lost with it.
  const [focusedRow, setFocusedRow] = useState<number>()
  const virtual = useVirtualizer({
    count: Math.min(count, MOST_ROWS),
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: MARGIN,
    initialOffset: top * ROW_PX,
    rangeExtractor: range => {
      const drawn = defaultRangeExtractor(range)
      if (focusedRow === undefined || focusedRow >= range.count || drawn.includes(focusedRow)) return drawn
      return [...drawn, focusedRow].sort((one, other) => one - other)
    },
    ...(keyOf && { getItemKey: keyOf }),
  })
  const { startIndex, endIndex } = virtual.range ?? { startIndex: top, endIndex: top }
  useEffect(() => onVisible?.(startIndex, endIndex), [onVisible, startIndex, endIndex])
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
          onFocus={({ target }) => setFocusedRow(Number(target.closest('tr')?.dataset.index))}
          onBlur={() => setFocusedRow(undefined)}
          onMouseOver={({ target }) => setCutTitle(target)}
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

/** Sets the title of a cut cell to its whole text. */
function setCutTitle(target: EventTarget): void {
  const cell = target instanceof Element ? target.closest<HTMLElement>('td, th') : undefined
  if (cell && cell.scrollWidth > cell.clientWidth) cell.title = cell.textContent
}

/** Takes the height of the rows that are not rendered. */
const Gap = ({ height }: { readonly height: number }) => (height > 0 ? <tr style={{ height }} /> : null)

const widthOf = (column: number, columns: number): string =>
  `${((column === 0 ? 2 : 1) * 100) / (columns + 1)}%`
