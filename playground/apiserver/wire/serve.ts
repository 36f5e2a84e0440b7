import { type IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { ApiRequest, ApiResponse, RawMessage } from './exchange.js'
import { Presence, requestOf } from './receive.js'
import { type RawResponse, send } from './send.js'

/** Answers one request off the wire; an answer that fails under way is cut off. */
export async function serve(
  message: RawMessage,
  response: RawResponse,
  answer: (request: ApiRequest) => Promise<ApiResponse>,
): Promise<void> {
  const caller = new Presence()
  response.on('close', () => caller.end())
  response.on('error', () => caller.end())
  const request = requestOf(message, caller)
  try {
    await send(request, response, await answer(request))
  } catch {
    // The answer was under way and its source or its reader failed: only a cut says so.
    response.destroy()
  }
}

/** Answers a request to change protocols: the handler that accepts it owns the socket from then on; without one it is answered as any other. */
export async function serveUpgrade(
  message: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  answer: (request: ApiRequest) => Promise<ApiResponse>,
): Promise<void> {
  const caller = new Presence()
  socket.on('close', () => caller.end())
  socket.on('error', () => socket.destroy())
  const request: ApiRequest = { ...requestOf(message, caller), upgrade: { socket, head } }
  try {
    const answered = await answer(request)
    if ('taken' in answered.body) return
    await send(request, lastResponse(message, socket), answered)
  } catch {
    socket.destroy()
  }
}

/** What a server of Node would answer with, had it not given the socket away. Of the caller nothing is read any more but its end. */
function lastResponse(message: IncomingMessage, socket: Duplex): RawResponse {
  const response = new ServerResponse(message)
  response.shouldKeepAlive = false
  // It asks nothing of a socket that any duplex stream has not.
  response.assignSocket(socket as Socket)
  socket.on('drain', () => response.emit('drain'))
  response.on('finish', () => socket.end())
  socket.on('end', () => socket.end())
  socket.resume()
  return response
}
