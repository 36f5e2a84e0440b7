import type { KubeApi } from '../../ports/kube-api.js'
import type { Caller } from './caller.js'

/** How long an API server may take to answer a review, in milliseconds. */
const TIMEOUT_MS = 10_000

/** An API server answers with the review and its verdict; groups and extras of a caller are some kilobytes. */
const LARGEST_ANSWER = 1 << 20

/** What is reviewed: `resourceAttributes` or `nonResourceAttributes` of a SubjectAccessReview's spec. */
export interface ReviewedAttributes {
  readonly resourceAttributes?: object
  readonly nonResourceAttributes?: object
}

/**
 * Asks an API server whether a caller may do something. Only a plain yes counts.
 * @throws StatusError, UnreachableError when it did not answer
 */
export async function reviewAccess(
  api: Pick<KubeApi, 'request'>,
  { user, uid, groups, extra }: Caller,
  attributes: ReviewedAttributes,
  timeoutMs = TIMEOUT_MS,
): Promise<{ readonly allowed: boolean; readonly reason: string }> {
  const { status } = await api.request<{
    readonly status?: { readonly allowed?: unknown; readonly denied?: unknown; readonly reason?: unknown }
  }>({
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    body: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: {
        user,
        groups,
        ...(uid ? { uid } : {}),
        ...(Object.keys(extra).length > 0 ? { extra } : {}),
        ...attributes,
      },
    },
    timeoutMs,
    maxAnswerBytes: LARGEST_ANSWER,
  })
  const reason = typeof status?.reason === 'string' ? status.reason : ''
  return { allowed: status?.allowed === true && status.denied !== true, reason }
}
