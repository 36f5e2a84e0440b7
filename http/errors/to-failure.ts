import { retryAfterSecondsOf, StatusError } from '../../manifests/status-error.js'
import { UnreachableError } from '../../ports/kube-api.js'
import { ServiceError, type ServiceErrorKind } from '../../ports/service-error.js'
import { Code, codeOfStatus } from '../../transcoding/code.js'
import {
  badGateway,
  cancelled,
  deadlineExceeded,
  Failure,
  type FailureDetails,
  type FieldViolation,
  failedPrecondition,
  internal,
  invalidArgument,
  notFound,
  resourceExhausted,
  unavailable,
} from './failure.js'

/**
 * The one place for errors: whatever was thrown becomes the Failure its caller reads. An abort has the Failure that is its
 * signal's reason (deadline, hang-up, shutdown).
 */
export function toFailure(error: unknown): Failure {
  if (error instanceof Failure) return error
  if (error instanceof StatusError) return fromStatus(error)
  if (error instanceof UnreachableError) return fromUnreachable(error)
  if (error instanceof ServiceError) return fromService(error)
  const known = aborted(error)
  return known ?? internal('internal error; the log has it under this request id', { cause: error })
}

/** An API server's refusal. By reason where there is one (it is finer than the HTTP code), else by code. */
function fromStatus(error: StatusError): Failure {
  const { reason, code } = error.status
  const retryAfterSeconds = retryAfterSecondsOf(error)
  const violations = violationsOf(error)
  const found: FailureDetails = {
    cause: error,
    ...(reason ? { reason } : {}),
    ...(violations.length ? { violations } : {}),
    ...(retryAfterSeconds !== undefined ? { retryAfterSeconds } : {}),
  }
  if (code === 401) {
    // Callers are authenticated by us, so this is our own credential. The caller must not take it for theirs.
    return badGateway(`an API server refuses Kairship's own credential: ${error.message}`, {
      ...found,
      reason: 'KairshipCredentialRefused',
    })
  }
  const message = withoutPatch(error.message, 'patch: ').replace(
    /^ "" is invalid: patch: /,
    'the patch cannot be applied: ',
  )
  return new Failure(byReason[reason ?? ''] ?? byCode(code), message, found)
}

/** API servers repeat the whole of a patch that they cannot apply, whatever secrets it holds. */
const withoutPatch = (message: string, before = ''): string =>
  message.replace(new RegExp(`${before || '^'}Invalid value: "(?:[^"\\\\]|\\\\.)*": `, 'gs'), before)

/**
 * The causes that name a field, each once: API servers check twice, and say it twice. Fields that a type does not have are only in the
 * text, as those of a patch are.
 */
function violationsOf({ status, message: text }: StatusError): readonly FieldViolation[] {
  const found = new Map<string, FieldViolation>()
  for (const { field, message = '', reason } of status.details?.causes ?? []) {
    if (field === undefined) continue
    // Kubernetes writes <nil> for the object as a whole.
    const where = field === '<nil>' || field === 'patch' ? '' : field
    const description = field === 'patch' ? withoutPatch(message) : message
    found.set(`${field} ${message}`, { field: where, description, ...(reason && { reason }) })
  }
  const unknown = undecodable(text)
  return unknown.length > 0 ? unknown : [...found.values()]
}

/** `strict decoding error: unknown field "spec.a", duplicate field "spec.b"`, as each field. */
function undecodable(text: string): readonly FieldViolation[] {
  const [, problems = ''] = /strict decoding error: (.*)$/s.exec(text) ?? []
  return [...problems.matchAll(/(unknown|duplicate) field "([^"\\]+)"/g)].map(([, problem, field = '']) => ({
    field,
    description: problem === 'unknown' ? 'there is no such field' : 'is given twice',
  }))
}

const byReason: Readonly<Record<string, Exclude<Code, 0>>> = {
  BadRequest: Code.INVALID_ARGUMENT,
  Invalid: Code.INVALID_ARGUMENT,
  RequestEntityTooLarge: Code.INVALID_ARGUMENT,
  NotAcceptable: Code.INVALID_ARGUMENT,
  UnsupportedMediaType: Code.INVALID_ARGUMENT,
  Forbidden: Code.PERMISSION_DENIED,
  NotFound: Code.NOT_FOUND,
  AlreadyExists: Code.ALREADY_EXISTS,
  Conflict: Code.ABORTED,
  Gone: Code.OUT_OF_RANGE,
  Expired: Code.OUT_OF_RANGE,
  MethodNotAllowed: Code.UNIMPLEMENTED,
  TooManyRequests: Code.RESOURCE_EXHAUSTED,
  ServerTimeout: Code.UNAVAILABLE,
  ServiceUnavailable: Code.UNAVAILABLE,
  Timeout: Code.DEADLINE_EXCEEDED,
  InternalError: Code.INTERNAL,
}

/** A refusal is never OK, whatever code it carries. */
const byCode = (status: number): Exclude<Code, 0> => codeOfStatus(status) || Code.INTERNAL

/** No answer came from an API server: its own words say from which and why. */
const fromUnreachable = (error: UnreachableError): Failure =>
  error.code === 'DEADLINE'
    ? deadlineExceeded(error.message, { cause: error })
    : unavailable(error.message, { cause: error })

const byKind: Readonly<Record<ServiceErrorKind, (message: string) => Failure>> = {
  invalid: invalidArgument,
  notFound,
  unmet: failedPrecondition,
  busy: resourceExhausted,
  unavailable,
  late: deadlineExceeded,
  gateway: badGateway,
}

/** A service beside Kubernetes refused, or could not be reached: its own words, and a reason. */
function fromService(error: ServiceError): Failure {
  const { code, message, details } = byKind[error.kind](error.message)
  return new Failure(code, message, { ...details, reason: error.reason, cause: error })
}

/** What an AbortSignal throws when its reason is not a Failure. */
function aborted(error: unknown): Failure | undefined {
  if (!(error instanceof Error)) return undefined
  if (error.name === 'TimeoutError')
    return deadlineExceeded('the deadline passed before an answer came', { cause: error })
  return error.name === 'AbortError' ? cancelled('the call was cancelled', { cause: error }) : undefined
}
