import type { IncomingMessage } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import type { Duplex } from 'node:stream'
import type { JsonObject } from '../../apimachinery/json.js'
import type { User } from '../access/user.js'
import type { WatchItem } from '../operations/watch-item.js'
import type { StoredObject } from '../store/stored-object.js'

/** A message off the wire, HTTP/1.1 or HTTP/2. */
export type RawMessage = IncomingMessage | Http2ServerRequest

/** One request, however it arrived: over TLS or from within the process. */
export interface ApiRequest {
  readonly method: string
  /** As received: still encoded, without the query. */
  readonly path: string
  readonly query: URLSearchParams
  /** Lower-cased names. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** The raw body. @throws StatusError 413 beyond 3 MiB */
  readonly body: () => Promise<Buffer>
  /** A body that is parsed already, from callers within the process. */
  readonly parsedBody?: unknown
  /** Aborted when the caller has gone. */
  readonly signal: AbortSignal
  /** The raw message and its socket, for handlers that pass a connection through (WebSocket, SPDY). */
  readonly raw?: RawMessage
  readonly upgrade?: { readonly socket: Duplex; readonly head: Buffer }
}

/** A list before it is encoded. */
export interface ListDocument {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: JsonObject
  /** In the requested version; `stored` where it is the stored text. */
  readonly items: readonly { readonly object: JsonObject; readonly stored?: StoredObject }[]
  /** Items of built-in kinds go without apiVersion and kind. */
  readonly bareItems: boolean
}

/** What a response carries. */
export type ApiBody =
  | { readonly object: JsonObject; readonly stored?: StoredObject }
  | { readonly list: ListDocument }
  | { readonly watch: AsyncIterable<readonly WatchItem[]> }
  /** `object`: what a JSON text says, frozen, so that callers within the process need not parse it. */
  | { readonly text: string | Buffer; readonly contentType: string; readonly object?: JsonObject }
  | { readonly stream: AsyncIterable<Uint8Array> }
  /** The handler has taken the socket over. */
  | { readonly taken: true }

export interface ApiResponse {
  readonly code: number
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly body: ApiBody
}

/** A request whose caller is known. */
export interface Caller {
  readonly user: User
  /** Sentences for `Warning` headers of the answer. */
  readonly warnings: string[]
}

export const header = (request: Pick<ApiRequest, 'headers'>, name: string): string => {
  const value = request.headers[name]
  return typeof value === 'string' ? value : (value?.[0] ?? '')
}

export const plainText = (code: number, text: string): ApiResponse => ({
  code,
  body: { text, contentType: 'text/plain; charset=utf-8' },
})

/** What a kube-apiserver says of a path it does not serve. */
export const pageNotFound = (): ApiResponse => ({
  code: 404,
  headers: { 'x-content-type-options': 'nosniff' },
  body: { text: '404 page not found\n', contentType: 'text/plain; charset=utf-8' },
})
