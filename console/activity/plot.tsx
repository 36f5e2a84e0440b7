import 'uplot/dist/uPlot.min.css'
import { Text, useComputedColorScheme } from '@mantine/core'
import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import { useActivityWords } from '../words/activity.js'
import { useWords } from '../words/use-words.js'

const HEIGHT_PX = 180
/** The possible distances between marks of the time axis, minutes. */
const MINUTES = [1, 2, 5, 10, 15, 30]

/** One line of a plot. */
export interface Line {
  readonly label: string
  /** A colour of the theme, such as `teal`. */
  readonly color: string
  readonly values: readonly (number | undefined)[]
}

/** A plot of values over time. The latest values are also shown as text. */
export function Plot({
  title,
  times,
  lines,
  text,
  most,
}: {
  readonly title: string
  /** Seconds since 1970. */
  readonly times: readonly number[]
  readonly lines: readonly Line[]
  /** Formats a value. */
  readonly text: (value: number) => string
  /** The upper end of the scale; the largest value unless given. */
  readonly most?: number
}) {
  const words = useActivityWords()
  const { locale, joint } = useWords()
  const scheme = useComputedColorScheme('light')
  const element = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(undefined)
  const data: uPlot.AlignedData = [[...times], ...lines.map(({ values }) => [...values])]
  const latest = lines.flatMap(({ label, values }) => {
    const value = values.findLast(each => each !== undefined)
    return value === undefined ? [] : [`${label} ${text(value)}`]
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: new values are set below; the plot is made again only where its look changes
  useEffect(() => {
    const parent = element.current
    if (!parent) return
    const style = getComputedStyle(parent)
    const color = (name: string) => style.getPropertyValue(`--mantine-color-${name}`)
    const axis = {
      stroke: color('text'),
      grid: { stroke: color('default-border'), width: 1 },
      ticks: { stroke: color('default-border'), width: 1 },
    }
    const time = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' })
    const made = new uPlot(
      {
        width: parent.clientWidth,
        height: HEIGHT_PX,
        padding: [8, 32, 0, 0],
        legend: { show: false },
        cursor: { show: false },
        scales: { y: { range: (_, __, max) => [0, most ?? Math.max(1, max * 1.1)] } },
        axes: [
          {
            ...axis,
            incrs: MINUTES.map(minutes => minutes * 60),
            values: (_, splits) => splits.map(split => time.format(split * 1_000)),
          },
          { ...axis, size: 64, values: (_, splits) => splits.map(text) },
        ],
        series: [
          {},
          ...lines.map(line => ({
            label: line.label,
            stroke: color(`${line.color}-filled`),
            width: 2,
            points: { show: true, size: 4 },
          })),
        ],
      },
      data,
      parent,
    )
    plot.current = made
    const resized = new ResizeObserver(() => made.setSize({ width: parent.clientWidth, height: HEIGHT_PX }))
    resized.observe(parent)
    return () => {
      resized.disconnect()
      made.destroy()
      plot.current = undefined
    }
  }, [scheme, locale, lines.length])
  // biome-ignore lint/correctness/useExhaustiveDependencies: `data` is made of these
  useEffect(() => plot.current?.setData(data), [times, lines])
  return (
    <figure style={{ margin: 0 }}>
      <div
        ref={element}
        role="img"
        aria-label={joint.sentences([
          title,
          latest.length === 0 ? words.nothing : words.latest(joint.names(latest)),
        ])}
        style={{ overflow: 'hidden' }}
      />
      <figcaption>
        {lines.map(({ label, color, values }) => {
          const value = values.findLast(each => each !== undefined)
          return (
            <Text key={label} span size="sm" mr="md">
              <svg width="10" height="10" aria-hidden="true" focusable="false">
                <rect width="10" height="10" rx="2" fill={`var(--mantine-color-${color}-filled)`} />
              </svg>{' '}
              {value === undefined ? label : joint.of(label, text(value))}
            </Text>
          )
        })}
      </figcaption>
    </figure>
  )
}
