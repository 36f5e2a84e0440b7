/** Short names of schedules that Karmada's library knows. */
const NAMED = new Set([
  ...['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@hourly', '@always', '@everysecond'],
  ...['@5minutes', '@10minutes', '@15minutes', '@30minutes'],
])

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

/** What a field may hold: its bounds, names of numbers, and what else it knows. */
interface Field {
  readonly least: number
  readonly most: number
  readonly names?: readonly string[]
  /** The number of the first name. */
  readonly first?: number
  readonly special?: RegExp
}

const FIELDS: readonly Field[] = [
  { least: 0, most: 59 },
  { least: 0, most: 59 },
  { least: 0, most: 23 },
  { least: 1, most: 31, special: /^(L|\d+W)$/i },
  { least: 1, most: 12, names: MONTHS, first: 1 },
  { least: 0, most: 7, names: DAYS, first: 0, special: /^\d(L|#[1-5])$/i },
  { least: 0, most: 9999 },
]

/** Whether a text is a schedule of cron, with seconds before and a year behind if it has them, as Karmada's webhook reads it. */
export function isCron(text: string): boolean {
  const trimmed = text.trim()
  if (NAMED.has(trimmed.toLowerCase())) return true
  const written = trimmed.split(/\s+/)
  if (written.length < 5 || written.length > 7) return false
  const lacksSeconds = written.length === 5 || (written.length === 6 && /\d{4}/.test(written[5] ?? ''))
  const fields = lacksSeconds ? ['0', ...written] : written
  return fields.every((field, at) => field.split(',').every(part => isPart(part, FIELDS[at] as Field)))
}

function isPart(part: string, field: Field): boolean {
  if (part === '*' || part === '?' || field.special?.test(part)) return true
  const [range = '', step, ...more] = part.split('/')
  if (more.length > 0 || (step !== undefined && !(/^\d+$/.test(step) && Number(step) > 0))) return false
  if (range === '*') return step !== undefined
  const [from, to, ...rest] = range.split('-').map(word => numberOf(word, field))
  if (from === undefined || rest.length > 0) return false
  const isIn = (number: number) => number >= field.least && number <= field.most
  if (!range.includes('-')) return isIn(from)
  return to !== undefined && isIn(from) && isIn(to) && from <= to
}

function numberOf(word: string, { names = [], first = 0 }: Field): number | undefined {
  if (/^\d+$/.test(word)) return Number(word)
  const at = names.indexOf(word.toLowerCase())
  return at < 0 ? undefined : at + first
}
