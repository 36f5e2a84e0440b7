import { ownFetch } from '../connection/own-fetch.js'
import { AnswerTooLarge, KubeError, refusalOf, UnknownOutcome } from './kube-error.js'
import type { KubeObject, ObjectAddress } from './object.js'
import { objectPath } from './object.js'

/** The time for an answer of an API server, milliseconds: as long as Kairship waits for it. */
const ANSWER_MS = 65_000
/** The largest answer, bytes: an object has 1.5 MB at most by etcd's default, an OpenAPI document some 2 MB. */
const LARGEST_ANSWER = 16 << 20

/** The parts of `fetch` that are used. */
export type KubeFetch = (
  path: string,
  init: {
    readonly method: string
    readonly headers: Readonly<Record<string, string>>
    readonly body?: string
    readonly credentials: 'same-origin'
    readonly redirect: 'error'
    readonly signal: AbortSignal
  },
) => Promise<{
  readonly status: number
  readonly headers: { get(name: string): string | null }
  readonly body: ReadableStream<Uint8Array> | null
}>

/** The answer of an API server. */
export interface KubeAnswer {
  readonly text: string
  /** The warnings that `kubectl` prints as `Warning:`. */
  readonly warnings: readonly string[]
}

/** The parts of a request beside its method and path. */
export interface KubeRequest {
  readonly query?: Readonly<Record<string, string>>
  readonly body?: { readonly type: string; readonly text: string }
  readonly signal?: AbortSignal
}

/**
 * An instance's own API through Kairship's proxy, as the signed-in user: the instance's RBAC decides, and the proxy writes the audit record. No
 * request is sent twice.
 */
export class KubeApi {
  /** @param send defaults to the page's own `fetch` */
  constructor(
    readonly instance: string,
    private readonly send: KubeFetch = ownFetch,
  ) {}

  /**
   * Sends a request.
   * @throws KubeError for a refusal, UnknownOutcome where a write has no whole answer, and the error of `fetch` for a read
   */
  async request(
    method: string,
    path: string,
    { query = {}, body, signal }: KubeRequest = {},
  ): Promise<KubeAnswer> {
    const search = new URLSearchParams(query).toString()
    const url = `/apis/kairship.io/v1alpha1/instances/${encodeURIComponent(this.instance)}/proxy${path}${search && `?${search}`}`
    const controller = new AbortController()
    const giveUp = () => controller.abort(signal?.reason)
    const late = setTimeout(
      () => controller.abort(new Error(`no answer came within ${ANSWER_MS / 1_000} s`)),
      ANSWER_MS,
    )
    signal?.addEventListener('abort', giveUp, { once: true })
    const changes = method !== 'GET' && query.dryRun === undefined
    try {
      signal?.throwIfAborted()
      const answer = await this.send(url, {
        method,
        headers: { accept: 'application/json', ...(body && { 'content-type': body.type }) },
        ...(body && { body: body.text }),
        credentials: 'same-origin',
        redirect: 'error',
        signal: controller.signal,
      })
      const text = await textOf(answer.body)
      if (text === undefined) throw new AnswerTooLarge(LARGEST_ANSWER >> 20, answer.status)
      if (answer.status >= 400) throw refusalOf(text, answer.status)
      return { text, warnings: warningsIn(answer.headers.get('warning')) }
    } catch (error) {
      if (error instanceof KubeError || !changes || signal?.aborted) throw error
      throw new UnknownOutcome(error instanceof Error ? error.message : String(error), { cause: error })
    } finally {
      clearTimeout(late)
      signal?.removeEventListener('abort', giveUp)
    }
  }

  /** Reads an object. @throws KubeError 404 where it does not exist; the errors of `request` */
  async get(at: ObjectAddress, signal?: AbortSignal): Promise<KubeObject> {
    const { text } = await this.request('GET', objectPath(at), { ...(signal && { signal }) })
    return JSON.parse(text) as KubeObject
  }

  /**
   * Deletes an object, and then its dependents. @param uid of the shown object: another one of the same name is not deleted
   * @throws the errors of `request`
   */
  async delete(at: ObjectAddress, uid: string): Promise<void> {
    const options = {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      propagationPolicy: 'Background',
      ...(uid !== '' && { preconditions: { uid } }),
    }
    await this.request('DELETE', objectPath(at), {
      body: { type: 'application/json', text: JSON.stringify(options) },
    })
  }
}

/** Reads a response body; undefined where it is too large. The size is known only after reading: large answers are chunked or compressed. */
async function textOf(body: ReadableStream<Uint8Array> | null): Promise<string | undefined> {
  if (!body) return ''
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    bytes += value.length
    if (bytes > LARGEST_ANSWER) {
      await reader.cancel()
      return undefined
    }
    text += decoder.decode(value, { stream: true })
  }
}

/** The field manager of the console's writes in `metadata.managedFields`. */
export const FIELD_MANAGER = 'kairship-console'

/** The texts of a `Warning` header (RFC 7234, section 5.5) of an API server: `299 - "text"`, several separated by commas. */
export function warningsIn(header: string | null): string[] {
  return [...(header ?? '').matchAll(/\d{3} \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) =>
    text.replace(/\\(.)/g, '$1'),
  )
}
