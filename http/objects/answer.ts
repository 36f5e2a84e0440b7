import { bareStatus, isStatus, StatusError } from '../../manifests/status-error.js'
import { hasMoreValues } from '../../ports/json-values.js'
import type { RawRequest, Sender } from '../../ports/kube-api.js'
import { valuesOf } from '../../ports/raw-headers.js'
import type { AnsweredFrom } from '../answered-from.js'
import { badGateway, resourceExhausted } from '../failure.js'

/** A whole answer of an instance or its index. */
export interface Answer {
  readonly status: number
  /** Names and values in turn. */
  readonly headers: readonly string[]
  readonly body: Buffer
}

/**
 * Sends one request and collects its answer.
 * @param most bytes of the body, beyond which the request is given up
 * @throws what the sender reports; Failure RESOURCE_EXHAUSTED for a body that is too large; the signal's reason
 */
export async function answerOf(
  upstream: Sender,
  request: RawRequest,
  { signal, most }: { readonly signal: AbortSignal; readonly most: number },
): Promise<Answer> {
  signal.throwIfAborted()
  let abort: (reason: Error) => void = () => undefined
  const onAbort = () => abort(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await new Promise((resolve, reject) => {
      let status = 0
      let headers: readonly string[] = []
      let size = 0
      const chunks: Uint8Array[] = []
      const exchange = upstream.send(request, {
        head(code, _message, received) {
          status = code
          headers = received
        },
        data(chunk) {
          size += chunk.length
          if (size <= most) chunks.push(chunk)
          else exchange.abort(tooLarge(most))
          return true
        },
        end: () => resolve({ status, headers, body: Buffer.concat(chunks) }),
        failed: reject,
      })
      abort = reason => exchange.abort(reason)
    })
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

const tooLarge = (most: number) =>
  resourceExhausted(`the instance’s answer is larger than ${most >> 20} MiB: ask for less at once`, {
    reason: 'AnswerTooLarge',
  })

/** A page of 500 objects with their managed fields has a million at most; more take seconds to parse, for everybody. */
const MOST_VALUES = 4_000_000

/**
 * The JSON of a good answer.
 * @throws StatusError for a refusal; Failure UNAVAILABLE for what is no answer of an API server, RESOURCE_EXHAUSTED for too many
 * values
 */
export function jsonOf({ status, body }: Answer): unknown {
  const text = body.toString('utf8')
  if (hasMoreValues(text, MOST_VALUES))
    throw resourceExhausted(
      `the instance’s answer has more than ${MOST_VALUES} values: ask for less at once`,
      {
        reason: 'AnswerTooLarge',
      },
    )
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    if (status >= 400) throw new StatusError(bareStatus(status, text.slice(0, 500).trim()))
    throw badGateway(`the instance answered ${status} with what is no JSON`, { cause: error })
  }
  if (status < 400) return json
  throw new StatusError(
    isStatus(json) ? { ...json, code: json.code || status } : bareStatus(status, `it answered ${status}`),
  )
}

/** Where an answer is from, as the proxy's own headers on it say. */
export function sourceOfAnswer({ headers }: Answer): AnsweredFrom | undefined {
  const one = (name: string) => valuesOf(headers, name).at(-1)
  const source = one('kairship-source')
  if (source !== 'index' && source !== 'karmada') return undefined
  const lag = one('kairship-index-lag')
  const warning = /^299 kairship "(.*)"$/.exec(one('warning') ?? '')?.[1]
  return {
    source,
    reason: one('kairship-source-reason') ?? '',
    ...(lag !== undefined && { lagMs: Number(lag) }),
    ...(warning !== undefined && { warning }),
  }
}
