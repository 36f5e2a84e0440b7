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

/** The reasons that services beside Kubernetes give calls to fail, for programs: a name that is published stays, with its meaning. */
export const SERVICE_REASONS = {
  BadQuery: 'Prometheus does not accept the query.',
  IssuerRefused: 'The issuer refuses the sign-in, or Kairship as its client. The message has its words.',
  LoginOver: 'The issuer renews a login no longer: sign in again.',
  MetricsBusy: 'The metrics service has too many requests.',
  MetricsCredentialRefused: 'The metrics service refuses Kairship’s credential.',
  MetricsFailed: 'The metrics service failed in a way of its own. The message has its words.',
  MetricsUnavailable: 'The metrics service cannot answer now. A retry may help.',
  NoCatalog: 'The registry does not list its repositories.',
  NoIssuer: 'The issuer does not publish what people need in order to sign in there.',
  NoPrometheus: 'The metrics service answers as Prometheus does not.',
  NoRegistry: 'The registry answers as no registry does.',
  NoRegistryToken: 'The token server of the registry gave no token.',
  QueryCanceled: 'Prometheus gave the query up.',
  QueryFailed: 'Prometheus could not run the query.',
  QueryTimeout: 'The query took Prometheus too long.',
  RegistryBusy: 'The registry has too many requests.',
  RegistryCredentialRefused: 'The registry refuses Kairship’s credential, or wants one.',
  RegistryRedirects: 'The registry redirects requests, which is not followed.',
  RegistryTooLarge: 'The registry holds too much for one call: ask for a smaller page.',
  RegistryUnavailable: 'The registry cannot answer now. A retry may help.',
  ServiceSettingUnusable: 'A file of Kairship’s settings for the service cannot be used. The log says which.',
  ServiceTimeout: 'The service did not answer in time.',
  ServiceUnreachable: 'The service cannot be reached.',
  TokenServerNotAllowed: 'The registry names a token server that Kairship’s settings do not.',
} as const satisfies Readonly<Record<string, string>>

/** Why a service refused; the last two have the meaning that they have everywhere. */
export type ServiceReason = keyof typeof SERVICE_REASONS | 'NotFound' | 'AnswerTooLarge'

/** A service such as Prometheus or an image registry refused a request, or could not be reached. The message holds no secret. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError'
  constructor(
    readonly kind: ServiceErrorKind,
    message: string,
    readonly reason: ServiceReason,
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
