import { ApiError } from '../../client/errors.js'
import { Code } from '../../transcoding/code.js'
import { KubeError } from '../kube/kube-error.js'

const FORBIDDEN = 403

/**
 * Matches a refusal by admission, which also has code 403: a webhook of Karmada's, a quota, a namespace that is being deleted. A role does not help
 * there. A missing right is different: its message goes on with `User "ann" cannot …`, or `user "ann" (groups=…) is attempting to grant …`
 * (k8s.io/apiserver, responsewriters.ForbiddenStatusError; errors.NewForbidden).
 */
const BY_ADMISSION = /admission webhook "[^"]*" denied the request| is forbidden: (?!user )/i

/**
 * Whether the server refused the request because the caller lacks a right. This is an answer and no outage: the server refuses the same request
 * again.
 */
export const isDenied = (error: unknown): boolean => isForbidden(error) && !BY_ADMISSION.test(error.message)

const isForbidden = (error: unknown): error is KubeError | ApiError =>
  error instanceof KubeError
    ? error.status === FORBIDDEN
    : error instanceof ApiError && error.code === Code.PERMISSION_DENIED
