import { type Status, StatusError } from '../../manifests/status-error.js'
import type { KubeApi, KubeRequest, WatchEvent } from '../../ports/kube-api.js'
import { isObject, type JsonObject } from '../apimachinery/json.js'
import { turn } from './turns.js'
import { listObject } from './wire/encode.js'
import type { ApiRequest, ApiResponse } from './wire/exchange.js'

/**
 * The API server as its own process sees it: the same way for every request, but no socket and no text. Answers are the
 * stored objects themselves, frozen; copy one before changing it.
 */
export function localApi(server: string, answer: (request: ApiRequest) => Promise<ApiResponse>): KubeApi {
  const closed = new AbortController()
  return {
    server,
    async request<T>(request: KubeRequest): Promise<T> {
      await turn()
      if (closed.signal.aborted) throw new Error(`the local connection to ${server} is closed`)
      request.signal?.throwIfAborted()
      const response = await answer(requestOf(request, request.signal ?? closed.signal))
      return valueIn(response) as T
    },
    async *watch(request) {
      const signals = [closed.signal, ...(request.signal ? [request.signal] : [])]
      const query = { ...request.query, watch: true }
      const response = await answer(requestOf({ ...request, method: 'GET', query }, AbortSignal.any(signals)))
      if (!('watch' in response.body)) {
        valueIn(response)
        throw new Error(`${request.path} cannot be watched`)
      }
      request.opened?.()
      for await (const batch of response.body.watch) {
        for (const { type, object } of batch) yield { type, object } satisfies WatchEvent
      }
    },
    async close() {
      closed.abort()
    },
  }
}

function requestOf(request: KubeRequest, signal: AbortSignal): ApiRequest {
  const query = new URLSearchParams()
  for (const [key, value] of Object.entries(request.query ?? {})) {
    if (value !== undefined) query.append(key, String(value))
  }
  return {
    method: request.method,
    path: request.path,
    query,
    headers: headersOf(request),
    body: async () => Buffer.alloc(0),
    ...(request.body === undefined ? {} : { parsedBody: request.body }),
    signal,
  }
}

function headersOf({ contentType, accept, impersonate }: KubeRequest): ApiRequest['headers'] {
  const extra = Object.entries(impersonate?.extra ?? {}).map(([key, values]) => [
    `impersonate-extra-${encodeURIComponent(key)}`,
    values,
  ])
  return {
    accept: accept ?? 'application/json',
    'content-type': contentType ?? 'application/json',
    'user-agent': 'local',
    ...(impersonate ? { 'impersonate-user': impersonate.user } : {}),
    ...(impersonate?.groups ? { 'impersonate-group': impersonate.groups } : {}),
    ...Object.fromEntries(extra),
  }
}

/** The value of an answer. @throws StatusError for a failure, plain text included */
function valueIn({ code, body }: ApiResponse): unknown {
  if ('list' in body) return listObject(body.list)
  const value =
    'text' in body
      ? (body.object ?? parsed(body.text.toString(), body.contentType))
      : 'object' in body
        ? body.object
        : undefined
  if (code < 400) return value
  if (isObject(value) && value.kind === 'Status') throw new StatusError(value as unknown as Status)
  throw new StatusError(plainStatus(code, String(value)))
}

const parsed = (text: string, contentType: string): unknown =>
  contentType.startsWith('application/json') ? (JSON.parse(text) as JsonObject) : text

const plainStatus = (code: number, text: string): Status => ({
  apiVersion: 'v1',
  kind: 'Status',
  metadata: {},
  status: 'Failure',
  message: text.trim(),
  reason: '',
  code,
})
