import { badRequest } from '../../../apiserver/api-status.js'
import type { ApiRequest } from '../../../apiserver/wire/exchange.js'
import type { ChannelHandlers, Channels } from '../channels.js'
import { SpdyConnection, type SpdyStream } from './connection.js'
import { upgradeToSpdy } from './upgrade.js'

/** The streams of a remote command by their header `streamType`, with the numbers that they have over WebSocket. */
const CHANNELS: Readonly<Record<string, number>> = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4 }
/** From the fourth version on the error stream says how a command ended; older clients (before 1.4) are not served. */
const PROTOCOLS = ['v4.channel.k8s.io'] as const
/** How long a client may take to open its streams: a kubelet's `streamCreationTimeout`, milliseconds. */
const PATIENCE_MS = 30_000

/** Accepts a remote command over SPDY/3.1: the same channels, each a stream that the client opens. */
export async function acceptSpdyChannels(request: ApiRequest, handlers: ChannelHandlers): Promise<Channels> {
  const wanted = expectedChannels(request.query)
  const socket = upgradeToSpdy(request, PROTOCOLS)
  const streams = new Map<number, SpdyStream>()
  const numbers = new Map<SpdyStream, number>()
  let complete: () => void = () => undefined
  const opened = new Promise<void>(resolve => {
    complete = resolve
  })
  const connection = new SpdyConnection(socket, {
    opened(stream) {
      const number = CHANNELS[stream.headers.get('streamtype') ?? '']
      if (number === undefined || streams.has(number)) return
      streams.set(number, stream)
      numbers.set(stream, number)
      if (wanted.every(one => streams.has(one))) complete()
    },
    data: (stream, data) => {
      const number = numbers.get(stream)
      if (number !== undefined) handlers.message(number, data)
    },
    ended: stream => {
      const number = numbers.get(stream)
      if (number !== undefined) handlers.ended(number)
    },
  })
  const timer = setTimeout(() => socket.destroy(), PATIENCE_MS)
  connection.gone.addEventListener('abort', complete, { once: true })
  await opened
  clearTimeout(timer)
  return {
    protocol: PROTOCOLS[0],
    gone: connection.gone,
    send: async (channel, data) => streams.get(channel)?.write(data),
    pause: () => connection.pause(),
    resume: () => connection.resume(),
    close: () => connection.close(),
  }
}

/** What a client will open, by what it asked for. @throws StatusError 400 for a command without any stream */
function expectedChannels(query: URLSearchParams): readonly number[] {
  const asked = ['stdin', 'stdout', 'stderr'].filter(name => ['true', '1'].includes(query.get(name) ?? ''))
  if (asked.length === 0) throw badRequest('you must specify at least 1 of stdin, stdout, stderr')
  // A terminal has one output.
  const own = query.get('tty') === 'true' ? asked.filter(name => name !== 'stderr') : asked
  return [...own, 'error'].map(name => CHANNELS[name] as number)
}
