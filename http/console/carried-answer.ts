import type { WebSocket } from 'ws'
import type { Later } from './later.js'
import { sendFrame } from './socket-frames.js'

/** The content type of streams. */
const STREAM = 'text/event-stream'

/** The answer is no stream. Only streams wait for their reader at their source; any other body would be held here as a whole. */
export class NoStream extends Error {
  override readonly name = 'NoStream'

  constructor() {
    super('it carries streams: send other requests by themselves')
  }
}

/** Resolves when a piece of a stream may be sent. @returns a function that reports that it was taken @throws the reason of the signal */
export type MaySend = (bytes: number, signal: AbortSignal) => Promise<() => void>

/** Where an answer is carried. */
interface Carrier {
  readonly socket: WebSocket
  readonly id: number
  readonly later: Later
  readonly maySend: MaySend
  readonly signal: AbortSignal
}

/** Sends the status and the body of an answer over a socket. @throws NoStream, and the errors of `get` and of sending */
export async function carryAnswer(carrier: Carrier, get: () => Promise<Response>): Promise<void> {
  const { socket, id, later, signal } = carrier
  const { status, body, headers } = await get()
  if (status < 400 && body && !headers.get('content-type')?.startsWith(STREAM)) {
    await body.cancel()
    throw new NoStream()
  }
  if (!signal.aborted) await sendFrame(socket, { id, status }, later)
  if (body) await carryBody(carrier, body)
}

async function carryBody(
  { socket, id, later, maySend, signal }: Carrier,
  body: ReadableStream<Uint8Array>,
): Promise<void> {
  const reader = body.getReader()
  const cancel = () => void reader.cancel().catch(() => socket.terminate())
  signal.addEventListener('abort', cancel, { once: true })
  if (signal.aborted) return cancel()
  const decoder = new TextDecoder()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const taken = await maySend(value.length, signal)
    await sendFrame(socket, { id, text: decoder.decode(value, { stream: true }) }, later).finally(taken)
  }
}
