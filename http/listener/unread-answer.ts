import type { ServerResponse } from 'node:http'

/** An answer that is sent: what Node says of it and of its connection. */
export type SentAnswer = Pick<ServerResponse, 'writableLength'> & {
  readonly socket: { readonly bytesWritten: number; readonly writableLength: number } | null
}

/** How often within the patience it is looked. */
const LOOKS = 4

/**
 * Calls `expired` once, when a reader has taken nothing for `patienceMs` of an answer that is there for it. A stream that has
 * nothing to send is not unread.
 * @returns stops watching (idempotent)
 */
export function watchAnswer(answer: SentAnswer, patienceMs: number, expired: () => void): () => void {
  let unmoved = 0
  let before = -1
  const timer = setInterval(() => {
    const { socket, writableLength } = answer
    const taken = socket ? socket.bytesWritten - socket.writableLength : 0
    const isWaiting = writableLength > 0 || (socket?.writableLength ?? 0) > 0
    unmoved = isWaiting && taken === before ? unmoved + 1 : 0
    before = taken
    if (unmoved < LOOKS) return
    clearInterval(timer)
    expired()
  }, patienceMs / LOOKS)
  timer.unref()
  return () => clearInterval(timer)
}

/** Cuts off a reader who has taken nothing of its answer for so long: anyone could hold memory here without end. */
export function endUnreadAnswer(response: ServerResponse, patienceMs: number): void {
  response.once(
    'close',
    watchAnswer(response, patienceMs, () => response.destroy()),
  )
}
