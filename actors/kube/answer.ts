import { bareStatus, isStatus, type Status, StatusError } from '../../manifests/status-error.js'
import { hasMoreValues } from '../../ports/json-values.js'

/** The answer is larger than this connection accepts. Ask for less: a smaller `limit`, a selector. */
export class AnswerTooLargeError extends Error {
  override readonly name = 'AnswerTooLargeError'
  constructor(most: number, of: 'bytes' | 'values' = 'bytes') {
    super(
      of === 'bytes' ? `the answer is larger than ${most} bytes` : `the answer has more than ${most} values`,
    )
  }
}

/** Refuses JSON that would take long to parse, for everybody in this process. @throws AnswerTooLargeError */
export function boundValues(json: string, maxValues: number): void {
  if (hasMoreValues(json, maxValues)) throw new AnswerTooLargeError(maxValues, 'values')
}

/** Header names are lower case, as undici delivers them. */
export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>

/**
 * Reads a body up to a bound.
 * @param grown is awaited with the size so far before more is read
 * @throws AnswerTooLargeError beyond it; the rest is then not read
 */
export async function readBody(
  body: AsyncIterable<Buffer>,
  maxBytes: number,
  grown: (bytes: number) => Promise<void> = async () => undefined,
): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > maxBytes) throw new AnswerTooLargeError(maxBytes)
    chunks.push(chunk)
    await grown(size)
  }
  return (chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)).toString('utf8')
}

/**
 * The parsed JSON of a successful answer, or its text where it says it is something else.
 * @throws AnswerTooLargeError for JSON of more values
 */
export function parseAnswer(headers: AnswerHeaders, text: string, maxValues: number): unknown {
  if (!isJson(headers)) return text
  if (text === '') return undefined
  boundValues(text, maxValues)
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Error(`the answer says it is JSON and is not (${text.length} characters)`, { cause })
  }
}

/**
 * What a refusal says. A Status body is taken at its word; anything else (an aggregator's `service unavailable`, the
 * plain-text 404 of a type that is not served) keeps its code and text, and its reason is empty.
 */
export function refusal(code: number, headers: AnswerHeaders, text: string): StatusError {
  const said = parseStatus(headers, text)
  const status = said
    ? { ...said, code: said.code || code }
    : bareStatus(code, excerpt(text) || `the server answered ${code}`)
  const retryAfterSeconds = retryAfterOf(headers)
  if (!(retryAfterSeconds > 0) || status.details?.retryAfterSeconds !== undefined)
    return new StatusError(status)
  return new StatusError({ ...status, details: { ...status.details, retryAfterSeconds } })
}

/**
 * Whole seconds of Retry-After (RFC 9110, section 10.2.3), NaN for what is none. Proxies before an API server write a date too; it is compared with
 * that of the answer, so that no two clocks have to agree.
 */
function retryAfterOf({ 'retry-after': header, date }: AnswerHeaders): number {
  const text = String(header)
  if (/^\d+(\.\d+)?$/.test(text)) return Math.ceil(Number(text))
  if (!text.endsWith(' GMT')) return Number.NaN
  return Math.ceil((Date.parse(text) - (Date.parse(String(date)) || Date.now())) / 1_000)
}

const isJson = (headers: AnswerHeaders): boolean => String(headers['content-type'] ?? '').includes('json')

function parseStatus(headers: AnswerHeaders, text: string): Status | undefined {
  if (!isJson(headers)) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isStatus(value) ? value : undefined
  } catch {
    return undefined // an error page that claims to be JSON: its text is the message
  }
}

/** Error pages may be long: the first line's worth is what a person reads. */
const excerpt = (text: string): string => text.trim().slice(0, 512)
