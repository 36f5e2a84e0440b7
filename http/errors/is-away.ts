import { StatusError } from '../../manifests/status-error.js'
import { UnreachableError } from '../../ports/kube-api.js'
import { Code } from '../../transcoding/code.js'
import { Failure } from './failure.js'

/** Whether an error says that a server could not answer, as opposed to an answer that says no. */
export function isAway(error: unknown): boolean {
  if (error instanceof UnreachableError) return true
  if (error instanceof StatusError) return error.code >= 500 || error.code === 429
  return (
    error instanceof Failure && (error.code === Code.UNAVAILABLE || error.code === Code.DEADLINE_EXCEEDED)
  )
}
