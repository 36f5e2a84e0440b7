import { StatusError } from '../../manifests/status-error.js'
import { type KubeApi, UnreachableError, UnusableAnswerError } from '../../ports/kube-api.js'

/** How long an API server may take to answer a review, milliseconds. */
const TIMEOUT_MS = 10_000

/** An API server answers with the review and its verdict; groups and extras of a caller are some kilobytes. */
const LARGEST_ANSWER = 1 << 20

/** A review as Kubernetes takes it, and the field of its status by which one can tell that it was answered. */
export interface AskedReview {
  readonly path: string
  readonly body: object
  /** A boolean where it is there. */
  readonly verdict: 'authenticated' | 'allowed'
  readonly timeoutMs?: number
}

/**
 * Asks an API server to review something. What is no review, as the page of a proxy in its place, is no answer: it must neither let somebody in nor
 * tell somebody that their token is over.
 * @returns the `status` of the review
 * @throws StatusError for a refusal; UnreachableError when no review came
 */
export async function askedReview(
  api: Pick<KubeApi, 'request'>,
  { path, body, verdict, timeoutMs = TIMEOUT_MS }: AskedReview,
): Promise<Readonly<Record<string, unknown>>> {
  const noReview = (what: string, cause?: unknown) =>
    new UnreachableError(`POST ${path}: the API server ${what}`, 'NO_REVIEW', { cause })
  let review: unknown
  try {
    review = await api.request<unknown>({
      method: 'POST',
      path,
      body,
      timeoutMs,
      maxAnswerBytes: LARGEST_ANSWER,
    })
  } catch (error) {
    // A refusal of Kubernetes has a reason; without one it is of something that stands before the API server.
    if (error instanceof StatusError && (error.code < 400 || (error.code >= 500 && error.reason === '')))
      throw noReview(`answered ${error.code}, and no review`, error)
    if (error instanceof UnusableAnswerError) throw noReview(`gave no review: ${error.message}`, error)
    throw error
  }
  const status = isObject(review) ? review.status : undefined
  if (!isObject(status) || !['boolean', 'undefined'].includes(typeof status[verdict]))
    throw noReview('answered with something that is no review')
  return status
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null
