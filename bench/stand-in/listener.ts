import { once } from 'node:events'
import { createServer as createHttp1Server, type IncomingMessage } from 'node:http'
import { performServerHandshake, type ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import type { CertificateAuthority } from '../../playground/apiserver/access/certificates.js'

/** What a client asked for, whichever HTTP it speaks. */
export interface StandInRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly accept: string
  readonly contentType: string
  readonly body: string
}

/** An answer as text, or a watch: its lines are written until it is closed. */
export type StandInAnswer =
  | { readonly code: number; readonly text: string; readonly contentType?: string }
  | { readonly watch: (line: (text: string) => void, end: () => void) => () => void }

/**
 * Serves TLS on a free port of 127.0.0.1, HTTP/2 and HTTP/1.1. Client certificates are asked for, as API servers do, and any is accepted.
 * It uses Node's streams of HTTP/2 without the layer that makes them look like HTTP/1.1, which costs as much again.
 * @returns the port
 */
export async function listen(
  authority: CertificateAuthority,
  answer: (request: StandInRequest) => StandInAnswer | Promise<StandInAnswer>,
): Promise<number> {
  const { certificate: cert, key } = authority.issueServing()
  const server = createTlsServer({
    cert,
    key,
    ca: authority.certificate,
    requestCert: true,
    rejectUnauthorized: false,
    ALPNProtocols: ['h2', 'http/1.1'],
    noDelay: true,
  })
  const http1 = createHttp1Server((message, response) => {
    void whole(message).then(async body => {
      const answered = await answer(requestOf(message.method, message.url, message.headers, body))
      if ('watch' in answered) {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.once(
          'close',
          answered.watch(
            line => response.write(line),
            () => response.end(),
          ),
        )
      } else {
        const { code, text, contentType = 'application/json' } = answered
        response.writeHead(code, { 'content-type': contentType, 'content-length': Buffer.byteLength(text) })
        response.end(text)
      }
    })
  })
  http1.keepAliveTimeout = 90_000
  server.on('tlsClientError', (_, socket) => socket.destroy())
  server.on('secureConnection', socket => {
    socket.on('error', () => socket.destroy())
    if (socket.alpnProtocol !== 'h2') {
      http1.emit('connection', socket)
      return
    }
    const session = performServerHandshake(socket, { settings: { maxConcurrentStreams: 250 } })
    session.on('error', () => session.destroy())
    session.on('stream', (stream, headers) => {
      stream.on('error', () => stream.destroy())
      const { ':method': method, ':path': path } = headers
      const serve = async (body: string) =>
        respond(stream, await answer(requestOf(method, path, headers as IncomingMessage['headers'], body)))
      if (method === 'GET') void serve('')
      else void whole(stream).then(serve)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

function respond(stream: ServerHttp2Stream, answered: StandInAnswer): void {
  if (stream.destroyed) return
  if ('watch' in answered) {
    stream.respond({ ':status': 200, 'content-type': 'application/json' })
    stream.once(
      'close',
      answered.watch(
        line => stream.write(line),
        () => stream.end(),
      ),
    )
    return
  }
  const { code, text, contentType = 'application/json' } = answered
  stream.respond({ ':status': code, 'content-type': contentType })
  stream.end(text)
}

async function whole(stream: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of stream) parts.push(part)
  return Buffer.concat(parts).toString()
}

function requestOf(
  method = 'GET',
  url = '/',
  headers: IncomingMessage['headers'],
  body: string,
): StandInRequest {
  const mark = url.indexOf('?')
  return {
    method,
    path: mark < 0 ? url : url.slice(0, mark),
    query: new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1)),
    accept: headers.accept ?? '',
    contentType: headers['content-type'] ?? '',
    body,
  }
}
