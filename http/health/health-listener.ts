import { createServer } from 'node:http'
import { formatAddress, parseAddress } from '../listener/address.js'
import { listen } from '../listener/listener.js'
import type { Readiness } from './readiness.js'

/** What the health listener depends on. */
export interface HealthOptions {
  /** `host:port`; loopback unless a network is meant to reach it. */
  readonly listen: string
  readonly readiness: () => Promise<Readiness>
  readonly metrics: () => Promise<{ readonly text: string; readonly contentType: string }>
}

/** A running health listener. */
export interface HealthListener {
  readonly url: string
  close(): Promise<void>
}

/**
 * Serves `/healthz`, `/livez`, `/readyz` and `/metrics` over plain HTTP on an address of its own, so that probes and
 * scrapers need no credentials and callers of the API cannot reach it. It stops last: a probe of a stopping process
 * must receive "not ready" and not a refused connection.
 */
export async function startHealth({
  listen: address,
  readiness,
  metrics,
}: HealthOptions): Promise<HealthListener> {
  const respond = async (path: string): Promise<{ status: number; text: string; type?: string }> => {
    if (path === '/healthz' || path === '/livez') return { status: 200, text: 'ok' }
    if (path === '/readyz') {
      const { ready, text } = await readiness()
      return { status: ready ? 200 : 503, text }
    }
    if (path === '/metrics') {
      const { text, contentType } = await metrics()
      return { status: 200, text, type: contentType }
    }
    return { status: 404, text: 'try /healthz, /readyz or /metrics\n' }
  }
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0] ?? '/'
    const answer =
      request.method === 'GET' || request.method === 'HEAD'
        ? respond(path)
        : Promise.resolve({ status: 405, text: 'only GET\n', type: undefined })
    answer.then(
      ({ status, text, type = 'text/plain; charset=utf-8' }) =>
        response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(text),
      error => response.writeHead(500).end(String(error)),
    )
  })
  const { host, port } = parseAddress(address)
  const listener = await listen(server, { host, port })
  const url = `http://${formatAddress({ host, port: listener.port })}`
  return { url, close: () => listener.close(1_000) }
}
