import type { WebSocket } from 'ws'
import { z } from 'zod'

/** Calls that one page has open: a screen follows a handful of lists. */
const MOST_STREAMS = 64
/** Bytes of one frame of a page, which is a path and a few headers. */
export const LARGEST_FRAME = 16_384
/** A page that has taken nothing for so long is cut off: what waits for it is held here. As long as for other answers. */
const PATIENCE_MS = 60_000
/** Silence is normal, also for hours. A page is asked for a sign of life as often, and one that gives none was cut off. */
const PING_MS = 30_000

/** What a page sends: it begins a GET, or gives one up. */
const frame = z.union([
  z.strictObject({
    open: z.int().min(0),
    // A path of this server, and never one of another: `//host` would be one.
    path: z.string().regex(/^\/apis\/[\x21-\x7e]+$/),
    headers: z.partialRecord(z.enum(['accept', 'last-event-id', 'grpc-timeout']), z.string()).optional(),
  }),
  z.strictObject({ close: z.int().min(0) }),
])

/** What a page gets of each GET: its status first, then its body in pieces, then its end. */
type Sent =
  | { readonly id: number; readonly status: number }
  | { readonly id: number; readonly text: string }
  | { readonly id: number; readonly end: true }

/** Answers a GET of the page's caller, as it would be answered on a connection of its own. */
export type AnswerGet = (
  path: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
) => Promise<Response>

/** Milliseconds from a call until `then` is called, unless what is returned is called before. */
export type Later = (then: () => void, ms: number) => () => void

/**
 * Many GETs over one WebSocket. Browsers open six connections to a host for all their tabs, and a page follows more lists than that. Each GET
 * passes every step that it would pass by itself; here is only what carries it. A page that reads slowly slows its own streams.
 */
export function shareSocket(socket: WebSocket, answer: AnswerGet, later: Later): void {
  const open = new Map<number, AbortController>()
  let alive = true
  const ping = () => {
    if (!alive) return socket.terminate()
    alive = false
    socket.ping()
    stopPings = later(ping, PING_MS)
  }
  let stopPings = later(ping, PING_MS)
  socket.on('pong', () => {
    alive = true
  })
  socket.on('close', () => {
    stopPings()
    for (const call of open.values()) call.abort()
    open.clear()
  })
  // It is followed by `close`.
  socket.on('error', () => socket.terminate())
  socket.on('message', (data, isBinary) => {
    const read = isBinary ? undefined : readFrame(String(data))
    if (!read) return socket.close(1008, 'a frame is JSON: {open, path, headers} or {close}')
    if ('close' in read) return open.get(read.close)?.abort()
    if (open.has(read.open)) return socket.close(1008, `stream ${read.open} is open already`)
    if (open.size >= MOST_STREAMS) return socket.close(1008, `a page has ${MOST_STREAMS} streams at most`)
    const call = new AbortController()
    open.set(read.open, call)
    void carry(read.open, () => answer(read.path, read.headers ?? {}, call.signal), call)
  })

  /** One GET from its beginning to its end. It never rejects. */
  async function carry(id: number, begin: () => Promise<Response>, call: AbortController): Promise<void> {
    try {
      const { status, body } = await begin()
      await send({ id, status })
      if (body) await pass(id, body, call.signal)
    } catch (error) {
      // The call itself has ended with a status that the page has read; what fails here is the way to it.
      if (!call.signal.aborted && socket.readyState === socket.OPEN)
        socket.close(1011, error instanceof Error ? error.name : 'failed')
      // Sending fails before the socket says that it is closed, and then this call is not among the open ones any more.
      call.abort()
    } finally {
      open.delete(id)
    }
    if (socket.readyState === socket.OPEN) await send({ id, end: true }).catch(() => socket.terminate())
  }

  async function pass(id: number, body: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<void> {
    const reader = body.getReader()
    const cancel = () => void reader.cancel().catch(() => socket.terminate())
    signal.addEventListener('abort', cancel, { once: true })
    if (signal.aborted) return cancel()
    const decoder = new TextDecoder()
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      await send({ id, text: decoder.decode(value, { stream: true }) })
    }
  }

  /** Resolves when the system has taken the frame, so that a slow page is read for no faster than it reads. */
  function send(sent: Sent): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = later(() => socket.terminate(), PATIENCE_MS)
      socket.send(JSON.stringify(sent), error => {
        stop()
        if (error) reject(error)
        else resolve()
      })
    })
  }
}

function readFrame(text: string): z.output<typeof frame> | undefined {
  try {
    return frame.safeParse(JSON.parse(text)).data
  } catch {
    // Not JSON: the caller closes the socket for it.
    return undefined
  }
}
