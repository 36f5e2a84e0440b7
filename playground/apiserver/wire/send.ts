import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { stringify } from 'yaml'
import { encodeList, encodeObject, encodeWatchItem, listObject } from './encode.js'
import { type ApiBody, type ApiRequest, type ApiResponse, header } from './exchange.js'
import { negotiate } from './negotiate.js'

const compress = promisify(gzip)
/** Bodies from this size on are compressed for callers that accept it, as kube-apiserver does. */
const GZIP_FROM = 128 * 1024

/** Node's compatibility layer gives HTTP/2 answers the methods of HTTP/1.1 ones, all those used here; its types are apart. */
export type RawResponse = ServerResponse

/** Writes an answer to the wire. @throws what its source or its reader failed with, once it is under way */
export async function send(
  request: ApiRequest,
  response: RawResponse,
  { code, headers, body }: ApiResponse,
): Promise<void> {
  if ('taken' in body) return
  response.statusCode = code
  response.setHeader('Audit-Id', header(request, 'audit-id') || randomUUID())
  response.setHeader('Cache-Control', 'no-cache, private')
  for (const [name, value] of Object.entries(headers ?? {}))
    response.setHeader(name, value as string | string[])
  // A body that was not read must not be taken for the next request of the connection; HTTP/2 has no such trouble.
  if (code >= 400 && request.raw && !request.raw.complete && request.raw.httpVersionMajor < 2)
    response.setHeader('Connection', 'close')
  if ('watch' in body || 'stream' in body) return stream(response, body, request.signal)
  const { text, contentType } = encode(request, body)
  response.setHeader('Content-Type', contentType)
  const compressible =
    text.length >= GZIP_FROM &&
    /\bgzip\b/.test(header(request, 'accept-encoding')) &&
    request.method !== 'HEAD'
  if (!compressible) {
    response.setHeader('Content-Length', Buffer.byteLength(text))
    response.end(request.method === 'HEAD' ? undefined : text)
    return
  }
  // Level 4, as kube-apiserver: most of the gain for little of the time.
  const compressed = await compress(text, { level: 4 })
  response.setHeader('Content-Encoding', 'gzip')
  response.setHeader('Vary', 'Accept-Encoding')
  response.setHeader('Content-Length', compressed.length)
  response.end(compressed)
}

function encode(
  request: ApiRequest,
  body: Exclude<
    ApiBody,
    { readonly watch: unknown } | { readonly stream: unknown } | { readonly taken: unknown }
  >,
): { text: string | Buffer; contentType: string } {
  if ('text' in body) return body
  if (wantsYaml(request)) {
    return {
      text: stringify('list' in body ? listObject(body.list) : body.object),
      contentType: 'application/yaml',
    }
  }
  return {
    text: 'list' in body ? encodeList(body.list) : encodeObject(body),
    contentType: 'application/json',
  }
}

function wantsYaml(request: ApiRequest): boolean {
  try {
    return negotiate(header(request, 'accept')).yaml
  } catch {
    // The answer says that nothing acceptable can be made; it says so in JSON.
    return false
  }
}

async function stream(
  response: RawResponse,
  body: Extract<ApiBody, { readonly watch: unknown } | { readonly stream: unknown }>,
  signal: AbortSignal,
): Promise<void> {
  if ('watch' in body) response.setHeader('Content-Type', 'application/json')
  response.flushHeaders()
  const chunks = 'watch' in body ? watchChunks(body.watch) : body.stream
  for await (const chunk of chunks) {
    if (!response.write(chunk)) await drained(response, signal)
    if (signal.aborted) return
  }
  response.end()
}

async function* watchChunks(
  watch: Extract<ApiBody, { readonly watch: unknown }>['watch'],
): AsyncIterable<string> {
  for await (const batch of watch) yield batch.map(encodeWatchItem).join('')
}

/** Resolves when the socket takes more, or the reader has gone. */
function drained(response: RawResponse, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const done = () => {
      response.off('drain', done)
      signal.removeEventListener('abort', done)
      resolve()
    }
    response.once('drain', done)
    signal.addEventListener('abort', done, { once: true })
    if (signal.aborted) done()
  })
}
