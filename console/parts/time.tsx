import { useSyncExternalStore } from 'react'
import { useWords } from '../words/use-words.js'

/** One timer for all ages on the screen. It runs while an age is shown. */
const TICK_MS = 1_000
const readers = new Set<() => void>()
let ticking: ReturnType<typeof setInterval> | undefined
let now = Date.now()

const subscribe = (reader: () => void) => {
  readers.add(reader)
  ticking ??= setInterval(() => {
    if (document.visibilityState !== 'visible') return
    now = Date.now()
    for (const each of readers) each()
  }, TICK_MS)
  return () => {
    readers.delete(reader)
    if (readers.size > 0) return
    clearInterval(ticking)
    ticking = undefined
  }
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

/** “3 minutes ago”, in a language. */
export function ageOf(time: number, at: number, locale: string): string {
  const seconds = Math.min(0, Math.round((time - at) / 1_000))
  const [unit, size] = UNITS.find(([, each]) => -seconds >= each) ?? UNITS[3]
  return formats(locale).age.format(Math.trunc(seconds / size), unit)
}

const made = new Map<string, ReturnType<typeof formats>>()

/** The time formats of a language. They are cached: making one takes as long as rendering a row. */
function formats(locale: string): {
  readonly age: Intl.RelativeTimeFormat
  readonly exact: Intl.DateTimeFormat
  readonly clock: Intl.DateTimeFormat
} {
  const known = made.get(locale)
  if (known) return known
  const all = {
    age: new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' }),
    exact: new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'long' }),
    clock: new Intl.DateTimeFormat(locale, { timeStyle: 'medium' }),
  }
  made.set(locale, all)
  return all
}

/** The time of day in the user's time zone, to the second. */
export const clockText = (time: number, locale: string): string => formats(locale).clock.format(time)

/** The age of a time; its title is the exact time in the user's time zone. */
export function Ago({ time }: { readonly time: string | number }) {
  const { locale } = useWords()
  const at = useSyncExternalStore(subscribe, () => now)
  const date = new Date(time)
  if (Number.isNaN(date.getTime())) return <span>–</span>
  const exact = formats(locale).exact.format(date)
  return (
    <time dateTime={date.toISOString()} title={exact} style={{ whiteSpace: 'nowrap' }}>
      {ageOf(date.getTime(), at, locale)}
    </time>
  )
}
