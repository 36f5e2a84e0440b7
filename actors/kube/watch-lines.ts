import type { WatchEvent } from '../../ports/kube-api.js'
import { AnswerTooLargeError, boundValues } from './answer.js'
import type { Turns } from './turns.js'

const NEWLINE = 0x0a

/**
 * Cuts a watch's byte stream into its JSON lines. Chunks end anywhere, also inside a character, so lines are decoded
 * only when whole. Reading is pulled: nothing is read ahead of the consumer but the chunk at hand.
 * @param turns what the events are divided over; they come as fast as they are read without
 * @param signal ends the wait for a turn
 * @throws Error when a line is not a watch event or the stream ends inside one; AnswerTooLargeError for one
 * beyond the limits
 */
export async function* watchLines(
  body: AsyncIterable<Buffer>,
  { maxAnswerBytes, maxAnswerValues }: { readonly maxAnswerBytes: number; readonly maxAnswerValues: number },
  turns?: Turns,
  signal?: AbortSignal,
): AsyncGenerator<WatchEvent, void> {
  let pending: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const tail = chunk.subarray(start, end)
      const line = pending.length === 0 ? tail : Buffer.concat([...pending, tail])
      pending = []
      size = 0
      start = end + 1
      if (line.length === 0) continue
      if (turns?.isOver()) await turns.mine(signal)
      yield parseEvent(line.toString('utf8'), maxAnswerValues)
    }
    if (start < chunk.length) {
      pending.push(chunk.subarray(start))
      size += chunk.length - start
      if (size > maxAnswerBytes) throw new AnswerTooLargeError(maxAnswerBytes)
    }
  }
  if (size > 0) throw new Error('the watch was cut in the middle of an event')
}

const TYPES: ReadonlySet<string> = new Set<WatchEvent['type']>([
  'ADDED',
  'MODIFIED',
  'DELETED',
  'BOOKMARK',
  'ERROR',
])

function parseEvent(line: string, maxValues: number): WatchEvent {
  boundValues(line, maxValues)
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch (cause) {
    throw new Error(`the watch sent a line that is not JSON (${line.length} characters)`, { cause })
  }
  const { type, object } = value as { type?: unknown; object?: unknown }
  if (typeof type !== 'string' || !TYPES.has(type) || typeof object !== 'object' || object === null)
    throw new Error(`the watch sent a line that is not a watch event (${line.length} characters)`)
  return value as WatchEvent
}
