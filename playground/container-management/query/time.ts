import { QueryError } from './query-error.js'

const FORMATS = [
  {
    shape: /T/,
    pattern: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/,
    read: (text: string) => text,
  },
  {
    shape: / /,
    pattern: /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/,
    read: (text: string) => `${text.replace(' ', 'T')}Z`,
  },
  { shape: /-/, pattern: /^\d{4}-\d\d-\d\d$/, read: (text: string) => `${text}T00:00:00Z` },
] as const

/**
 * Reads a time as Clusterpedia does: RFC 3339, `2006-01-02 15:04:05`, a date, or a Unix time of 10 (s) or 13 (ms) digits.
 * @returns milliseconds, undefined for the empty text
 * @throws QueryError
 */
export function parseTime(text: string, parameter: string): number | undefined {
  const trimmed = text.trim()
  if (trimmed === '') return undefined
  const format = FORMATS.find(({ shape }) => shape.test(trimmed))
  const value = format
    ? format.pattern.test(trimmed)
      ? Date.parse(format.read(trimmed))
      : Number.NaN
    : unixTime(trimmed)
  if (!Number.isNaN(value)) return value
  throw new QueryError(
    `Invalid Query ${parameter}(${trimmed}): Invalid datetime: ${trimmed}, a valid datetime format: RFC3339, Datetime(2006-01-02 15:04:05), Date(2006-01-02), Unix Timestamp`,
  )
}

function unixTime(text: string): number {
  if (!/^\d+$/.test(text)) return Number.NaN
  if (text.length === 10) return Number(text) * 1000
  if (text.length === 13) return Number(text)
  throw new QueryError(
    'Invalid timestamp: only timestamps with string lengths of 10(as s) and 13(as ms) are supported',
  )
}
