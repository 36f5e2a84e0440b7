import { type IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** Milliseconds that the peer has to end its side once the whole answer was handed to the system; then the socket is destroyed. */
const CLOSE_MS = 1_000
/** Milliseconds in which the system must have taken a refusal of our own, which is small. */
const REFUSAL_MS = 5_000

/**
 * An ordinary HTTP answer to an upgrade request, for which Node hands over a bare socket. It is the last answer of its
 * connection and says so. A second after it was sent, the socket is closed, also when the peer never ends its side.
 */
export function upgradeResponse(request: IncomingMessage, socket: Duplex): ServerResponse {
  const response = new ServerResponse(request)
  response.shouldKeepAlive = false
  // It needs nothing of a socket that another duplex stream has not.
  response.assignSocket(socket as Socket)
  socket.on('drain', () => response.emit('drain'))
  response.once('finish', () => {
    socket.end()
    // Unread input would make the system reset the connection at its close, and the peer could lose the answer.
    socket.resume()
    destroyAfter(socket, CLOSE_MS)
  })
  return response
}

/** Refuses an upgrade with a small answer and closes the socket soon, also when the peer does not read. */
export function refuseUpgrade(socket: Duplex, refuse: () => void): void {
  destroyAfter(socket, REFUSAL_MS)
  refuse()
}

/** Refuses an upgrade request to a path at which there is nothing to upgrade. */
export function refuseUpgradeHere(request: IncomingMessage, socket: Duplex): void {
  // Node hands over a socket without a listener for errors, and an unheard error would end the process.
  socket.on('error', () => socket.destroy())
  const response = upgradeResponse(request, socket)
  const text = 'nothing can be upgraded here: WebSocket and SPDY are for the instances’ proxies\n'
  refuseUpgrade(socket, () =>
    response.writeHead(404, { 'Content-Type': 'text/plain; charset=utf-8' }).end(text),
  )
}

function destroyAfter(socket: Duplex, milliseconds: number): void {
  const timer = setTimeout(() => socket.destroy(), milliseconds)
  socket.once('close', () => clearTimeout(timer))
}
