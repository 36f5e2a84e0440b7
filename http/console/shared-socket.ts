import { type WebSocket, WebSocketServer } from 'ws'
import { type Delivery, trackedDelivery } from '../dispatch/delivery.js'
import { carryAnswer, type MaySend, NoStream } from './carried-answer.js'
import type { Later } from './later.js'
import { LARGEST_FRAME, readFrame, sendFrame } from './socket-frames.js'
import { pingPage } from './socket-pings.js'

/** The most open streams of a page: a screen follows a handful of lists. */
const MOST_STREAMS = 64
/**
 * The most streams that are closed but have not ended, or whose end the page has not taken. A user who leaves screen after screen while something
 * hangs leaves some.
 */
const MOST_ENDING = 256

/** Accepts the upgrade requests of pages. Automatic pongs are off: to a page that takes nothing, pongs would pile up. `shareSocket` answers pings. */
export const acceptSockets = (): WebSocketServer =>
  new WebSocketServer({ noServer: true, maxPayload: LARGEST_FRAME, autoPong: false })

/** The open socket of a page. */
export interface PageSocket {
  /** Closes it and ends its streams at once, whether its page answers or not. */
  close(code: number, reason: string): void
}

/**
 * Answers a GET of the page's caller, as on a connection of its own.
 * @param delivery of the answer to the page. Cutting it cuts the socket, because a page takes all its streams in turn
 */
export type AnswerGet = (
  path: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
  delivery: Delivery,
) => Promise<Response>

/**
 * Carries many streams over one WebSocket. Browsers open six connections to a host for all tabs together, and a page follows more lists than that.
 * Each GET passes every step that it would pass by itself. A page that reads slowly slows only its own streams.
 * @param maySend bounds the bytes that the pages of a caller have not taken
 */
export function shareSocket(
  socket: WebSocket,
  answer: AnswerGet,
  later: Later,
  maySend: MaySend,
): PageSocket {
  const open = new Map<number, AbortController>()
  /** Streams that the page has closed. They do not count as open. */
  const ending = new Set<number>()
  /** Streams whose ends were not sent yet. */
  let running = 0
  let isOver = false
  const stopPings = pingPage(socket, later)
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
  // While an earlier answer waits, a ping is answered by a later pong (RFC 6455, section 5.5.3).
  socket.on('ping', data => {
    if (socket.bufferedAmount === 0) socket.pong(data)
  })
  socket.on('close', () => {
    stopPings()
    endAll()
  })
  // `close` follows.
  socket.on('error', () => socket.terminate())
  socket.on('message', (data, isBinary) => {
    // A page may go on sending until it has answered the close, or forever.
    if (isOver) return
    const frame = isBinary ? undefined : readFrame(String(data))
    if (!frame) return misused('a frame is JSON: {open, path, headers} or {close}')
    if ('close' in frame) return closeStream(frame.close)
    if (open.has(frame.open) || ending.has(frame.open)) return misused(`stream ${frame.open} is open already`)
    if (open.size >= MOST_STREAMS) return misused(`a page has ${MOST_STREAMS} streams at most`)
    if (running - open.size >= MOST_ENDING)
      return misused(`${MOST_ENDING} streams that are over have not ended, or their ends were not taken`)
    const call = new AbortController()
    open.set(frame.open, call)
    running += 1
    const { delivery, ended } = trackedDelivery(() => socket.terminate())
    const get = () => answer(frame.path, frame.headers ?? {}, call.signal, delivery)
    void carry(frame.open, get, call).then(ended)
  })
  return { close }

  function closeStream(id: number): void {
    const call = open.get(id)
    if (!call) return
    open.delete(id)
    ending.add(id)
    call.abort()
  }

  /** Carries one GET from its beginning to its end. Never rejects. */
  async function carry(id: number, get: () => Promise<Response>, call: AbortController): Promise<void> {
    try {
      await carryAnswer({ socket, id, later, maySend, signal: call.signal }, get)
    } catch (error) {
      // A failed call ends with a status, which was sent. An error here is a request that is no stream, or one of the way to the page.
      if (error instanceof NoStream) misused(error.message)
      else if (!call.signal.aborted && socket.readyState === socket.OPEN)
        close(1011, error instanceof Error ? error.name : 'failed')
      // A send fails before the socket's `close` event, when this call may not be in `open` any more.
      call.abort()
    } finally {
      open.delete(id)
      ending.delete(id)
    }
    if (socket.readyState === socket.OPEN)
      await sendFrame(socket, { id, end: true }, later).catch(() => socket.terminate())
    running -= 1
  }
}
