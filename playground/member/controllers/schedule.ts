import { Cron } from 'croner'

/** When a CronJob runs next. */
export interface Schedule {
  /** @param after milliseconds since the epoch. @returns undefined when it never comes again */
  next(after: number): number | undefined
}

/** A schedule or a time zone that means nothing; the message says why. */
export class ScheduleError extends Error {
  override readonly name = 'ScheduleError'
}

const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000 }

/**
 * Reads the five fields of cron, `@daily` and the like, or `@every 1h30m`, which counts from the moment it is asked about.
 * @throws ScheduleError for anything else
 */
export function parseSchedule(text: string, timeZone?: string): Schedule {
  const [, every] = /^@every\s+((?:\d+[hms])+)$/.exec(text) ?? []
  if (every !== undefined) {
    const parts = [...every.matchAll(/(\d+)([hms])/g)]
    const pause = parts.reduce((sum, [, count, unit]) => sum + Number(count) * (UNITS[unit ?? ''] ?? 0), 0)
    // In whole seconds, and never less than one.
    return { next: after => Math.floor(after / 1000) * 1000 + Math.max(1000, pause) }
  }
  try {
    const cron = new Cron(text, { paused: true, mode: '5-part', ...(timeZone && { timezone: timeZone }) })
    // The library finds bad zones only when it counts.
    cron.nextRun()
    return { next: after => cron.nextRun(new Date(after))?.getTime() }
  } catch (error) {
    throw new ScheduleError(error instanceof Error ? error.message : String(error), { cause: error })
  }
}

/** More missed runs than this are not worth counting one by one. */
const MANY = 1000

/**
 * The latest time that has come since `since`, if any. Of missed runs only the last one counts.
 */
export function lastDue(schedule: Schedule, since: number, now: number): number | undefined {
  let due: number | undefined
  let from = since
  for (let count = 0; ; count++) {
    const next = schedule.next(from)
    if (next === undefined || next > now) return due
    due = next
    from = next
    if (count < MANY) continue
    // Far behind: go on from shortly before now, two periods away.
    const period = (schedule.next(next) ?? next + 1000) - next
    from = Math.max(from, now - 2 * period)
    count = 0
  }
}
