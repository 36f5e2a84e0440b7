import { request as httpRequest, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { eachHeader } from '../../ports/raw-headers.js'
import { requestIdOf } from '../call/request-id.js'
import { unavailable } from '../errors/failure.js'
import { refuse } from '../proxy/refusal.js'
import type { WorkerConnection } from './connections.js'

/** Headers about one connection alone. The parent has said what else may not travel on, or will. */
const OF_THE_CONNECTION = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'expect',
])
const WITHOUT_BODY = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE'])

/** Passes a request to the parent as it came, and its answer back. */
export function relayRequest(
  request: IncomingMessage,
  response: ServerResponse,
  { relay }: WorkerConnection,
): void {
  const { method = 'GET', url = '/' } = request
  const relayed = httpRequest({
    agent: relay,
    method,
    path: url,
    setHost: false,
    headers: relayedHeaders(request) as unknown as Record<string, string>,
  })
  const broke = (error: Error) => {
    relayed.destroy()
    // It may have been executed: that is not said to be safe to repeat.
    refuse(
      response,
      unavailable(`the request could not be relayed within Kairship: ${error.message}`),
      requestIdOf(undefined),
    )
  }
  relayed.on('error', error => {
    if (!response.destroyed) broke(error)
  })
  relayed.on('response', answer => {
    response.writeHead(
      answer.statusCode ?? 502,
      answer.statusMessage || (STATUS_CODES[answer.statusCode ?? 502] ?? ''),
      answeredHeaders(answer),
    )
    // A stream that is silent has begun all the same.
    response.flushHeaders()
    answer.on('error', () => response.destroy())
    answer.on('aborted', () => response.destroy())
    answer.pipe(response)
  })
  response.once('close', () => {
    // Once its answer is whole, Node's client no longer says when it takes more of the request: the rest is read here, and dropped, as the parent
    // would do. A client that writes before it reads sees its answer then.
    if (!request.complete) request.unpipe(relayed)
    if (!request.complete || !response.writableFinished) relayed.destroy()
    request.resume()
  })
  request.once('error', () => relayed.destroy())
  request.pipe(relayed)
}

/** Passes an upgrade to the parent: its head, and then the bytes of both sides. */
export function relayUpgrade(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  { openRelay }: WorkerConnection,
): void {
  const relayed = openRelay()
  const lines = [`${request.method} ${request.url} HTTP/1.1`]
  eachHeader(request.rawHeaders, (name, value) => lines.push(`${name}: ${value}`))
  relayed.write(Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'))
  if (head.length > 0) relayed.write(head)
  relayed.on('error', () => socket.destroy())
  socket.on('error', () => relayed.destroy())
  socket.once('close', () => relayed.destroy())
  relayed.once('close', () =>
    'destroySoon' in socket ? (socket as { destroySoon(): void }).destroySoon() : socket.destroy(),
  )
  socket.pipe(relayed)
  relayed.pipe(socket)
}

/** All headers but those of the connection, and how long the body is where nothing else says so. */
function relayedHeaders({ method = 'GET', headers, rawHeaders }: IncomingMessage): string[] {
  const kept = withoutConnection(rawHeaders)
  if (headers['transfer-encoding'] !== undefined) kept.push('Transfer-Encoding', 'chunked')
  else if (headers['content-length'] === undefined && !WITHOUT_BODY.has(method))
    kept.push('Content-Length', '0')
  return kept
}

function answeredHeaders({ headers, rawHeaders }: IncomingMessage): string[] {
  const kept = withoutConnection(rawHeaders)
  if (headers.connection === 'close') kept.push('Connection', 'close')
  return kept
}

function withoutConnection(rawHeaders: readonly string[]): string[] {
  const kept: string[] = []
  eachHeader(rawHeaders, (name, value) => {
    if (!OF_THE_CONNECTION.has(name.toLowerCase())) kept.push(name, value)
  })
  return kept
}
