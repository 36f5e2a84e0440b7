import type { Duplex } from 'node:stream'
import { Code } from '../../../transcoding/code.js'
import type { Failure } from '../../errors/failure.js'
import { kubeStatusOf } from '../refusal.js'
import { channelMessage, closeFrame, WebSocketFrames } from './web-socket-frames.js'

/** The protocols of exec and attach in which channel 3 carries how the command ended, as a Status object. */
const STATUS_PROTOCOLS = new Set(['v4.channel.k8s.io', 'v5.channel.k8s.io'])
const STATUS_CHANNEL = 3

/** Says in an upgraded connection's own protocol why it ends. */
export interface LastWords {
  /** What to send before the end; empty where nothing can be said, as in the middle of a frame. */
  of(failure: Failure): Buffer
}

/**
 * Over WebSocket: a close frame, and before it the error channel where the protocol has one, which is what kubectl shows.
 * Over SPDY: nothing. Its headers are compressed in one stream over the whole connection, so nothing can be added to it
 * without taking part in it from its beginning.
 * @param path of the request inside the instance: a port-forward has no status channel
 * @param protocol the subprotocol that the server chose
 */
export function lastWords(
  upgrade: string,
  protocol: string | undefined,
  path: string,
  upstream: Duplex,
): LastWords {
  if (upgrade.toLowerCase() !== 'websocket') return { of: () => Buffer.alloc(0) }
  const frames = new WebSocketFrames()
  upstream.on('data', (chunk: Buffer) => frames.take(chunk))
  const hasStatus = STATUS_PROTOCOLS.has(protocol ?? '') && !/\/portforward(\?|$)/.test(path)
  return {
    of(failure) {
      if (!frames.betweenFrames) return Buffer.alloc(0)
      const status =
        hasStatus && frames.betweenMessages
          ? [channelMessage(STATUS_CHANNEL, JSON.stringify(kubeStatusOf(failure)))]
          : []
      return Buffer.concat([...status, closeFrame(failure.message, closeCode(failure))])
    },
  }
}

/** RFC 6455, section 7.4.1: the server goes away; the caller may not. */
const closeCode = ({ code }: Failure): number =>
  code === Code.PERMISSION_DENIED || code === Code.UNAUTHENTICATED ? 1008 : 1001
