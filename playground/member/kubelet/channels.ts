import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { createWebSocketStream, type WebSocket, WebSocketServer } from 'ws'
import { badRequest } from '../../apiserver/api-status.js'
import type { ApiRequest } from '../../apiserver/wire/exchange.js'

/**
 * Streams over one WebSocket as Kubernetes multiplexes them: the first byte of each binary message is its channel. In v5 a
 * message on channel 255 says that the channel it names is over.
 */
export interface Channels {
  readonly protocol: string
  /** Resolves when the message was handed to the socket, or the socket is gone. */
  send(channel: number, data: Uint8Array): Promise<void>
  /** Holds the peer back. */
  pause(): void
  resume(): void
  /** Ends the connection after what was sent. */
  close(): void
  /** Aborted when the connection is over, from either side. */
  readonly gone: AbortSignal
}

export interface ChannelHandlers {
  readonly message: (channel: number, data: Buffer) => void
  /** The peer will send no more on this channel. */
  readonly ended: (channel: number) => void
}

const END_OF_CHANNEL = 255
const NORMAL_CLOSURE = 1000
const sockets = new WebSocketServer({ noServer: true, clientTracking: false, perMessageDeflate: false })

/**
 * Accepts the upgrade of a request.
 * @param protocols those spoken here, the best first
 * @throws StatusError 400 for anything but WebSocket with one of them; SPDY/3.1 is in `spdy/`
 */
export async function acceptChannels(
  request: ApiRequest,
  protocols: readonly string[],
  handlers: ChannelHandlers,
): Promise<Channels> {
  const { socket, protocol } = await acceptWebSocket(request, protocols)
  return channelsOf(socket, protocol, handlers)
}

/** Accepts a WebSocket through which another protocol is spoken, as bytes. @throws StatusError 400 as `acceptChannels` */
export async function acceptTunnel(request: ApiRequest, protocol: string): Promise<Duplex> {
  const { socket } = await acceptWebSocket(request, [protocol])
  return createWebSocketStream(socket)
}

/** True for a request that offers this protocol over WebSocket. */
export const offers = (request: ApiRequest, protocol: string): boolean => offered(request).includes(protocol)

const offered = ({ headers }: ApiRequest): readonly string[] =>
  String(headers['sec-websocket-protocol'] ?? '')
    .split(',')
    .map(name => name.trim())

function acceptWebSocket(
  request: ApiRequest,
  protocols: readonly string[],
): Promise<{ readonly socket: WebSocket; readonly protocol: string }> {
  const { upgrade, raw, headers } = request
  if (!upgrade || !raw) throw badRequest('you must specify at least 1 upgrade request header')
  const asked = String(headers.upgrade ?? '').toLowerCase()
  if (asked !== 'websocket')
    throw badRequest(`the simulated kubelet speaks WebSocket and SPDY/3.1, and not ${asked}`)
  const protocol = protocols.find(name => offered(request).includes(name))
  if (!protocol)
    throw badRequest(`none of ${offered(request).join(', ')} is spoken here, only ${protocols.join(', ')}`)
  return new Promise(resolve => {
    const message = raw as IncomingMessage
    // The library would take the first that is offered; servers of Kubernetes take the best that they know.
    message.headers['sec-websocket-protocol'] = protocol
    sockets.handleUpgrade(message, upgrade.socket as Duplex, upgrade.head, socket =>
      resolve({ socket, protocol }),
    )
  })
}

function channelsOf(socket: WebSocket, protocol: string, { message, ended }: ChannelHandlers): Channels {
  const gone = new AbortController()
  socket.on('close', () => gone.abort())
  socket.on('error', () => socket.terminate())
  socket.on('message', (data: Buffer, isBinary) => {
    const [channel] = data
    if (!isBinary || channel === undefined) return
    if (channel === END_OF_CHANNEL) ended(data[1] ?? 0)
    else message(channel, data.subarray(1))
  })
  return {
    protocol,
    gone: gone.signal,
    send: (channel, data) =>
      new Promise(resolve => socket.send(Buffer.concat([Buffer.of(channel), data]), () => resolve())),
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    close: () => socket.close(NORMAL_CLOSURE),
  }
}
