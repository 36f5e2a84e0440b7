import { type WebSocket, WebSocketServer } from 'ws'
import { z } from 'zod'
import type { Delivery } from '../dispatch/delivery.js'

/** Calls that one page has open: a screen follows a handful of lists. */
const MOST_STREAMS = 64
/**
 * Calls that take no place any more and have not ended, or whose end the page has not taken: a reader who leaves screen after screen while something
 * hangs leaves some.
 */
const MOST_ENDING = 256
/** Bytes of one frame of a page, which is a path and a few headers. */
const LARGEST_FRAME = 16_384
/** A page that has taken nothing for so long is cut off: what waits for it is held here. As long as for other answers. */
const PATIENCE_MS = 60_000
/** Silence is normal, also for hours. A page is asked for a sign of life as often, and one that gives none was cut off. */
const PING_MS = 30_000
/** The content type of streams. */
const STREAM = 'text/event-stream'

/** What a page sends: it begins a GET, or gives one up. */
const frame = z.union([
  z.strictObject({
    open: z.int().min(0),
    // A path of the API, and never one of another server: `//host` would be one.
    path: z
      .string()
      .regex(/^\/apis\/[\x21-\x7e]+$/)
      .refine(path => new URL(path, 'https://console.invalid').pathname.startsWith('/apis/')),
    headers: z.partialRecord(z.enum(['accept', 'last-event-id', 'grpc-timeout']), z.string()).optional(),
  }),
  z.strictObject({ close: z.int().min(0) }),
])

/** What a page gets of each GET: its status first, then its body in pieces, then its end. */
type Sent =
  | { readonly id: number; readonly status: number }
  | { readonly id: number; readonly text: string }
  | { readonly id: number; readonly end: true }

/** Takes the upgrade requests of pages. What a page sends does not grow what waits for it, if it takes nothing: so `shareSocket` answers pings. */
export const pageSockets = (): WebSocketServer =>
  new WebSocketServer({ noServer: true, maxPayload: LARGEST_FRAME, autoPong: false })

/** A page's socket under way. */
export interface PageSocket {
  /** Closes it, and ends at once what it has open, whether its page answers or not. */
  close(code: number, reason: string): void
}

/**
 * Answers a GET of the page's caller, as it would be answered on a connection of its own.
 * @param delivery its way to the page: to cut it is to cut the socket, since a page takes everything in turn
 */
export type AnswerGet = (
  path: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
  delivery: Delivery,
) => Promise<Response>

/** Milliseconds from a call until `then` is called, unless what is returned is called before. */
export type Later = (then: () => void, ms: number) => () => void

/** Resolves when a piece of a stream may be sent, with what says that it was taken. @throws the reason of the signal */
export type MaySend = (bytes: number, signal: AbortSignal) => Promise<() => void>

/**
 * Many streams over one WebSocket. Browsers open six connections to a host for all their tabs, and a page follows more lists than that. Each GET
 * passes every step that it would pass by itself; here is only what carries it. A page that reads slowly slows its own streams.
 * @param maySend bounds what the pages of a caller have not taken
 */
export function shareSocket(
  socket: WebSocket,
  answer: AnswerGet,
  later: Later,
  maySend: MaySend,
): PageSocket {
  const open = new Map<number, AbortController>()
  /** Given up by the page: they take no place of others. */
  const ending = new Set<number>()
  /** Begun, and their ends not sent yet. */
  let underWay = 0
  let isOver = false
  let alive = true
  const ping = () => {
    if (!alive) return socket.terminate()
    alive = false
    socket.ping()
    stopPings = later(ping, PING_MS)
  }
  let stopPings = later(ping, PING_MS)
  const endAll = () => {
    isOver = true
    for (const call of open.values()) call.abort()
    open.clear()
  }
  const close = (code: number, reason: string) => {
    endAll()
    socket.close(code, reason)
  }
  const misused = (reason: string) => close(1008, reason)
  socket.on('pong', () => {
    alive = true
  })
  // One that it has not taken the answer to is answered by the next (RFC 6455, section 5.5.3).
  socket.on('ping', data => {
    if (!isOver && socket.bufferedAmount === 0) socket.pong(data)
  })
  socket.on('close', () => {
    stopPings()
    endAll()
  })
  // It is followed by `close`.
  socket.on('error', () => socket.terminate())
  socket.on('message', (data, isBinary) => {
    // A page may send on until it has answered the close, or never answer it.
    if (isOver) return
    const read = isBinary ? undefined : readFrame(String(data))
    if (!read) return misused('a frame is JSON: {open, path, headers} or {close}')
    if ('close' in read) return giveUp(read.close)
    if (open.has(read.open) || ending.has(read.open)) return misused(`stream ${read.open} is open already`)
    if (open.size >= MOST_STREAMS) return misused(`a page has ${MOST_STREAMS} streams at most`)
    if (underWay - open.size >= MOST_ENDING)
      return misused(`${MOST_ENDING} streams that are over have not ended, or their ends were not taken`)
    const call = new AbortController()
    open.set(read.open, call)
    underWay += 1
    const { delivery, over } = deliveryOver(socket)
    void carry(read.open, () => answer(read.path, read.headers ?? {}, call.signal, delivery), call).then(over)
  })
  return { close }

  function giveUp(id: number): void {
    const call = open.get(id)
    if (!call) return
    open.delete(id)
    ending.add(id)
    call.abort()
  }

  /** One GET from its beginning to its end. It never rejects. */
  async function carry(id: number, begin: () => Promise<Response>, call: AbortController): Promise<void> {
    try {
      const { status, body, headers } = await begin()
      // Only a stream waits for its reader where it is made: another answer would be held here, as large as it is.
      if (status < 400 && body && !headers.get('content-type')?.startsWith(STREAM)) {
        await body.cancel()
        misused('it carries streams: send other requests by themselves')
        return
      }
      if (!call.signal.aborted) await send({ id, status })
      if (body) await pass(id, body, call.signal)
    } catch (error) {
      // The call itself has ended with a status that the page has read; what fails here is the way to it.
      if (!call.signal.aborted && socket.readyState === socket.OPEN)
        close(1011, error instanceof Error ? error.name : 'failed')
      // Sending fails before the socket says that it is closed, and then this call is not among the open ones any more.
      call.abort()
    } finally {
      open.delete(id)
      ending.delete(id)
    }
    if (socket.readyState === socket.OPEN) await send({ id, end: true }).catch(() => socket.terminate())
    underWay -= 1
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
      const taken = await maySend(value.length, signal)
      await send({ id, text: decoder.decode(value, { stream: true }) }).finally(taken)
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

/** The way of one GET's answer over a socket that carries several. @returns also what says that the answer is over */
function deliveryOver(socket: WebSocket): { readonly delivery: Delivery; readonly over: () => void } {
  let isOver = false
  const waiting: (() => void)[] = []
  return {
    delivery: {
      whenOver: then => void (isOver ? then() : waiting.push(then)),
      cut: () => socket.terminate(),
    },
    over() {
      isOver = true
      for (const then of waiting.splice(0)) then()
    },
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
