import { Agent, type Dispatcher } from 'undici'
import type { ApiCredentials } from '../test/real/api-client.js'

/** Milliseconds, rounded to hundredths. */
export interface Distribution {
  readonly count: number
  readonly p50: number
  readonly p99: number
  readonly max: number
}

export function distribution(milliseconds: readonly number[]): Distribution {
  const sorted = [...milliseconds].sort((a, b) => a - b)
  const at = (share: number): number =>
    Math.round((sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN) * 100) /
    100
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) }
}

/**
 * Reads answers to their end without looking into them. The generator shares the cores with what it measures, so it must
 * cost little: no body is collected, no promise made for a chunk.
 */
export class Reader {
  readonly #agent: Agent
  readonly #origin: string
  readonly #headers: Record<string, string>

  constructor({ url, ca, clientCertificate, clientKey, token }: ApiCredentials) {
    this.#agent = new Agent({
      connect: {
        ca,
        ...(clientCertificate === undefined ? {} : { cert: clientCertificate }),
        ...(clientKey === undefined ? {} : { key: clientKey }),
      },
    })
    this.#origin = url
    this.#headers = {
      accept: 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    }
  }

  /**
   * Resolves when the answer has been read.
   * @throws Error when it is not 200
   */
  read(path: string): Promise<void> {
    return new Promise((resolve, reject) => {
      let status = 0
      const handler: Dispatcher.DispatchHandler = {
        onRequestStart: () => undefined,
        onResponseStart: (_controller, code) => {
          status = code
        },
        onResponseData: () => undefined,
        onResponseEnd: () =>
          status === 200 ? resolve() : reject(new Error(`GET ${path} was answered with ${status}`)),
        onResponseError: (_controller, problem) => reject(problem),
      }
      this.#agent.dispatch({ origin: this.#origin, path, method: 'GET', headers: this.#headers }, handler)
    })
  }

  close(): Promise<void> {
    return this.#agent.destroy()
  }
}

/** Repeats a request over so many connections for a while; resolves with how long each took, in milliseconds. */
export async function load(
  connections: number,
  forMs: number,
  work: () => Promise<void>,
): Promise<readonly number[]> {
  const took: number[] = []
  const until = performance.now() + forMs
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() < until) {
        const start = performance.now()
        await work()
        took.push(performance.now() - start)
      }
    }),
  )
  return took
}
