/** The closed set of outcomes of a call: gRPC's codes. */
export const Code = {
  OK: 0,
  CANCELLED: 1,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  OUT_OF_RANGE: 11,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  DATA_LOSS: 15,
  UNAUTHENTICATED: 16,
} as const

export type Code = (typeof Code)[keyof typeof Code]

/** The code's name as audit records, metrics and messages show it. */
export const codeName = (code: Code): string => names[code] ?? String(code)

const names = Object.fromEntries(Object.entries(Code).map(([name, code]) => [code, name]))

/** The HTTP status a code leaves with over REST: the mapping of google.api, as grpc-gateway serves it. Total. */
export const httpStatus: Readonly<Record<Code, number>> = {
  [Code.OK]: 200,
  [Code.CANCELLED]: 499, // nginx' "client closed request"
  [Code.UNKNOWN]: 500,
  [Code.INVALID_ARGUMENT]: 400,
  [Code.DEADLINE_EXCEEDED]: 504,
  [Code.NOT_FOUND]: 404,
  [Code.ALREADY_EXISTS]: 409,
  [Code.PERMISSION_DENIED]: 403,
  [Code.RESOURCE_EXHAUSTED]: 429,
  [Code.FAILED_PRECONDITION]: 400,
  [Code.ABORTED]: 409,
  [Code.OUT_OF_RANGE]: 400,
  [Code.UNIMPLEMENTED]: 501,
  [Code.INTERNAL]: 500,
  [Code.UNAVAILABLE]: 503,
  [Code.DATA_LOSS]: 500,
  [Code.UNAUTHENTICATED]: 401,
}

/** The code of an API server's HTTP status, where its Status names no reason. Everything below 400 is OK, also 101. */
export function codeOfStatus(status: number): Code {
  if (status < 400) return Code.OK
  return byStatus[status] ?? (status < 500 ? Code.INVALID_ARGUMENT : Code.INTERNAL)
}

const byStatus: Readonly<Record<number, Exclude<Code, 0>>> = {
  401: Code.UNAUTHENTICATED,
  403: Code.PERMISSION_DENIED,
  404: Code.NOT_FOUND,
  405: Code.UNIMPLEMENTED,
  409: Code.ABORTED,
  410: Code.OUT_OF_RANGE,
  429: Code.RESOURCE_EXHAUSTED,
  502: Code.UNAVAILABLE,
  503: Code.UNAVAILABLE,
  504: Code.DEADLINE_EXCEEDED,
}
