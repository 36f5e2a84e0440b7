import { type Status, StatusError } from '../../manifests/status-error.js'

/** Names the kind of thing an error is about: the group and the plural, as Kubernetes' own errors do. */
export interface QualifiedResource {
  readonly group: string
  readonly resource: string
}

const qualified = ({ group, resource }: QualifiedResource): string =>
  group === '' ? resource : `${resource}.${group}`

function failure(
  code: number,
  reason: string,
  message: string,
  details?: Status['details'],
  metadata: Status['metadata'] = {},
): StatusError {
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata,
    status: 'Failure',
    message,
    ...(reason === '' ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
    code,
  })
}

const about = ({ group, resource }: QualifiedResource, name: string): NonNullable<Status['details']> => ({
  ...(name === '' ? {} : { name }),
  ...(group === '' ? {} : { group }),
  kind: resource,
})

export const notFound = (of: QualifiedResource, name: string): StatusError =>
  failure(404, 'NotFound', `${qualified(of)} "${name}" not found`, about(of, name))

/** @param deleting the present object is on its way out, so trying again later may work */
export const alreadyExists = (of: QualifiedResource, name: string, deleting = false): StatusError =>
  failure(
    409,
    'AlreadyExists',
    `${deleting ? 'object is being deleted: ' : ''}${qualified(of)} "${name}" already exists`,
    about(of, name),
  )

export const conflict = (of: QualifiedResource, name: string, why: string): StatusError =>
  failure(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${qualified(of)} "${name}": ${why}`,
    about(of, name),
  )

/** What Kubernetes answers a writer whose resourceVersion is no longer the object's. */
export const MODIFIED =
  'the object has been modified; please apply your changes to the latest version and try again'

/** @param refusal the reason after the colon, e.g. why RBAC or an admission rule said no */
export const forbidden = (of: QualifiedResource, name: string, refusal: string): StatusError =>
  failure(
    403,
    'Forbidden',
    of.resource === ''
      ? `forbidden: ${refusal}`
      : `${qualified(of)}${name === '' ? '' : ` "${name}"`} is forbidden: ${refusal}`,
    of.resource === '' ? {} : about(of, name),
  )

export const unauthorized = (): StatusError => failure(401, 'Unauthorized', 'Unauthorized')

export const badRequest = (message: string): StatusError => failure(400, 'BadRequest', message)

export const methodNotSupported = (of: QualifiedResource, action: string): StatusError =>
  failure(
    405,
    'MethodNotAllowed',
    `${action} is not supported on resources of kind "${qualified(of)}"`,
    about(of, ''),
  )

export const methodNotAllowed = (): StatusError =>
  failure(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {})

export const notAcceptable = (accepted: readonly string[]): StatusError =>
  failure(406, 'NotAcceptable', `only the following media types are accepted: ${accepted.join(', ')}`)

export const unsupportedMediaType = (accepted: readonly string[]): StatusError =>
  failure(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  )

/** @param limit bytes */
export const requestEntityTooLarge = (limit: number): StatusError =>
  failure(413, 'RequestEntityTooLarge', `Request entity is too large: limit is ${limit}`)

/** A resourceVersion or continue token from before what the server remembers. */
export const expired = (message: string, metadata: Status['metadata'] = {}): StatusError =>
  failure(410, 'Expired', message, undefined, metadata)

/** A resourceVersion from the future. @param current the newest version there is */
export const resourceVersionTooLarge = (requested: number, current: number): StatusError =>
  failure(504, 'Timeout', `Timeout: Too large resource version: ${requested}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  })

/** @param cause what went wrong inside; its message is shown, so it must hold no secret */
export const internalError = (cause: unknown): StatusError => {
  const message = cause instanceof Error ? cause.message : String(cause)
  const error = failure(500, 'InternalError', `Internal error occurred: ${message}`, {
    causes: [{ message }],
  })
  return Object.assign(error, { cause })
}

/** Any status a part of the playground wants to answer with word for word. */
export const customStatus = failure
