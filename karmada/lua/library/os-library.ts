import type { LuaState } from '../state.js'
import { LuaTable } from '../table.js'
import type { Arguments, Body } from './arguments.js'

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October'],
  ...['November', 'December'],
]

const two = (value: number): string => String(value).padStart(2, '0')
const clock = (date: Date, sign: string): string =>
  [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].map(two).join(sign)
const monthOf = (date: Date): string => MONTHS[date.getUTCMonth()] ?? ''
const yearOf = (date: Date): string => two(date.getUTCFullYear() % 100)

/** What follows `%` in a format, as Karmada's Lua understands it. */
const formats: Readonly<Record<string, (date: Date) => string>> = {
  a: () => 'mon',
  A: date => DAYS[date.getUTCDay()] ?? '',
  b: date => monthOf(date).slice(0, 3),
  B: monthOf,
  c: date =>
    `${two(date.getUTCDate())} ${monthOf(date).slice(0, 3)} ${yearOf(date)} ${clock(date, ':').slice(0, 5)} UTC`,
  d: date => two(date.getUTCDate()),
  F: date => date.toISOString().slice(0, 10),
  H: date => two(date.getUTCHours()),
  I: date => two(date.getUTCHours() % 12 || 12),
  m: date => two(date.getUTCMonth() + 1),
  M: date => two(date.getUTCMinutes()),
  p: date => (date.getUTCHours() < 12 ? 'AM' : 'PM'),
  P: date => (date.getUTCHours() < 12 ? 'am' : 'pm'),
  S: date => two(date.getUTCSeconds()),
  w: date => String(date.getUTCDay()),
  x: date => clock(date, '/'),
  X: date => clock(date, ':'),
  y: yearOf,
  Y: date => String(date.getUTCFullYear()),
  z: () => '+0000',
  Z: () => 'UTC',
}

/** `os`: the time alone, and always in UTC. */
export const osFunctions = (state: LuaState): Readonly<Record<string, Body>> => ({
  time: args => {
    if (args.count === 0) return [state.now()]
    const fields = args.table(1)
    const field = (name: string, otherwise: number) => {
      const value = fields.get(name)
      return typeof value === 'number' ? Math.trunc(value) : otherwise
    }
    const [year, month, day] = [field('year', -1), field('month', -1), field('day', -1)]
    const [hour, minute, second] = [field('hour', 12), field('min', 0), field('sec', 0)]
    const date = new Date(0)
    date.setUTCFullYear(year, month - 1, day)
    date.setUTCHours(hour, minute, second)
    return [date.getTime() / 1_000]
  },
  date: args => dateOf(state, args),
})

function dateOf(state: LuaState, args: Arguments) {
  const format = (args.count > 0 ? args.string(1) : '%c').replace(/^!+/, '')
  const date = new Date((args.count > 1 ? args.whole(2) : state.now()) * 1_000)
  if (Number.isNaN(date.getTime())) throw state.error('time result cannot be represented')
  if (args.count === 0 || !format.startsWith('*t'))
    return [format.replace(/%(.)/gs, (sign, letter: string) => formats[letter]?.(date) ?? sign)]
  const fields = {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    min: date.getUTCMinutes(),
    sec: date.getUTCSeconds(),
    wday: date.getUTCDay() + 1,
    yday: 0,
    isdst: false,
  }
  const table = new LuaTable()
  for (const [name, value] of Object.entries(fields)) table.set(name, value)
  return [table]
}
