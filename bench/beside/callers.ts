/** The callers of `bench/beside.ts`, in a process of its own. They ask at fixed times, however late answers are, so that no wait hides another. */
import { setPriority } from 'node:os'
import { performance } from 'node:perf_hooks'
import { Pool, request } from 'undici'
import { distribution } from '../load.js'

/** What they are to ask. */
export interface CallersOrder {
  readonly url: string
  readonly perSecond: number
}

/** What they saw, milliseconds from when a request was due. */
export interface CallersReport {
  readonly requests: number
  readonly failed: number
  readonly p50: number
  readonly p99: number
  readonly most: number
  /** How late their own timers were at the 99th percentile: no figure above is known better than this. */
  readonly ownDelayP99: number
}

/** Requests of these callers that wait at once at most: more are not sent, and count as failed. */
const CONNECTIONS = 64
/** They have to be on time on a core that others use up. */
const URGENT = -15

let taken: number[] = []
let delays: number[] = []
let failed = 0

function start({ url, perSecond }: CallersOrder): void {
  const dispatcher = new Pool(new URL(url).origin, {
    connections: CONNECTIONS,
    // What is measured is the way, and it is on loopback.
    connect: { rejectUnauthorized: false },
  })
  const headers = { authorization: 'Bearer bench' }
  const everyMs = 1_000 / perSecond
  let due = performance.now()
  let underWay = 0
  const ask = async (dueAt: number): Promise<void> => {
    underWay++
    try {
      const { statusCode, body } = await request(url, { dispatcher, headers })
      await body.dump()
      if (statusCode === 200) taken.push(performance.now() - dueAt)
      else failed++
    } catch {
      failed++
    } finally {
      underWay--
    }
  }
  const tick = (): void => {
    const now = performance.now()
    for (; due <= now; due += everyMs) {
      delays.push(now - due)
      if (underWay < CONNECTIONS) void ask(due)
      else failed++
    }
    setTimeout(tick, due - performance.now())
  }
  tick()
}

function report(): CallersReport {
  const { count: requests, p50, p99, max: most } = distribution(taken)
  const found: CallersReport = { requests, failed, p50, p99, most, ownDelayP99: distribution(delays).p99 }
  ;[taken, delays, failed] = [[], [], 0]
  return found
}

try {
  setPriority(URGENT)
} catch {
  // Not allowed: the delay of their own timers says what that costs.
}
process.on('message', (message: CallersOrder | 'report') => {
  if (message === 'report') process.send?.(report())
  else start(message)
})
process.on('disconnect', () => process.exit(0))
