/** The authenticated user behind a request. Nothing else of a request says who that is. */
export interface Caller {
  readonly user: string
  readonly uid?: string
  readonly groups: readonly string[]
  readonly extra: Readonly<Record<string, readonly string[]>>
  /** By what it was proved; no part of who the caller is. Absent where nothing is known of it. */
  readonly credential?: CallerCredential
}

/** What is known of the token or certificate that proved a caller: what a lock may name, and when it stops counting. Holds no secret. */
export interface CallerCredential {
  /** The id of a token: its `jti`, or Kubernetes' `authentication.kubernetes.io/credential-id`; of a certificate `X509SHA256=<hex>`. */
  readonly id?: string
  /** Milliseconds since the epoch from which on it proves nothing; absent where only its issuer knows. */
  readonly expiresAt?: number
  /** The `iss` of the token where Kairship verified it itself; absent for those that the host reviewed, and for certificates. */
  readonly issuer?: string
  /** The id of the credential by which a token of Kairship's own was requested: a lock on that one is for this one too. */
  readonly requestedWith?: string
  /** The instance that a token of Kairship's own is for; it counts nowhere else. */
  readonly instance?: string
}

/**
 * Whether a text would be another one after it travelled in a header: servers remove blanks at its ends, and a line break begins
 * a header of its own.
 */
export const isChangedByHeader = (value: string): boolean => CHANGED_BY_HEADER.test(value)

// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be in a header
const CHANGED_BY_HEADER = /^\s|\s$|[\0-\x1f\x7f]/
