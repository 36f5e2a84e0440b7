import { Failed, type Failure, type FailureReason, type Stage } from '../../machines/failure.js'
import { askedToWaitMs, StatusError } from '../../manifests/status-error.js'
import { KubeconfigError, UnreachableError } from '../../ports/kube-api.js'

/** What Node says of a certificate that does not verify (tls and OpenSSL error codes). */
const certificateCode =
  /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|ERR_TLS_|ERR_SSL_WRONG_VERSION|HOSTNAME_MISMATCH/

/** Reads an error of the outside world as one of the failures that the machines know; total. */
export function failureOf(error: unknown, stage: Stage): Failure {
  if (error instanceof Failed) return error.failure
  const text = error instanceof Error ? error.message : String(error)
  const reason = reasonOf(error)
  // Every connection here is Kairship's own, so this is never about a caller's credential.
  const message = reason === 'Unauthorized' ? `Kairship's own credential is refused (401): ${text}` : text
  const retryAfterMs = askedToWaitMs(error)
  return { reason, stage, message, ...(retryAfterMs > 0 && { retryAfterMs }) }
}

function reasonOf(error: unknown): FailureReason {
  if (error instanceof StatusError) return statusReason(error)
  if (error instanceof UnreachableError)
    return certificateCode.test(error.code) ? 'CertificateInvalid' : 'Unreachable'
  if (error instanceof KubeconfigError) return 'KubeconfigInvalid'
  return 'Unexpected'
}

function statusReason({ code, reason }: StatusError): FailureReason {
  if (code === 401) return 'Unauthorized'
  if (code === 403) return 'Forbidden'
  // A Status says that an object is missing; a plain text says that the whole type is.
  if (code === 404) return reason === 'NotFound' ? 'NotFound' : 'NotServed'
  if (code === 409) return 'Conflict'
  if (code === 400 || code === 422) return 'Invalid'
  if (code === 429) return 'Throttled'
  if (code >= 500) return 'Unavailable'
  return 'Unexpected'
}

/** Throws a failure of our own finding. */
export function fail(reason: FailureReason, stage: Stage, message: string): never {
  throw new Failed({ reason, stage, message })
}
