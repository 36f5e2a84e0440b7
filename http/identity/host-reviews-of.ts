import type { KubeApi } from '../../ports/kube-api.js'
import { HostReviews, type HostReviewsOptions, type ReviewKind } from './host-reviews.js'
import { reviewAccess } from './subject-access-review.js'
import { reviewToken } from './token-review.js'

/** It is nobody's token, and the host is asked about it alone. */
const NO_TOKEN = 'kairship-asks-whether-tokens-are-reviewed'
const NOBODY = { user: 'system:anonymous', groups: ['system:unauthenticated'], extra: {} }

/** The reviews that a host is asked for. */
export function hostReviewsOf({
  host,
  ...options
}: Omit<HostReviewsOptions, 'kind' | 'probe'> & { readonly host: KubeApi }): Readonly<
  Record<ReviewKind, HostReviews>
> {
  return {
    token: new HostReviews({
      ...options,
      kind: 'token',
      probe: timeoutMs => reviewToken(host, NO_TOKEN, Date.now(), timeoutMs),
    }),
    access: new HostReviews({
      ...options,
      kind: 'access',
      probe: timeoutMs =>
        reviewAccess(host, NOBODY, { nonResourceAttributes: { verb: 'get', path: '/readyz' } }, timeoutMs),
    }),
  }
}
