/** What Kairship was doing when something failed. Also the words of the metric `kairship_effect_failures_total`. */
export type Stage =
  | 'finalizer'
  | 'credentials'
  | 'installation'
  | 'control plane'
  | 'aggregated API'
  | 'virtual cluster'
  | 'registration'
  | 'role bindings'
  | 'access locks'
  | 'service accounts'
  | 'statistics'
  | 'status'
  | 'uninstallation'

/** Why it failed, as condition reasons spell it. Closed: a new reason needs a decision in the table below. */
export type FailureReason = keyof typeof decisions

/** Something that was tried and did not work. Plain data: it travels through events, conditions and the API. */
export interface Failure {
  readonly reason: FailureReason
  readonly stage: Stage
  /** One sentence for the person on call: what was tried and what came back. Never a secret. */
  readonly message: string
  /** How long the server asked to be left alone (429 and 503 with Retry-After), milliseconds: as much of it as is obeyed. */
  readonly retryAfterMs?: number
}

/**
 * What to do about each reason. `soon`: the next try will probably work (hundreds of milliseconds); `calm`: back off up to
 * a minute; `never`: a defect of this program, trying again would only repeat it. Everything that a person outside can
 * mend is retried, so that it heals without a restart.
 */
const decisions = {
  /** The Secret that the Instance names is not there. */
  SecretNotFound: 'calm',
  /** The Secret is there, without the key that should hold the kubeconfig. */
  SecretKeyMissing: 'calm',
  /** The kubeconfig cannot be read, or names what it does not hold. */
  KubeconfigInvalid: 'calm',
  /** No connection: refused, no route, no such host, or no answer in time. */
  Unreachable: 'calm',
  /** The server's certificate does not verify against the kubeconfig's authority, or is expired or for another name. */
  CertificateInvalid: 'calm',
  /** 401: the credential is not, or no longer, known. */
  Unauthorized: 'calm',
  /** 403: the credential is known and may not do this. */
  Forbidden: 'calm',
  /** The control plane does not let Kairship impersonate callers. */
  ImpersonationRefused: 'calm',
  /** 404 of an object. */
  NotFound: 'calm',
  /** 404 of a whole type: its CRD or API service is not installed. */
  NotServed: 'calm',
  /** 409: the object was written in between. */
  Conflict: 'soon',
  /** 400 or 422: the server will not take this object as it is. */
  Invalid: 'calm',
  /** 429: the server asks to be left alone for a while. */
  Throttled: 'calm',
  /** 5xx: the server, or a server behind it, cannot answer now. */
  Unavailable: 'calm',
  /** The server answered that it is not well (`/readyz`). */
  Unhealthy: 'calm',
  /** The index claims to be well and does not show what was written long ago. */
  Stalled: 'calm',
  /** karmada-operator says that it failed. */
  InstallationFailed: 'calm',
  /** Deleted, and not gone yet: finalizers of others are at work. */
  StillThere: 'soon',
  /** The lease was lost meanwhile: another replica acts. */
  NotLeading: 'soon',
  /** A chart was run without this effect. */
  NotProvided: 'never',
  /** An error without a reason of its own. The message carries it. */
  Unexpected: 'calm',
} as const satisfies Record<string, 'soon' | 'calm' | 'never'>

/** How eagerly to try again; total over the union. */
export const paceOf = (failure: Failure): 'soon' | 'calm' | 'never' => decisions[failure.reason]

/** Whether trying again makes sense at all. */
export const isRetryable = (failure: Failure): boolean => paceOf(failure) !== 'never'

/** The control plane does not talk to us: nothing inside it can be changed or removed now. */
export const isOutOfReach = (failure: Failure): boolean =>
  (
    [
      'SecretNotFound',
      'SecretKeyMissing',
      'KubeconfigInvalid',
      'Unreachable',
      'CertificateInvalid',
      'Unauthorized',
      'Forbidden',
      'Unavailable',
      'Unhealthy',
    ] as readonly FailureReason[]
  ).includes(failure.reason)

/** An error that carries its failure; what effects throw. */
export class Failed extends Error {
  override readonly name = 'Failed'
  constructor(
    readonly failure: Failure,
    options?: ErrorOptions,
  ) {
    super(failure.message, options)
  }
}

/** Reads the failure out of whatever an effect rejected with. */
export function failureIn(error: unknown, stage: Stage): Failure {
  if (error instanceof Error && 'failure' in error) return error.failure as Failure
  return { reason: 'Unexpected', stage, message: error instanceof Error ? error.message : String(error) }
}
