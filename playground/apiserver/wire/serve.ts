import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ApiBody, ApiRequest, ApiResponse, RawMessage } from './exchange.js'
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

/** Answers a request to change protocols: whoever takes it has the socket from then on; a refusal ends it. */
export async function serveUpgrade(
  message: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  answer: (request: ApiRequest) => Promise<ApiResponse>,
): Promise<void> {
  const caller = new Presence()
  socket.on('close', () => caller.end())
  socket.on('error', () => socket.destroy())
  const response = await answer({ ...requestOf(message, caller), upgrade: { socket, head } })
  if ('taken' in response.body) return
  const { code, body } = response
  const told = Buffer.concat(await chunksOf(body))
  const contentType = 'text' in body ? body.contentType : 'application/json'
  socket.end(
    Buffer.concat([
      Buffer.from(
        `HTTP/1.1 ${code} ${STATUS_CODES[code] ?? ''}\r\nContent-Type: ${contentType}\r\nContent-Length: ${told.length}\r\nConnection: close\r\n\r\n`,
      ),
      told,
    ]),
  )
}

/** The whole of a short body: what an upgrade is refused with. */
async function chunksOf(body: ApiBody): Promise<Buffer[]> {
  if ('object' in body) return [Buffer.from(JSON.stringify(body.object))]
  if ('text' in body) return [Buffer.from(body.text)]
  const chunks: Buffer[] = []
  if ('stream' in body) for await (const chunk of body.stream) chunks.push(Buffer.from(chunk))
  return chunks
}
