import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { expect } from 'vitest'
import { waitFor } from '../../../patience.js'
import { type ProxyUnderTest, root } from '../proxy-under-test.js'

/** A path that can be upgraded. */
export const EXEC = '/north/proxy/api/v1/namespaces/a/pods/x/exec?command=ls'
/** A request of the caller's own, as it would be sent to the instance under Kairship's credential. */
export const SMUGGLED = 'GET /api/v1/secrets HTTP/1.1\r\nHost: instance\r\n\r\n'
/** The headers by which WebSocket is asked for. */
export const WEBSOCKET = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13']

/** The head of an upgrade request. */
export const asks = (
  lines: readonly string[] = WEBSOCKET,
  { path = EXEC, token = 'admin', method = 'GET' } = {},
) =>
  [
    `${method} ${root}${path} HTTP/1.1`,
    'Host: kairship',
    `Authorization: Bearer ${token}`,
    ...lines,
    '\r\n',
  ].join('\r\n')

/** What a connection received, and whether it is closed. */
export interface Conversation {
  readonly socket: TLSSocket
  readonly text: () => string
  readonly isClosed: () => boolean
}

/** Sends bytes to a proxy on a connection. @param allowHalfOpen the caller never ends its own side */
export async function say(
  proxy: ProxyUnderTest,
  bytes: string,
  allowHalfOpen = false,
): Promise<Conversation> {
  const socket = await proxy.socket({ allowHalfOpen })
  let text = ''
  let closed = false
  socket.on('data', chunk => (text += String(chunk)))
  socket.on('error', () => undefined)
  socket.on('close', () => (closed = true))
  socket.write(bytes)
  return { socket, text: () => text, isClosed: () => closed }
}

/** Resolves when the connection is closed. */
export const isClosed = (caller: Conversation) => waitFor(() => expect(caller.isClosed()).toBe(true))

/** Resolves when the other side has really closed: it resets a connection that is written to. */
export const isReset = ({ socket, isClosed }: Conversation) =>
  waitFor(() => {
    socket.write(SMUGGLED)
    expect(isClosed()).toBe(true)
  })

/**
 * Answers an upgrade and keeps the connection open, as a kube-apiserver does after a refusal: Go's server reads the next
 * request from it. Gives what the instance received after the head.
 */
export function instanceAnswers(
  proxy: ProxyUnderTest,
  answer: string,
): { readonly received: () => string; readonly sockets: Duplex[] } {
  const sockets: Duplex[] = []
  let received = ''
  proxy.upstream.upgrade = (_, socket, head) => {
    sockets.push(socket)
    received += String(head)
    socket.on('data', chunk => (received += String(chunk)))
    socket.on('error', () => undefined)
    socket.write(answer)
  }
  return { received: () => received, sockets }
}

/** The answer of an instance that refuses. */
export const forbidden = 'HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nno'
/** The answer of an instance that switches protocols. */
export const accepted =
  'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'
