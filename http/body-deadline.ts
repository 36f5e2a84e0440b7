import type { IncomingMessage, ServerResponse } from 'node:http'

/** A request whose body is received: what Node says of it. */
export type ReceivedBody = Pick<IncomingMessage, 'complete' | 'readableLength'> & {
  readonly socket: { readonly bytesRead: number }
}

/**
 * Calls `expired` once, when the sender of a body has sent nothing for `idleMs`. A body that waits here because its reader is
 * slow is not idle: its sender cannot go on.
 * @returns stops watching (idempotent)
 */
export function watchBody(body: ReceivedBody, idleMs: number, expired: () => void): () => void {
  let read = body.socket.bytesRead
  const look = () => {
    if (body.complete) return
    const { bytesRead } = body.socket
    if (bytesRead === read && body.readableLength === 0) return expired()
    read = bytesRead
    timer = setTimeout(look, idleMs)
  }
  let timer = setTimeout(look, idleMs)
  return () => clearTimeout(timer)
}

/** Whether a request announces a body. */
const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** Ends a request whose body stops arriving: 408 where nothing was answered yet, and the connection closes. */
export function endIdleBody(request: IncomingMessage, response: ServerResponse, idleMs: number): void {
  if (!hasBody(request)) return
  const stop = watchBody(request, idleMs, () => {
    const { socket } = request
    if (!response.headersSent) socket.write(timedOut(idleMs))
    socket.destroySoon()
  })
  response.once('close', stop)
}

/** As Node answers a request that takes too long in all, with a Status that clients can show. */
function timedOut(idleMs: number): string {
  const message = `nothing of the request's body was received for ${idleMs} ms`
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
