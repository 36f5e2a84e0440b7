/** The callers of `bench/beside.ts`, in a process of its own. They ask at fixed times, however late answers are, so that no wait hides another. */
import { setPriority } from 'node:os'
import { performance } from 'node:perf_hooks'
import { Pool, request } from 'undici'
import { distribution } from '../load.js'

/** What answers, and as whom it is asked. */
export interface Endpoint {
  readonly url: string
  readonly token?: string
  /** PEM. */
  readonly clientCertificate?: string
  /** PEM. */
  readonly clientKey?: string
}

/** What they are to ask. */
export interface CallersOrder {
  readonly proxy: Endpoint
  /** The same of the instance itself, a quarter as often: what is behind the proxy shares a core with others. */
  readonly direct: Endpoint
  readonly perSecond: number
}

/** What was answered, milliseconds from when a request was due. */
export interface Seen {
  readonly requests: number
  readonly failed: number
  readonly p50: number
  readonly p99: number
  readonly most: number
}

/** What they saw through the proxy, and of the instance itself. */
export interface CallersReport extends Seen {
  readonly direct: Seen
  /** How late their own timers were at the 99th percentile: no figure above is known better than this. */
  readonly ownDelayP99: number
}

/** Requests of these callers that wait at once at most: more are not sent, and count as failed. */
const CONNECTIONS = 64
/** They have to be on time on a core that others use up. */
const URGENT = -15

let delays: number[] = []

/** Requests to one endpoint at fixed times, and their answers. */
class Callers {
  readonly #endpoint: Endpoint
  readonly #dispatcher: Pool
  readonly #headers: Readonly<Record<string, string>>
  #underWay = 0
  #taken: number[] = []
  #failed = 0

  constructor(endpoint: Endpoint) {
    const { url, token, clientCertificate, clientKey } = endpoint
    this.#endpoint = endpoint
    this.#dispatcher = new Pool(new URL(url).origin, {
      connections: CONNECTIONS,
      // What is measured is the way, and it is on loopback.
      connect: {
        rejectUnauthorized: false,
        ...(clientCertificate !== undefined && { cert: clientCertificate }),
        ...(clientKey !== undefined && { key: clientKey }),
      },
    })
    this.#headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  }

  start(everyMs: number): void {
    let due = performance.now()
    const tick = (): void => {
      const now = performance.now()
      for (; due <= now; due += everyMs) {
        delays.push(now - due)
        if (this.#underWay < CONNECTIONS) void this.#ask(due)
        else this.#failed++
      }
      setTimeout(tick, due - performance.now())
    }
    tick()
  }

  /** Since the last time. */
  take(): Seen {
    const { count: requests, p50, p99, max: most } = distribution(this.#taken)
    const seen: Seen = { requests, failed: this.#failed, p50, p99, most }
    ;[this.#taken, this.#failed] = [[], 0]
    return seen
  }

  async #ask(dueAt: number): Promise<void> {
    this.#underWay++
    try {
      const { statusCode, body } = await request(this.#endpoint.url, {
        dispatcher: this.#dispatcher,
        headers: this.#headers,
      })
      await body.dump()
      if (statusCode === 200) this.#taken.push(performance.now() - dueAt)
      else this.#failed++
    } catch {
      this.#failed++
    } finally {
      this.#underWay--
    }
  }
}

let callers: { readonly proxy: Callers; readonly direct: Callers } | undefined

function start({ proxy, direct, perSecond }: CallersOrder): void {
  callers = { proxy: new Callers(proxy), direct: new Callers(direct) }
  callers.proxy.start(1_000 / perSecond)
  callers.direct.start(4_000 / perSecond)
}

/** @throws Error before they were told what to ask */
function report(): CallersReport {
  if (!callers) throw new Error('the callers have not been told what to ask')
  const found: CallersReport = {
    ...callers.proxy.take(),
    direct: callers.direct.take(),
    ownDelayP99: distribution(delays).p99,
  }
  delays = []
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
