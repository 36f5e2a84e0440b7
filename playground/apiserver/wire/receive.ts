import { requestEntityTooLarge } from '../api-status.js'
import type { ApiRequest, RawMessage } from './exchange.js'
import { BODY_LIMIT } from './request-body.js'

/** Why a request is aborted; one for all, because an error of its own for each costs more than the abort. */
const CALLER_GONE = new DOMException('the caller has gone', 'AbortError')

/** Whether a caller is still there. Most requests never ask, so the signal is made when one does. */
export class Presence {
  #gone = false
  #abort: AbortController | undefined

  get signal(): AbortSignal {
    this.#abort ??= new AbortController()
    if (this.#gone) this.#abort.abort(CALLER_GONE)
    return this.#abort.signal
  }

  end(): void {
    this.#gone = true
    this.#abort?.abort(CALLER_GONE)
  }
}

/** The request of a message; its body is read at its first use. */
export function requestOf(message: RawMessage, caller: Presence): ApiRequest {
  const url = message.url ?? '/'
  const mark = url.indexOf('?')
  let body: Promise<Buffer> | undefined
  return {
    method: message.method ?? 'GET',
    path: mark === -1 ? url : url.slice(0, mark),
    query: new URLSearchParams(mark === -1 ? '' : url.slice(mark + 1)),
    headers: headersOf(message),
    body: () => {
      body ??= readBody(message)
      return body
    },
    get signal() {
      return caller.signal
    },
    raw: message,
  }
}

/**
 * The headers as HTTP/1.1 has them, whichever version brought them. Node joins repeated ones; whom a caller impersonates
 * must stay apart.
 */
function headersOf({ headers, rawHeaders, httpVersionMajor }: RawMessage): ApiRequest['headers'] {
  const apart: Record<string, string[]> = {}
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const raw = rawHeaders[at] ?? ''
    // Of the few headers that begin with an i; putting all of them in lower case is what this would cost.
    if (raw[0] !== 'i' && raw[0] !== 'I') continue
    const name = raw.toLowerCase()
    if (name !== 'impersonate-group' && !name.startsWith('impersonate-extra-')) continue
    apart[name] = [...(apart[name] ?? []), rawHeaders[at + 1] ?? '']
  }
  if (httpVersionMajor < 2) return Object.keys(apart).length === 0 ? headers : { ...headers, ...apart }
  const { ':method': _m, ':path': _p, ':scheme': _s, ':authority': host, ...plain } = headers
  return { ...(host !== undefined && { host }), ...plain, ...apart }
}

async function readBody(message: RawMessage): Promise<Buffer> {
  if (Number(message.headers['content-length'] ?? 0) > BODY_LIMIT) throw requestEntityTooLarge(BODY_LIMIT)
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of message as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > BODY_LIMIT) throw requestEntityTooLarge(BODY_LIMIT)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
