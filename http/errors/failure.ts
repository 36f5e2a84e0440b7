import { Code, httpStatus } from '../../transcoding/code.js'
import { REASON_OF_CODE, type Reason } from './reasons.js'

/** One field of a request that is wrong, by its path in JSON names: `data.spec.alias`. */
export interface FieldViolation {
  readonly field: string
  readonly description: string
  /** Kubernetes' cause where an API server found it, e.g. FieldValueInvalid. */
  readonly reason?: string
}

/** The details of a Failure, for programs. */
export interface FailureDetails {
  readonly violations?: readonly FieldViolation[]
  /** For programs. Absent: that of the code (`reasons.ts`). An API server's own reason is kept. */
  readonly reason?: string
  readonly metadata?: Readonly<Record<string, string>>
  readonly retryAfterSeconds?: number
  /** Over HTTP, where the code's own status would be misread; gRPC has no such distinction. */
  readonly status?: 405 | 502
  readonly cause?: unknown
}

/**
 * A failed call, in the words its caller will read. Handlers throw it through the functions below;
 * everything else that is thrown becomes one in `to-failure.ts`. The message names the problem and the remedy, and never
 * holds a secret.
 */
export class Failure extends Error {
  override readonly name = 'Failure'
  constructor(
    readonly code: Exclude<Code, 0>,
    message: string,
    readonly details: FailureDetails = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
  }
}

/** Kairship's own refusals have only reasons that are listed. */
type OwnDetails = Omit<FailureDetails, 'reason'> & { readonly reason?: Reason }
type Build = (message: string, details?: OwnDetails) => Failure
const failure =
  (code: Exclude<Code, 0>): Build =>
  (message, details) =>
    new Failure(code, message, details)

export const invalidArgument = failure(Code.INVALID_ARGUMENT)
export const alreadyExists = failure(Code.ALREADY_EXISTS)
export const notFound = failure(Code.NOT_FOUND)
export const unauthenticated = failure(Code.UNAUTHENTICATED)
export const permissionDenied = failure(Code.PERMISSION_DENIED)
/** The system is not in the state the call needs; repeating it without changing that is useless. */
export const failedPrecondition = failure(Code.FAILED_PRECONDITION)
export const resourceExhausted = failure(Code.RESOURCE_EXHAUSTED)
export const aborted = failure(Code.ABORTED)
/** What the request continues is not known any more. */
export const expired = failure(Code.OUT_OF_RANGE)
export const cancelled = failure(Code.CANCELLED)
export const deadlineExceeded = failure(Code.DEADLINE_EXCEEDED)
/** No answer is possible now; a retry may help. */
export const unavailable = failure(Code.UNAVAILABLE)
/** The path is served, but not with this method. 405 over HTTP. */
export const methodNotAllowed: Build = (message, details) =>
  failure(Code.UNIMPLEMENTED)(message, { ...details, status: 405 })
/** What stands behind us refused Kairship itself: neither the caller nor a retry can help. 502 over HTTP. */
export const badGateway: Build = (message, details) =>
  unavailable(message, { reason: 'BadAnswer', ...details, status: 502 })
export const internal = failure(Code.INTERNAL)

/** The HTTP status that a Failure is answered with. */
export const httpStatusOf = ({ code, details }: Failure): number => details.status ?? httpStatus[code]

/** The reason that callers read: its own, an API server's, or that of its kind. Never empty. */
export function reasonOf({ code, details: { reason, violations = [] } }: Failure): string {
  if (reason) return reason
  return violations.length > 0 ? 'Invalid' : REASON_OF_CODE[code]
}

/** INVALID_ARGUMENT for named fields; the message repeats the first so that it reads well alone. */
export function invalidFields(violations: readonly FieldViolation[]): Failure {
  const [first] = violations
  const more = violations.length > 1 ? ` (and ${violations.length - 1} more)` : ''
  return invalidArgument(`${first ? `${first.field}: ${first.description}` : 'invalid request'}${more}`, {
    violations,
  })
}
