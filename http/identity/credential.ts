import type { Caller } from './caller.js'

/** How to find out whether the credential behind a caller still counts, and which calls show the same one. */
export interface CredentialCheck {
  /** Names the credential without being it: calls of one credential are judged together. */
  readonly key: string
  /** The issuer whose configuration vouches for it. */
  readonly issuer?: { readonly isOver: boolean }
  /**
   * Asks who accepted it whether it still counts, whatever is cached. Absent where nobody can be asked.
   * @throws Failure UNAUTHENTICATED when it does not count any more; others when nobody answered
   */
  readonly ask?: () => Promise<Caller>
}

const checks = new WeakMap<Caller, CredentialCheck>()

/** How to check the credential behind a caller; undefined for one that no request has shown. */
export const checkOf = (caller: Caller): CredentialCheck | undefined => checks.get(caller)

/** Notes how to check the credential that showed a caller, beside the Caller: it can ask with the credential. Returns the caller. */
export function checkedBy<T extends Caller>(caller: T, check: CredentialCheck): T {
  checks.set(caller, check)
  return caller
}

/** Who vouches for the credential behind a caller: a client CA, an issuer that is configured, the host, or Kairship itself. */
export type CredentialSource = 'unknown' | 'certificate' | 'issuer' | 'host' | 'kairship'

/** Where the credential behind a caller is from; unknown for one that no request has shown. */
export function sourceOf(caller: Caller): CredentialSource {
  const check = checkOf(caller)
  if (!check) return 'unknown'
  if (caller.credential?.instance !== undefined) return 'kairship'
  if (check.issuer) return 'issuer'
  // Nobody can be asked about a certificate.
  return check.ask ? 'host' : 'certificate'
}
