import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { text } from 'node:stream/consumers'
import { selfSigned } from '../../../http/listener/serving-certificate.js'
import { rows } from './rows.js'
import type { MetricsTarget } from './suite.js'

/** A double of Prometheus that answers the requests of `rows.ts` as Prometheus does, and no others. */
export interface PrometheusDouble extends MetricsTarget {
  /** The forms that came, oldest first. */
  readonly received: readonly Readonly<Record<string, string>>[]
  /** Answers all further requests so, until it is called without one. */
  answerWith(answer?: (request: IncomingMessage, response: ServerResponse) => void): void
  /** Wants another password from now on. */
  changePassword(password: string): void
  close(): Promise<void>
}

const USERNAME = 'kairship'
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  query: ['query', 'time', 'timeout'],
  query_range: ['query', 'start', 'end', 'step', 'timeout'],
}

/** @param certificate of its TLS; a new one where it is absent */
export async function startPrometheusDouble(
  certificate?: Awaited<ReturnType<typeof selfSigned>>,
  port = 0,
): Promise<PrometheusDouble> {
  const tls = certificate ?? (await selfSigned(['127.0.0.1', 'localhost']))
  const received: Record<string, string>[] = []
  let password = 'correct horse'
  let scripted: ((request: IncomingMessage, response: ServerResponse) => void) | undefined
  const server = createServer({ cert: tls.certificate, key: tls.key }, async (request, response) => {
    const plain = (status: number, words: string) => {
      response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${words}\n`)
    }
    const form = await text(request).then(
      body => Object.fromEntries(new URLSearchParams(body)),
      () => ({}),
    )
    received.push(form)
    if (scripted) return scripted(request, response)
    const proof = `Basic ${Buffer.from(`${USERNAME}:${password}`).toString('base64')}`
    if (request.headers.authorization !== proof) return plain(401, 'Unauthorized')
    const path = /^\/api\/v1\/(query|query_range)$/.exec(request.url ?? '')?.[1]
    if (path === undefined || request.method !== 'POST') return plain(404, '404 page not found')
    // A double is strict where Prometheus ignores: a field that it does not know is a mistake of its caller.
    const unknown = Object.keys(form).find(field => !FIELDS[path]?.includes(field))
    if (unknown !== undefined || request.headers['content-type'] !== 'application/x-www-form-urlencoded')
      return plain(400, `the double does not know ${unknown ?? request.headers['content-type']}`)
    const { status, body } = answerTo(path, form)
    return response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  const address = server.address() as { port: number }
  return {
    name: 'double',
    url: `https://127.0.0.1:${address.port}`,
    certificateAuthority: tls.certificate,
    username: USERNAME,
    get password() {
      return password
    },
    received,
    answerWith: answer => {
      scripted = answer
    },
    changePassword: next => {
      password = next
    },
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function answerTo(path: string, form: Readonly<Record<string, string>>): { status: number; body: unknown } {
  const known = (one: Readonly<Record<string, string>>) =>
    Object.entries(one).every(([field, value]) => form[field] === value)
  // The one row with a timeout asks for none at all.
  const { timeout, ...rest } = form
  const row = rows.find(
    one => one.path === path && known(one.form) && ('timeout' in one.form || timeout !== '0ms'),
  )
  if (row) return row
  const error = `the double knows no answer to ${JSON.stringify(rest)}: add a row that holds for Prometheus`
  return { status: 400, body: { status: 'error', errorType: 'bad_data', error } }
}
