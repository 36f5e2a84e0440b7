import { AnswerError } from './errors.js'

/** One event of a text/event-stream. */
export interface ServerSentEvent {
  /** `message` unless the server named it. */
  readonly event: string
  readonly data: string
}

/** Characters of a line, and of the data of an event: a server must not fill the memory of who listens. */
const LONGEST = 16 << 20

/**
 * Splits a text/event-stream into its events, as the HTML standard's "event stream interpretation" says: lines end in
 * LF, CRLF or CR, a blank line ends an event, a leading colon makes a comment, several data lines are joined by LF.
 * @throws AnswerError for an event that is too large
 */
export async function* serverSentEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  let event = 'message'
  let data: string[] = []
  let size = 0
  for await (const line of lines(chunks)) {
    if (line === '') {
      if (data.length > 0) yield { event, data: data.join('\n') }
      event = 'message'
      data = []
      size = 0
      continue
    }
    const [, field, value] = /^([^:]*):? ?(.*)$/s.exec(line) ?? []
    if (field === 'event' && value) event = value
    if (field !== 'data') continue
    data.push(value ?? '')
    size += line.length
    if (size > LONGEST) throw tooLarge()
  }
}

async function* lines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  /** Of a line whose end is still to come: looking through all of it for each chunk would take longer and longer. */
  let pending: string[] = []
  let size = 0
  for await (const chunk of chunks) {
    const text = decoder.decode(chunk, { stream: true })
    const mayEnd = /[\r\n]/.test(text) || pending.at(-1)?.endsWith('\r')
    pending.push(text)
    size += text.length
    if (size > LONGEST) throw tooLarge()
    if (!mayEnd) continue
    // A CR at the very end may be half of a CRLF: it waits for the next chunk.
    const complete = pending.join('').split(/\r\n|\n|\r(?!$)/)
    const rest = complete.pop() ?? ''
    pending = [rest]
    size = rest.length
    yield* complete
  }
}

const tooLarge = () => new AnswerError(`the server sent an event of more than ${LONGEST >> 20} MiB`)
