import type { KubeApi } from '../../ports/kube-api.js'
import { permissionDenied } from '../errors/failure.js'
import type { ActingAs, ActingAttribute } from '../identity/acting-as.js'
import type { Caller } from '../identity/caller.js'
import { reviewAccess } from '../identity/subject-access-review.js'

/** How long the instance may take to answer a review; the request waits for it. */
const REVIEW_TIMEOUT_MS = 3_000

/**
 * Asks the instance what its kube-apiserver would ask if the caller were there: whether it may impersonate each of the names. Nothing
 * is remembered: a right that is taken away in the instance counts with the next request.
 * @throws Failure PERMISSION_DENIED in kube-apiserver's words; what the instance's refusal of a review is
 */
export async function mayActAs(
  api: Pick<KubeApi, 'request'>,
  caller: Caller,
  { attributes }: ActingAs,
): Promise<void> {
  const review = (attribute: ActingAttribute) => requireReview(api, caller, attribute)
  const [user, ...others] = attributes
  // Who may not even have the name costs the instance one review, and not one for each group.
  if (user) await review(user)
  await Promise.all(others.map(review))
}

async function requireReview(
  api: Pick<KubeApi, 'request'>,
  caller: Caller,
  attribute: ActingAttribute,
): Promise<void> {
  const resourceAttributes = { verb: 'impersonate', ...attribute }
  const { allowed, reason } = await reviewAccess(api, caller, { resourceAttributes }, REVIEW_TIMEOUT_MS)
  if (!allowed) throw refused(caller, attribute, reason)
}

function refused(
  { user }: Caller,
  { group, resource, subresource, namespace, name }: ActingAttribute,
  reason: string,
) {
  const what = subresource === undefined ? resource : `${resource}/${subresource}`
  const where = namespace === undefined ? 'at the cluster scope' : `in the namespace "${namespace}"`
  const qualified = group === '' ? what : `${what}.${group}`
  return permissionDenied(
    `${qualified} "${name}" is forbidden: User "${user}" cannot impersonate resource "${what}" in API group "${group}" ${where}${reason ? `: ${reason}` : ''}`,
  )
}
