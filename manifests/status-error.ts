/** meta/v1 Status: how a Kubernetes API server says no. */
export interface Status {
  readonly apiVersion: 'v1'
  readonly kind: 'Status'
  readonly metadata: Readonly<Record<string, unknown>>
  readonly status: 'Failure' | 'Success'
  readonly message: string
  /** Machine-readable, e.g. NotFound, AlreadyExists, Conflict, Forbidden, Invalid, Expired, Timeout. Empty for bare 500s. */
  readonly reason?: string
  readonly details?: {
    readonly name?: string
    readonly group?: string
    readonly kind?: string
    readonly uid?: string
    readonly causes?: readonly {
      readonly reason?: string
      readonly message?: string
      readonly field?: string
    }[]
    readonly retryAfterSeconds?: number
  }
  /** The HTTP status code. */
  readonly code: number
}

/**
 * An API server answered with something else than success. You see it on every refused request; `status.reason` says
 * which decision to take (see `isNotFound` and its siblings). Network trouble is not a StatusError.
 */
export class StatusError extends Error {
  override readonly name = 'StatusError'
  constructor(
    readonly status: Status,
    options?: ErrorOptions,
  ) {
    super(status.message || `the server answered ${status.code}`, options)
  }
  get code(): number {
    return this.status.code
  }
  get reason(): string {
    return this.status.reason ?? ''
  }
}

const reasonIs =
  (reason: string) =>
  (error: unknown): error is StatusError =>
    error instanceof StatusError && error.reason === reason

/** The object does not exist. Plain-text 404s of unserved types are StatusErrors with code 404 and reason ''. */
export const isNotFound = reasonIs('NotFound')
/** A member cluster through which an object was asked for is not there: the object may be, or not. */
export const isNoCluster = (error: unknown): error is StatusError =>
  isNotFound(error) &&
  error.status.details?.group === 'cluster.karmada.io' &&
  error.status.details.kind === 'clusters'
/** Create found the name taken. */
export const isAlreadyExists = reasonIs('AlreadyExists')
/** The resourceVersion or uid precondition no longer holds: read again and decide again. */
export const isConflict = reasonIs('Conflict')
/** The credential may not do this. */
export const isForbidden = reasonIs('Forbidden')
/** The resourceVersion or continue token is older than the server remembers (HTTP 410): list again. */
export const isExpired = (error: unknown): error is StatusError =>
  error instanceof StatusError && error.code === 410
/**
 * The server no longer has a list at the version that was asked for, or never had it: 410 for one that was compacted; 400, 500 or 504,
 * by the server's version, for one that is no version of it.
 */
export const isNoSuchVersion = (error: unknown): error is StatusError =>
  error instanceof StatusError && (error.code === 400 || error.code === 410 || error.code >= 500)

/** A Status that came as a value (a watch's ERROR event), as the error it is; anything else as a 500 without reason. */
export function statusErrorOf(object: unknown): StatusError {
  if (isStatus(object)) return new StatusError({ ...object, code: object.code || 500 })
  return new StatusError(bareStatus(500, 'the server reported an error without a Status'))
}

/** Seconds of a Status are an int32. */
const MOST_SECONDS = 2 ** 31 - 1

/**
 * After how many seconds a server asks to be asked again, whole ones; undefined where it asks for nothing, or for what is no time. A server may
 * write anything there.
 */
export function retryAfterSecondsOf({ status }: StatusError): number | undefined {
  const seconds: unknown = status.details?.retryAfterSeconds
  return typeof seconds === 'number' && seconds > 0 ? Math.min(Math.ceil(seconds), MOST_SECONDS) : undefined
}

/** No server is obeyed for longer when it asks to be left alone, milliseconds: what it asks for may be a mistake. */
const LONGEST_OBEYED_MS = 300_000

/**
 * How long a server asks to be left alone (429 and 503 with Retry-After, or a Status that says so), milliseconds. 0 for an error that asks for
 * nothing, or for what is no time: a server may write anything there, and a timer of NaN or of a year would fire at once.
 */
export function askedToWaitMs(error: unknown): number {
  const seconds: unknown = error instanceof StatusError ? error.status.details?.retryAfterSeconds : undefined
  return typeof seconds === 'number' && seconds > 0 ? Math.min(seconds * 1_000, LONGEST_OBEYED_MS) : 0
}

/** A failure of which only the HTTP code and a text are known. */
export const bareStatus = (code: number, message: string): Status => ({
  apiVersion: 'v1',
  kind: 'Status',
  metadata: {},
  status: 'Failure',
  message,
  reason: '',
  code,
})

/** Whether a value is a meta/v1 Status as far as this code relies on it. */
export function isStatus(value: unknown): value is Status {
  if (typeof value !== 'object' || value === null) return false
  const { kind, message, code } = value as { kind?: unknown; message?: unknown; code?: unknown }
  return kind === 'Status' && typeof (message ?? '') === 'string' && typeof (code ?? 0) === 'number'
}
