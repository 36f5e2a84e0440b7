import { ApiError } from '../../client/errors.js'
import { Code } from '../../transcoding/code.js'
import { KubeError } from '../kube/kube-error.js'

const FORBIDDEN = 403

/** Whether the server refused the caller for want of a right. That is an answer and no outage: the same request is refused again. */
export const isDenied = (error: unknown): boolean =>
  error instanceof KubeError
    ? error.status === FORBIDDEN
    : error instanceof ApiError && error.code === Code.PERMISSION_DENIED
