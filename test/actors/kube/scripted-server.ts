import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createTlsServer, type ServerOptions } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'

/** A request as the server saw it. */
export interface Received {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** An HTTP server that answers by a function and remembers what it was asked. */
export interface ScriptedServer {
  readonly url: string
  readonly received: readonly Received[]
  /** Sockets that are open now. */
  readonly sockets: ReadonlySet<Socket>
  /** How many sockets were ever opened. */
  connections(): number
  close(): Promise<void>
}

export async function scriptedServer(
  answer: (request: Received, response: ServerResponse) => void,
  tls?: ServerOptions,
): Promise<ScriptedServer> {
  const received: Received[] = []
  const sockets = new Set<Socket>()
  let connections = 0
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', chunk => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      const one = { method, url, headers, body: Buffer.concat(chunks).toString() }
      received.push(one)
      answer(one, response)
    })
  }
  // Longer than any test: no socket is closed here for being idle.
  const keepAliveTimeout = 600_000
  const server = tls
    ? createTlsServer({ keepAliveTimeout, ...tls }, listener)
    : createServer({ keepAliveTimeout }, listener)
  server.on(tls ? 'secureConnection' : 'connection', (socket: Socket) => {
    connections++
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    received,
    sockets,
    connections: () => connections,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Answers with JSON. */
export function json(
  response: ServerResponse,
  code: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(code, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}
