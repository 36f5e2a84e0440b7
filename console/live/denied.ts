import { ApiError } from '../../client/errors.js'
import { Code } from '../../transcoding/code.js'
import { KubeError } from '../kube/kube-error.js'

const FORBIDDEN = 403

/**
 * What the admission of an API server refuses, which has the same code: a webhook of Karmada's, a quota, a namespace that is being deleted. No role
 * helps there. Of a right that is wanting the message goes on with `User "ann" cannot …`, or `user "ann" (groups=…) is attempting to grant …`
 * (k8s.io/apiserver, responsewriters.ForbiddenStatusError; errors.NewForbidden).
 */
const BY_ADMISSION = /admission webhook "[^"]*" denied the request| is forbidden: (?!user )/i

/** Whether the server refused the caller for want of a right. That is an answer and no outage: the same request is refused again. */
export const isDenied = (error: unknown): boolean => isForbidden(error) && !BY_ADMISSION.test(error.message)

const isForbidden = (error: unknown): error is KubeError | ApiError =>
  error instanceof KubeError
    ? error.status === FORBIDDEN
    : error instanceof ApiError && error.code === Code.PERMISSION_DENIED
