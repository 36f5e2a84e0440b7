import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Status } from '../../manifests/status-error.js'
import { Code } from '../../transcoding/code.js'
import { type Failure, httpStatusOf } from '../errors/failure.js'
import type { Reason } from '../errors/reasons.js'

/** Kubernetes' reason for each code that the proxy refuses with: clients decide by it. */
const reasons: Partial<Record<Code, string>> = {
  [Code.INVALID_ARGUMENT]: 'BadRequest',
  [Code.UNAUTHENTICATED]: 'Unauthorized',
  [Code.PERMISSION_DENIED]: 'Forbidden',
  [Code.NOT_FOUND]: 'NotFound',
  [Code.RESOURCE_EXHAUSTED]: 'TooManyRequests',
  [Code.DEADLINE_EXCEEDED]: 'Timeout',
  [Code.UNAVAILABLE]: 'ServiceUnavailable',
  [Code.INTERNAL]: 'InternalError',
}

/** A refusal as an API server would answer it: a Status object, which kubectl and client-go know how to show. */
interface Refusal {
  readonly code: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Kairship's own reasons for which programs may look: Kubernetes has one word for all of them. */
const CAUSES: ReadonlySet<string> = new Set<Reason>(['AccessLocked', 'AccessWithdrawn', 'CredentialEnded'])

/** A failure as a Kubernetes Status. Its `reason` is one that clients know; Kairship's own is among the causes. */
export function kubeStatusOf(failure: Failure): Status {
  const { retryAfterSeconds, status, reason = '' } = failure.details
  const causes = CAUSES.has(reason) ? { causes: [{ reason, message: failure.message }] } : {}
  const details = { ...(retryAfterSeconds ? { retryAfterSeconds } : {}), ...causes }
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: failure.message,
    reason: (status && reason) || (reasons[failure.code] ?? ''),
    ...(Object.keys(details).length > 0 && { details }),
    code: httpStatusOf(failure),
  }
}

function refusalOf(failure: Failure, requestId: string): Refusal {
  const { retryAfterSeconds } = failure.details
  const status = kubeStatusOf(failure)
  const { code } = status
  const body = JSON.stringify(status)
  return {
    code,
    body,
    headers: {
      'Content-Type': 'application/json',
      'Content-Length': String(Buffer.byteLength(body)),
      'Cache-Control': 'no-store',
      'X-Request-Id': requestId,
      'Kairship-Source': 'kairship',
      ...(retryAfterSeconds ? { 'Retry-After': String(retryAfterSeconds) } : {}),
      ...(failure.code === Code.UNAUTHENTICATED ? { 'WWW-Authenticate': 'Bearer realm="kairship"' } : {}),
    },
  }
}

/** Answers with a refusal; where the head of an answer is out already, the connection breaks, which is all that is left to say. */
export function refuse(response: ServerResponse, failure: Failure, requestId: string): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  const { code, headers, body } = refusalOf(failure, requestId)
  // A text of the instance that Node refused is remembered by the response, and would be refused again: that would end the process.
  response.writeHead(code, STATUS_CODES[code] ?? '', headers).end(body)
}
