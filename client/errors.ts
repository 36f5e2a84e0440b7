import { fromJson, type JsonValue } from '@bufbuild/protobuf'
import { anyUnpack } from '@bufbuild/protobuf/wkt'
import type {
  BadRequest_FieldViolation,
  ErrorInfo,
  RequestInfo,
} from '../proto/gen/google/rpc/error_details_pb.js'
import { type Status, StatusSchema } from '../proto/gen/google/rpc/status_pb.js'
import { Code, codeName, codeOfStatus } from '../transcoding/code.js'
import { errorDetailTypes } from '../transcoding/error-details.js'
import { isJsonObject } from '../transcoding/json-object.js'

/** A call that Kairship refused, or whose deadline passed: google.rpc.Status as an error. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** One word for programs, stable: Kubernetes' own where an API server refused. Empty where there is none. */
  readonly reason: string
  /** Facts beside the reason. */
  readonly metadata: Readonly<Record<string, string>>
  /** The fields of the request that are wrong, by their paths in JSON names. */
  readonly violations: readonly Pick<BadRequest_FieldViolation, 'field' | 'description' | 'reason'>[]
  /** What the audit record and the log call the request. Empty where no Kairship answered. */
  readonly requestId: string
  /** How long to wait before the call is repeated; undefined where the server does not say. */
  readonly retryAfterSeconds: number | undefined

  constructor(
    readonly code: Code,
    message: string,
    readonly status: Status | undefined = undefined,
    /** Of the answer; undefined within a stream, and where no answer came. */
    readonly httpStatus: number | undefined = undefined,
  ) {
    super(message)
    const details = (status?.details ?? []).map(detail => anyUnpack(detail, errorDetailTypes))
    const found = <T>(typeName: string) =>
      details.find(detail => detail?.$typeName === typeName) as T | undefined
    const info = found<ErrorInfo>('google.rpc.ErrorInfo')
    this.reason = info?.reason ?? ''
    this.metadata = info?.metadata ?? {}
    this.violations =
      found<{ fieldViolations: BadRequest_FieldViolation[] }>('google.rpc.BadRequest')?.fieldViolations ?? []
    this.requestId = found<RequestInfo>('google.rpc.RequestInfo')?.requestId ?? ''
    const retry = found<{ retryDelay?: { seconds: bigint } }>('google.rpc.RetryInfo')?.retryDelay?.seconds
    this.retryAfterSeconds = retry === undefined ? undefined : Number(retry)
  }

  /** The code's name: `NOT_FOUND`. */
  get codeName(): string {
    return codeName(this.code)
  }
}

/**
 * There was no token, no answer came, or it broke off: `cause` has the error of the token's function or of `fetch`. Whether the call took
 * effect is not known, except without a token: then nothing was sent.
 */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'
}

/** An answer that no Kairship gives: not JSON, or too large. */
export class AnswerError extends Error {
  override readonly name = 'AnswerError'
}

/** The error that a refusal means. What is not a google.rpc.Status is from something between, such as a load balancer. */
export function refusal(text: string, httpStatus?: number): ApiError {
  const status = statusIn(text)
  const {
    code = UNREAD,
    message = `${httpStatus === undefined ? 'the stream ended with' : `HTTP ${httpStatus}:`} ${text.slice(0, 200)}`,
  } = status ?? {}
  return new ApiError(codeIn(code, httpStatus), message, status, httpStatus)
}

/** Outside gRPC's codes. */
const UNREAD = -1

/** The code of an answer. One with the HTTP status of a refusal is never OK, whatever it says. */
function codeIn(code: number, httpStatus: number | undefined): Code {
  if (code > 0 && code <= 16) return code as Code
  if (httpStatus === undefined) return code === 0 ? Code.OK : Code.UNKNOWN
  return codeOfStatus(httpStatus) || Code.UNKNOWN
}

function statusIn(text: string): Status | undefined {
  try {
    const json: unknown = JSON.parse(text)
    if (!isJsonObject(json) || typeof json.message !== 'string') return undefined
    // A detail of a type of tomorrow is no reason to lose the rest.
    const details = Array.isArray(json.details) ? json.details.filter(isKnownDetail) : []
    return fromJson(
      StatusSchema,
      { ...json, details },
      { registry: errorDetailTypes, ignoreUnknownFields: true },
    )
  } catch {
    // Its text is shown as it is.
    return undefined
  }
}

function isKnownDetail(detail: JsonValue): boolean {
  if (!isJsonObject(detail)) return false
  const type = detail['@type']
  return (
    typeof type === 'string' &&
    errorDetailTypes.getMessage(type.slice(type.lastIndexOf('/') + 1)) !== undefined
  )
}
