import { oneLine } from './printable.js'

/** Writes rows in columns, three blanks apart, the way kubectl does. Returns the formatter, so that later rows line up. */
export function columns(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  noHeaders = false,
): {
  readonly text: string
  readonly row: (cells: readonly string[]) => string
} {
  const widths = header.map((title, index) =>
    Math.max(noHeaders ? 0 : title.length, ...rows.map(cells => oneLine(cells[index] ?? '').length)),
  )
  const row = (cells: readonly string[]): string =>
    `${cells
      .map((cell, index) => oneLine(cell).padEnd(widths[index] ?? 0))
      .join('   ')
      .trimEnd()}\n`
  return { text: [...(noHeaders ? [] : [header]), ...rows].map(row).join(''), row }
}

/** How long ago, in kubectl's coarse way: 45s, 12m, 5h, 3d. */
export function age(sinceMs: number, nowMs: number): string {
  const seconds = Math.max(0, Math.floor((nowMs - sinceMs) / 1000))
  if (seconds < 120) return `${seconds}s`
  if (seconds < 7200) return `${Math.floor(seconds / 60)}m`
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)}h`
  return `${Math.floor(seconds / 86_400)}d`
}

/** The age of an object by its creation in milliseconds since 1970, `-` where that is not known. */
export const ageOf = (creationTimestamp: bigint | undefined, nowMs: number): string =>
  creationTimestamp ? age(Number(creationTimestamp), nowMs) : '-'
