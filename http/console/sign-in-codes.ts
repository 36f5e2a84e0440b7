import { hash, randomBytes } from 'node:crypto'
import { resourceExhausted, unauthenticated } from '../errors/failure.js'
import { accountNamespace } from '../identity/account-namespace.js'

/** A code is typed or opened within this time, milliseconds. `npm start` prints one, which its reader may come to late. */
const CODE_MS = 600_000
/** Codes that wait for their use. Each is some 200 bytes and a token of 16 KiB at most. */
const MOST_CODES = 1_000
/** Those of one caller, or of all ServiceAccounts of one namespace, who are as easily made: more than a person opens at once. */
const MOST_OF_CALLER = 16

/** What a code stands for. */
interface Issued {
  readonly token: string
  readonly user: string
  readonly until: number
}

/**
 * Codes that each sign in one browser once. A command that holds a token gets one and opens the page with it, so that the token itself is in no
 * URL, history or process list. A code is of no use after its use, after ten minutes, or at another replica.
 */
export class SignInCodes {
  /** By SHA-256: what this process holds of a code cannot be used. The oldest first. */
  readonly #issued = new Map<string, Issued>()

  /** @param now milliseconds of a clock that does not jump */
  constructor(private readonly now: () => number) {}

  /** @throws Failure RESOURCE_EXHAUSTED */
  issue(user: string, token: string): { readonly code: string; readonly validMs: number } {
    this.#forgetOld()
    const own = [...this.#issued.values()].filter(issued => holderOf(issued.user) === holderOf(user))
    if (own.length >= MOST_OF_CALLER || this.#issued.size >= MOST_CODES)
      throw resourceExhausted('too many sign-in codes wait for their use: use one, or wait ten minutes', {
        retryAfterSeconds: CODE_MS / 1_000,
      })
    const code = randomBytes(24).toString('base64url')
    this.#issued.set(keyOf(code), { token, user, until: this.now() + CODE_MS })
    return { code, validMs: CODE_MS }
  }

  /** Whom a code signs in. It stays good. @throws Failure UNAUTHENTICATED */
  userOf(code: string): string {
    return this.#of(keyOf(code)).user
  }

  /** The token that a code stands for; the code is spent. @throws Failure UNAUTHENTICATED */
  redeem(code: string): string {
    const key = keyOf(code)
    const { token } = this.#of(key)
    this.#issued.delete(key)
    return token
  }

  #of(key: string): Issued {
    this.#forgetOld()
    const issued = this.#issued.get(key)
    if (!issued)
      throw unauthenticated(
        'the sign-in code is unknown, was used, or is older than ten minutes: run `kairship console` for a new one',
      )
    return issued
  }

  #forgetOld(): void {
    for (const [key, { until }] of this.#issued) {
      if (until > this.now()) return
      this.#issued.delete(key)
    }
  }
}

const keyOf = (code: string): string => hash('sha256', code, 'base64')

/** Whom a code counts for. */
function holderOf(user: string): string {
  const namespace = accountNamespace(user)
  return namespace === undefined ? user : `system:serviceaccounts:${namespace}`
}
