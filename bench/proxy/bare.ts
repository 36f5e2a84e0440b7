/**
 * The least a proxy in Node.js can be, for `bench/proxy.ts`: node:https in front, undici behind, a credential replaced, and
 * no caller is authenticated. What it costs is the floor; what the proxy costs above it is ours.
 *
 *     node dist/bench/proxy/bare.js <certificate> <key> <authority> <upstream> <token>
 */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { Pool } from 'undici'

const [certificate = '', key = '', authority = '', upstream = '', token = ''] = process.argv.slice(2)
const pool = new Pool(upstream, { connections: 256, connect: { ca: readFileSync(authority) } })
const server = createServer(
  { cert: readFileSync(certificate), key: readFileSync(key) },
  (asked, response) => {
    const { rawHeaders } = asked
    const headers = ['authorization', `Bearer ${token}`]
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const name = rawHeaders[index] ?? ''
      if (!/^(host|connection|authorization)$/i.test(name)) headers.push(name, rawHeaders[index + 1] ?? '')
    }
    pool.dispatch(
      { path: asked.url ?? '/', method: 'GET', headers },
      {
        onRequestStart: () => undefined,
        onResponseStart: ({ rawHeaders: raw }, status) => {
          const texts = (raw as Buffer[]).map(item => item.toString('latin1'))
          response.writeHead(status, withoutConnection(texts))
        },
        onResponseData: (_, chunk) => void response.write(chunk),
        onResponseEnd: () => response.end(),
        onResponseError: () => response.destroy(),
      },
    )
  },
)
server.listen(0, '127.0.0.1', () =>
  process.stdout.write(`listening on ${(server.address() as AddressInfo).port}\n`),
)

function withoutConnection(headers: readonly string[]): string[] {
  const kept: string[] = []
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] ?? ''
    if (!/^(connection|keep-alive|transfer-encoding)$/i.test(name)) kept.push(name, headers[index + 1] ?? '')
  }
  return kept
}
