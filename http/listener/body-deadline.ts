import type { IncomingMessage, ServerResponse } from 'node:http'

/** A request whose body is received: what Node says of it. */
export type ReceivedBody = Pick<IncomingMessage, 'complete' | 'readableLength'> & {
  readonly socket: { readonly bytesRead: number }
}

/** How slowly a body may arrive. */
export interface BodyPace {
  /** Milliseconds in which something of it arrives. */
  readonly idleMs: number
  /** Least rate over two times `idleMs`: a byte now and then is no body that arrives. 0 for any rate. */
  readonly bytesPerSecond: number
}

/** Windows in a row below the least rate: in one alone, a reader that was slow until now may have held the sender back. */
const SLOW_WINDOWS = 2

/**
 * Calls `expired` once, with the reason, when the sender of a body sends nothing or too slowly. A body that waits here because
 * its reader is slow is neither: its sender cannot go on.
 * @returns stops watching (idempotent)
 */
export function watchBody(
  body: ReceivedBody,
  { idleMs, bytesPerSecond }: BodyPace,
  expired: (because: string) => void,
): () => void {
  const least = (bytesPerSecond * idleMs) / 1_000
  let read = body.socket.bytesRead
  let slowWindows = 0
  const look = () => {
    if (body.complete) return
    const received = body.socket.bytesRead - read
    read += received
    if (body.readableLength > 0) slowWindows = 0
    else if (received === 0) return expired(`nothing of the request's body was received for ${idleMs} ms`)
    else slowWindows = received < least ? slowWindows + 1 : 0
    if (slowWindows === SLOW_WINDOWS)
      return expired(
        `less than ${bytesPerSecond} bytes a second of the request's body were received for ${SLOW_WINDOWS * idleMs} ms`,
      )
    timer = setTimeout(look, idleMs)
  }
  let timer = setTimeout(look, idleMs)
  return () => clearTimeout(timer)
}

/** Whether a request announces a body. */
const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** Ends a request whose body stops arriving, or hardly arrives: 408 where nothing was answered yet, and the connection closes. */
export function endSlowBody(request: IncomingMessage, response: ServerResponse, pace: BodyPace): void {
  if (!hasBody(request)) return
  const stop = watchBody(request, pace, because => {
    const { socket } = request
    if (!response.headersSent) socket.write(timedOut(because))
    socket.destroySoon()
  })
  response.once('close', stop)
}

/** As Node answers a request that takes too long in all, with a Status that clients can show. */
function timedOut(message: string): string {
  const body = JSON.stringify({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason: 'Timeout',
    code: 408,
  })
  const headers = ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`]
  return ['HTTP/1.1 408 Request Timeout', ...headers, 'Connection: close', '', body].join('\r\n')
}
