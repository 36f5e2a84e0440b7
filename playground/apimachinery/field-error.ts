import type { Status } from '../../manifests/status-error.js'

/** Why a field was refused: the `reason` of a Status cause, with the words `kubectl` shows for it. */
const WORDS = {
  FieldValueNotFound: 'Not found',
  FieldValueRequired: 'Required value',
  FieldValueDuplicate: 'Duplicate value',
  FieldValueInvalid: 'Invalid value',
  FieldValueNotSupported: 'Unsupported value',
  FieldValueForbidden: 'Forbidden',
  FieldValueTooLong: 'Too long',
  FieldValueTooShort: 'Too short',
  FieldValueTooMany: 'Too many',
  FieldValueTooFew: 'Too few',
  FieldValueTypeInvalid: 'Invalid value',
  InternalError: 'Internal error',
} as const

export type FieldErrorReason = keyof typeof WORDS

/** These say nothing of the value itself: it is absent, too large to repeat, or not the point. */
const WITHOUT_VALUE: ReadonlySet<FieldErrorReason> = new Set([
  'FieldValueRequired',
  'FieldValueForbidden',
  'FieldValueTooLong',
  'FieldValueTooShort',
  'InternalError',
])

/** One refused field. `body` is what follows the field's path in the message. */
export interface FieldError {
  readonly reason: FieldErrorReason
  /** `spec.template.spec.containers[0].image`; `<nil>` for the object as a whole. */
  readonly field: string
  readonly body: string
}

/** A field error of any reason; `value` is left out of the text where Kubernetes leaves it out. */
export function fieldError(
  reason: FieldErrorReason,
  field: string,
  value: unknown,
  detail: string,
): FieldError {
  const shown = WITHOUT_VALUE.has(reason)
    ? WORDS[reason]
    : `${WORDS[reason]}: ${JSON.stringify(value ?? null)}`
  return {
    reason,
    field: field === '' ? '<nil>' : field,
    body: detail === '' ? shown : `${shown}: ${detail}`,
  }
}

export const required = (field: string, detail = ''): FieldError =>
  fieldError('FieldValueRequired', field, '', detail)
export const invalid = (field: string, value: unknown, detail: string): FieldError =>
  fieldError('FieldValueInvalid', field, value, detail)
export const forbidden = (field: string, detail: string): FieldError =>
  fieldError('FieldValueForbidden', field, '', detail)
export const duplicate = (field: string, value: unknown): FieldError =>
  fieldError('FieldValueDuplicate', field, value, '')
export const typeInvalid = (field: string, value: unknown, detail: string): FieldError =>
  fieldError('FieldValueTypeInvalid', field, value, detail)
/** @param unit what is counted: bytes for most strings, characters where a CRD's maxLength counts them */
export const tooLong = (field: string, maximum: number, unit: 'bytes' | 'characters' = 'bytes'): FieldError =>
  fieldError('FieldValueTooLong', field, '', `may not be more than ${maximum} ${unit}`)
export const tooMany = (field: string, actual: number, maximum: number): FieldError =>
  fieldError(
    'FieldValueTooMany',
    field,
    actual,
    `must have at most ${maximum} item${maximum === 1 ? '' : 's'}`,
  )
export const notSupported = (field: string, value: unknown, supported: readonly unknown[]): FieldError =>
  fieldError(
    'FieldValueNotSupported',
    field,
    value,
    supported.length === 0
      ? ''
      : `supported values: ${supported.map(one => JSON.stringify(String(one))).join(', ')}`,
  )

/** `spec` + `replicas` → `spec.replicas`; an empty path is the object itself. */
export const child = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`)
/** `spec.ports` + 0 → `spec.ports[0]`; a string key addresses a map. */
export const index = (path: string, key: number | string): string => `${path}[${key}]`

const line = (error: FieldError): string => `${error.field}: ${error.body}`

/** Several errors in one line: alone as it is, else bracketed, each text once. */
function joinErrors(messages: readonly string[]): string {
  const once = [...new Set(messages)]
  return once.length === 1 ? String(once[0]) : `[${once.join(', ')}]`
}

/** The 422 Status of an object whose fields were refused. */
export function invalidStatus(
  kind: { readonly group: string; readonly kind: string },
  name: string,
  errors: readonly FieldError[],
): Status {
  const qualified = kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`
  const suffix = errors.length === 0 ? '' : `: ${joinErrors(errors.map(line))}`
  return {
    apiVersion: 'v1',
    kind: 'Status',
    metadata: {},
    status: 'Failure',
    message: `${qualified} ${JSON.stringify(name)} is invalid${suffix}`,
    reason: 'Invalid',
    details: {
      ...(name === '' ? {} : { name }),
      ...(kind.group === '' ? {} : { group: kind.group }),
      ...(kind.kind === '' ? {} : { kind: kind.kind }),
      causes: errors.map(({ reason, body, field }) => ({ reason, message: body, field })),
    },
    code: 422,
  }
}

/** The 400 Status of a request that could not be understood. */
export const badRequestStatus = (message: string): Status => failure(400, 'BadRequest', message)

/** A failure Status without an object. */
export const failure = (code: number, reason: string, message: string): Status => ({
  apiVersion: 'v1',
  kind: 'Status',
  metadata: {},
  status: 'Failure',
  message,
  ...(reason === '' ? {} : { reason }),
  code,
})
