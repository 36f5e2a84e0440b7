import type { Duplex } from 'node:stream'
import { SpdyConnection, type SpdyStream } from './connection.js'

/** The protocol of port-forward over SPDY/3.1. */
export const PORT_FORWARD = 'portforward.k8s.io'

/**
 * Forwards ports over SPDY/3.1: for each connection that comes in, a client opens a stream for errors and one for data. Every port of a
 * simulated container gives back what it is sent.
 */
export function forwardPorts(socket: Duplex): void {
  const errors = new Map<string, SpdyStream>()
  const idOf = ({ headers }: SpdyStream) => headers.get('requestid') ?? ''
  const isData = ({ headers }: SpdyStream) => headers.get('streamtype') === 'data'
  const connection = new SpdyConnection(socket, {
    opened: stream => {
      if (!isData(stream)) errors.set(idOf(stream), stream)
    },
    data: (stream, data) => {
      if (!isData(stream)) return
      connection.pause()
      void stream.write(data).then(() => connection.resume())
    },
    ended: stream => {
      if (!isData(stream)) return
      void stream.end()
      void errors.get(idOf(stream))?.end()
      errors.delete(idOf(stream))
    },
  })
}
