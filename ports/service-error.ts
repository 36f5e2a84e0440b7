/** What a service beside Kubernetes refused, by what its caller can do about it. */
export type ServiceErrorKind =
  /** The request is wrong: the caller mends it. */
  | 'invalid'
  /** There is no such thing. */
  | 'notFound'
  /** The request is fine and cannot be met as it is: ask for less, or for something else. */
  | 'unmet'
  /** The service wants fewer requests. */
  | 'busy'
  /** A retry may help. */
  | 'unavailable'
  /** It did not answer in time. */
  | 'late'
  /** The service answers in a way that is none of its protocol, or refuses Kairship's own credential: an operator mends it. */
  | 'gateway'

/** A service such as Prometheus or an image registry refused a request, or could not be reached. The message holds no secret. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError'
  constructor(
    readonly kind: ServiceErrorKind,
    message: string,
    /** Kubernetes CamelCase, stable, for programs. */
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}

/**
 * A setting of a service beside Kubernetes cannot be used. The message names the setting and the file, and quotes nothing of a
 * credential.
 */
export class ServiceSettingError extends Error {
  override readonly name = 'ServiceSettingError'
}
