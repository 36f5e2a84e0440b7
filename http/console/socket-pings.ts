import type { WebSocket } from 'ws'
import type { Later } from './later.js'

/** The time between two pings, milliseconds. A socket may be silent for hours; a page that does not answer a ping before the next is cut off. */
const PING_MS = 30_000

/** Pings a page and cuts off one that does not answer. @returns stops it */
export function pingPage(socket: WebSocket, later: Later): () => void {
  let isAlive = true
  const ping = () => {
    if (!isAlive) return socket.terminate()
    isAlive = false
    socket.ping()
    cancel = later(ping, PING_MS)
  }
  let cancel = later(ping, PING_MS)
  socket.on('pong', () => {
    isAlive = true
  })
  return () => cancel()
}
