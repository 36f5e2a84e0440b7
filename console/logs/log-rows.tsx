import './log.css'
import { Box, Text } from '@mantine/core'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef, useState } from 'react'
import { useLogWords } from '../words/logs.js'
import type { LogLine } from './log-lines.js'
import { piecesOf } from './marks.js'

/** The height of a row without wrapping, pixels. */
const ROW_PX = 20
/** Within this distance the log is scrolled to its end, pixels. */
const NEAR_PX = 40

/** The rows of a log. Only the visible ones are rendered. A log that is scrolled to its end stays there. */
export function LogRows({
  rows,
  find,
  wrap,
  atEnd,
  setAtEnd,
}: {
  readonly rows: readonly LogLine[]
  /** The text that is highlighted. */
  readonly find: string
  readonly wrap: boolean
  readonly atEnd: boolean
  readonly setAtEnd: (at: boolean) => void
}) {
  const words = useLogWords()
  const scroller = useRef<HTMLDivElement>(null)
  const [height] = useState(() => Math.max(280, window.innerHeight - 330))
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    getItemKey: index => rows[index]?.id ?? index,
    overscan: 20,
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: new rows scroll to the end again
  useEffect(() => {
    if (atEnd && rows.length > 0) virtual.scrollToIndex(rows.length - 1, { align: 'end' })
  }, [rows, atEnd, wrap])
  return (
    <Box
      ref={scroller}
      component="section"
      aria-label={words.region}
      tabIndex={0}
      className="log"
      style={{ height }}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        const at = scrollHeight - scrollTop - clientHeight < NEAR_PX
        if (at !== atEnd) setAtEnd(at)
      }}
    >
      <div style={{ height: virtual.getTotalSize(), position: 'relative', minWidth: '100%' }}>
        {virtual.getVirtualItems().map(({ key, index, start }) => {
          const row = rows[index]
          return (
            row && (
              <div
                key={key}
                data-index={index}
                ref={wrap ? virtual.measureElement : undefined}
                className={wrap ? 'log-row log-wrapped' : 'log-row'}
                style={{ transform: `translateY(${start}px)` }}
              >
                <Row row={row} find={find} />
              </div>
            )
          )
        })}
      </div>
    </Box>
  )
}

function Row({ row, find }: { readonly row: LogLine; readonly find: string }) {
  const words = useLogWords()
  const { kind, cluster, pod, container, time, text, truncated } = row
  const from = [cluster, pod, container].filter(Boolean).join('/')
  if (kind !== 'line')
    return (
      <Text span inherit c={kind === 'unread' || kind === 'gap' ? 'red' : 'dimmed'} fs="italic">
        {from} {text ? <span lang="en">{text}</span> : kind === 'joined' || kind === 'gap' ? words[kind] : ''}
      </Text>
    )
  return (
    <>
      <span className="log-from" title={`${from} ${time}`}>
        {time.slice(11, 23)} {cluster} {pod}
      </span>{' '}
      <Marked text={text} find={find} />
      {truncated && (
        <Text span inherit c="dimmed" title={words.truncated}>
          {' '}
          …
        </Text>
      )}
    </>
  )
}

/** A text with highlighted matches. */
const Marked = ({ text, find }: { readonly text: string; readonly find: string }) =>
  piecesOf(text, find).map(({ at, text: piece, isMatch }) =>
    isMatch ? <mark key={at}>{piece}</mark> : piece,
  )
