import type { WebSocket } from 'ws'
import { z } from 'zod'
import type { Later } from './later.js'

/** The largest frame of a page, bytes: a path and a few headers. */
export const LARGEST_FRAME = 16_384
/** A page that has not taken a frame for so long is cut off, milliseconds: the frame waits in memory here. As long as for other answers. */
const PATIENCE_MS = 60_000

/** A frame of a page: it opens a GET, or closes one. */
const pageFrame = z.union([
  z.strictObject({
    open: z.int().min(0),
    // A path of the API. `//host` would be a path of another server.
    path: z
      .string()
      .regex(/^\/apis\/[\x21-\x7e]+$/)
      .refine(path => new URL(path, 'https://console.invalid').pathname.startsWith('/apis/')),
    headers: z.partialRecord(z.enum(['accept', 'last-event-id', 'grpc-timeout']), z.string()).optional(),
  }),
  z.strictObject({ close: z.int().min(0) }),
])

/** A frame to a page. Each GET gets its status, then its body in pieces, then its end. */
type ServerFrame =
  | { readonly id: number; readonly status: number }
  | { readonly id: number; readonly text: string }
  | { readonly id: number; readonly end: true }

/** Parses a frame of a page; undefined where it is invalid. */
export function readFrame(text: string): z.output<typeof pageFrame> | undefined {
  try {
    return pageFrame.safeParse(JSON.parse(text)).data
  } catch {
    // Not JSON: the caller closes the socket.
    return undefined
  }
}

/** Sends a frame. Resolves when the system has taken it, so that a stream is read no faster than its page reads. */
export function sendFrame(socket: WebSocket, frame: ServerFrame, later: Later): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = later(() => socket.terminate(), PATIENCE_MS)
    socket.send(JSON.stringify(frame), error => {
      stop()
      if (error) reject(error)
      else resolve()
    })
  })
}
