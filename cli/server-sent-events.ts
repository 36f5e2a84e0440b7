/** One event of a text/event-stream. */
export interface ServerSentEvent {
  /** `message` unless the server named it. */
  readonly event: string
  readonly data: string
}

/**
 * Splits a text/event-stream into its events, as the HTML standard's "event stream interpretation" says: lines end in
 * LF, CRLF or CR, a blank line ends an event, a leading colon makes a comment, several data lines are joined by LF.
 */
export async function* serverSentEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  let event = 'message'
  let data: string[] = []
  for await (const line of lines(chunks)) {
    if (line === '') {
      if (data.length > 0) yield { event, data: data.join('\n') }
      event = 'message'
      data = []
      continue
    }
    const [, field, value] = /^([^:]*):? ?(.*)$/s.exec(line) ?? []
    if (field === 'event' && value) event = value
    if (field === 'data') data.push(value ?? '')
  }
}

async function* lines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true })
    // A CR at the very end may be half of a CRLF: it waits for the next chunk.
    const complete = rest.split(/\r\n|\n|\r(?!$)/)
    rest = complete.pop() ?? ''
    yield* complete
  }
}
