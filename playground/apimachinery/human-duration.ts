const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/**
 * A duration for people, two or three significant figures, as every AGE column shows it: `90s`, `4m5s`, `12m`, `3h20m`, `26h`,
 * `3d4h`, `12d`, `2y30d` (k8s.io/apimachinery/pkg/util/duration).
 * @param milliseconds up to two seconds below zero count as none, for clocks that differ
 */
export function humanDuration(milliseconds: number): string {
  if (milliseconds <= -2 * SECOND) return '<invalid>'
  if (milliseconds < 0) return '0s'
  if (milliseconds < 2 * MINUTE) return `${Math.floor(milliseconds / SECOND)}s`
  const minutes = Math.floor(milliseconds / MINUTE)
  if (minutes < 10) return pair(minutes, 'm', Math.floor(milliseconds / SECOND) % 60, 's')
  if (minutes < 180) return `${minutes}m`
  const hours = Math.floor(milliseconds / HOUR)
  if (hours < 8) return pair(hours, 'h', minutes % 60, 'm')
  if (hours < 48) return `${hours}h`
  const days = Math.floor(hours / 24)
  if (days < 8) return pair(days, 'd', hours % 24, 'h')
  if (days < 730) return `${days}d`
  const years = Math.floor(days / 365)
  return years < 8 ? pair(years, 'y', days % 365, 'd') : `${years}y`
}

const pair = (large: number, unit: string, small: number, smallUnit: string): string =>
  small === 0 ? `${large}${unit}` : `${large}${unit}${small}${smallUnit}`

/** How long ago an RFC 3339 time was; `<unknown>` when there is none, `<invalid>` when it cannot be read. */
export function timeSince(time: unknown, now: Date): string {
  if (typeof time !== 'string' || time === '') return '<unknown>'
  const then = Date.parse(time)
  return Number.isNaN(then) ? '<invalid>' : humanDuration(now.getTime() - then)
}
