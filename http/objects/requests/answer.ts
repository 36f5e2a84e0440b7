import { bareStatus, isStatus, StatusError } from '../../../manifests/status-error.js'
import { countValues } from '../../../ports/json-values.js'
import type { RawRequest, Sender } from '../../../ports/kube-api.js'
import { valuesOf } from '../../../ports/raw-headers.js'
import type { AnsweredFrom } from '../../call/answered-from.js'
import { badGateway, resourceExhausted } from '../../errors/failure.js'
import type { AnswerReading } from '../../limits/answer-memory.js'

/** A whole answer of an instance or its index. */
export interface Answer {
  readonly status: number
  /** Names and values in turn. */
  readonly headers: readonly string[]
  readonly body: Buffer
}

/**
 * What a chunk takes at least, bytes, however short: its buffer and its place among the others. Chunks of one byte were measured at
 * 220 to 235 bytes of the process each (Node 20, 200,000 of them through undici).
 */
const LEAST_OF_CHUNK = 256

/**
 * Sends one request and collects its answer. The sender is held back while there is no room for it.
 * @param most bytes of the body, beyond which the request is given up
 * @param reading counts what is collected
 * @throws what the sender reports; Failure RESOURCE_EXHAUSTED for a body that is too large, or that got no room, DEADLINE_EXCEEDED for
 * one that took too long; the signal's reason
 */
export async function answerOf(
  upstream: Sender,
  request: RawRequest,
  {
    signal,
    most,
    reading,
  }: { readonly signal: AbortSignal; readonly most: number; readonly reading: AnswerReading },
): Promise<Answer> {
  signal.throwIfAborted()
  let abort: (reason: Error) => void = () => undefined
  let stopClock: () => void = () => undefined
  let isOver = false
  const onAbort = () => abort(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await new Promise((resolve, reject) => {
      let status = 0
      let headers: readonly string[] = []
      let size = 0
      let counted = 0
      const chunks: Uint8Array[] = []
      const startClock = () => {
        stopClock = reading.run(late => exchange.abort(late))
      }
      /** Whether there is no room yet; the exchange goes on when there is. */
      const waits = (bytes: number): boolean => {
        try {
          const room = reading.add(bytes)
          if (!room) return false
          stopClock()
          const goOn = () => {
            if (isOver) return
            startClock()
            exchange.resume()
          }
          room.then(goOn).catch((error: Error) => exchange.abort(error))
          return true
        } catch (error) {
          exchange.abort(error as Error)
          return false
        }
      }
      const exchange = upstream.send(request, {
        head(code, _message, received) {
          status = code
          headers = received
        },
        data(chunk) {
          size += chunk.length
          if (size > most) {
            exchange.abort(tooLarge(most))
            return true
          }
          chunks.push(chunk)
          // By their average: short ones between long ones, as records of TLS make them, count with their bytes alone.
          const more = Math.max(size, chunks.length * LEAST_OF_CHUNK) - counted
          counted += more
          return !waits(more)
        },
        end: () => resolve({ status, headers, body: Buffer.concat(chunks) }),
        failed: reject,
      })
      abort = reason => exchange.abort(reason)
      startClock()
    })
  } finally {
    isOver = true
    stopClock()
    signal.removeEventListener('abort', onAbort)
  }
}

const tooLarge = (most: number) =>
  resourceExhausted(`the instance’s answer is larger than ${most >> 20} MiB: ask for less at once`, {
    reason: 'AnswerTooLarge',
  })

/** A page of 500 objects with their managed fields has a million at most; more take seconds to parse, for everybody. */
const MOST_VALUES = 4_000_000
/** What a value takes at least when it is parsed. Objects of Kubernetes have twice as many bytes for each as text. */
const BYTES_OF_VALUE = 16

/**
 * The bytes that an answer is to be counted with beyond those of its text, because it has so many values. Of ordinary objects that
 * is none.
 * @throws Failure RESOURCE_EXHAUSTED for too many values
 */
export function bytesOfValues(body: Buffer): number {
  // Its quotes, commas and brackets stand at the same places in any reading of the bytes.
  const values = countValues(body.toString('latin1'), MOST_VALUES)
  if (values > MOST_VALUES)
    throw resourceExhausted(
      `the instance’s answer has more than ${MOST_VALUES} values: ask for less at once`,
      { reason: 'AnswerTooLarge' },
    )
  return Math.max(0, values * BYTES_OF_VALUE - body.length)
}

/**
 * The JSON of a good answer.
 * @throws StatusError for a refusal; Failure UNAVAILABLE for what is no answer of an API server
 */
export function jsonOf({ status, body }: Omit<Answer, 'headers'>): unknown {
  const text = body.toString('utf8')
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
  const measuredAt = one('kairship-index-measured')
  const warning = /^299 kairship "(.*)"$/.exec(one('warning') ?? '')?.[1]
  return {
    source,
    reason: one('kairship-source-reason') ?? '',
    ...(lag !== undefined && { lagMs: Number(lag) }),
    ...(measuredAt !== undefined && { measuredAt }),
    ...(warning !== undefined && { warning }),
  }
}
