import type { KubeApi } from '../../ports/kube-api.js'
import { askedReview } from './asked-review.js'
import type { Caller } from './caller.js'

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
  timeoutMs?: number,
): Promise<{ readonly allowed: boolean; readonly reason: string }> {
  const status = await askedReview(api, {
    path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    verdict: 'allowed',
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
    ...(timeoutMs !== undefined && { timeoutMs }),
  })
  const reason = typeof status.reason === 'string' ? status.reason : ''
  return { allowed: status.allowed === true && status.denied !== true, reason }
}
