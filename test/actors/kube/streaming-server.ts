import { once } from 'node:events'
import {
  createSecureServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import { createServer as createHttp1Server } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { Kubeconfig } from '../../../actors/kube/kubeconfig.js'
import { createAuthority } from '../../../playground/apiserver/access/certificates.js'

/** Vouches for every server here. */
export const authority = createAuthority('test')
const { certificate: cert, key } = authority.issueServing()

/** A server that answers watches by a function, over HTTP/2 or, if told, HTTP/1.1 alone. */
export async function serve(
  answer: (stream: ServerHttp2Stream, path: string, headers: IncomingHttpHeaders) => void,
  { maxConcurrentStreams = 100, http1 = false, whole = false } = {},
) {
  const sockets = new Set<Socket>()
  const sessions = new Set<ServerHttp2Session>()
  const server = http1
    ? createHttp1Server({ cert, key }, (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        if (whole) response.end('{"n":1}')
        else response.write(line(1))
      })
    : createSecureServer({ cert, key, settings: { maxConcurrentStreams } })
  server.on('secureConnection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
  })
  server.on('session', (session: ServerHttp2Session) => sessions.add(session))
  server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    stream.on('error', () => stream.destroy())
    answer(stream, String(headers[':path']), headers)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  }
  return { port: (server.address() as AddressInfo).port, sockets, sessions, close }
}

/** Leads to a server at this port. */
export const configOf = (port: number): Kubeconfig => ({
  server: `https://127.0.0.1:${port}`,
  context: 'test',
  namespace: 'default',
  tls: { insecure: false, ca: { pem: authority.certificate } },
  credential: { token: 'secret' },
})

export const line = (n: number): string => `${JSON.stringify({ type: 'ADDED', object: { n } })}\n`
export const head = { ':status': 200, 'content-type': 'application/json' }
/** Answers a watch with one event and leaves it open. */
export const oneEvent = (stream: ServerHttp2Stream): void => {
  stream.respond(head)
  stream.write(line(1))
}
