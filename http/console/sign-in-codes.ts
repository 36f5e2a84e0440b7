import { hash, randomBytes } from 'node:crypto'
import { Code } from '../../transcoding/code.js'
import { aborted, resourceExhausted, unauthenticated } from '../errors/failure.js'
import { toFailure } from '../errors/to-failure.js'
import { accountNamespace } from '../identity/account-namespace.js'

/** A code is typed or opened within this time, milliseconds. `npm start` prints one, which its reader may come to late. */
const CODE_MS = 600_000
/** Codes that wait for their use. Each is some 200 bytes and a token of 16 KiB at most. */
const MOST_CODES = 1_000
/** Those of one caller, or of all ServiceAccounts of one namespace, who are as easily made: more than a person opens at once. */
const MOST_OF_CALLER = 16

/** Uses of one code that failed without fault of its own: after so many it is spent. Each may cost a request of the host. */
const MOST_TRIES = 32
/** Failures that decide about the token itself: its code is of no more use. After others, as where the host is away, it is. */
const OF_THE_TOKEN: ReadonlySet<Code> = new Set([
  Code.UNAUTHENTICATED,
  Code.PERMISSION_DENIED,
  Code.INVALID_ARGUMENT,
])

/** What a code stands for. */
interface Issued {
  readonly token: string
  readonly user: string
  readonly until: number
  /** Uses that were begun. */
  tries: number
  /** Whether one is under way. */
  isInUse: boolean
}

/**
 * Codes that each sign in one browser once. A command that holds a token gets one and opens the page with it, so that the token itself is in no
 * URL, history or process list. A code is of no use after a use that succeeded, after ten minutes, or at another replica.
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
    this.#issued.set(keyOf(code), {
      token,
      user,
      until: this.now() + CODE_MS,
      tries: 0,
      isInUse: false,
    })
    return { code, validMs: CODE_MS }
  }

  /** Whom a code signs in. It stays good. @throws Failure UNAUTHENTICATED */
  userOf(code: string): string {
    return this.#of(keyOf(code)).user
  }

  /**
   * Uses the token that a code stands for, one use at a time. The code is spent when `use` succeeds, when it finds the token wrong, and after
   * `MOST_TRIES`: a host that is away for a moment costs nobody a new link.
   * @throws Failure UNAUTHENTICATED for a code that is of no use, ABORTED for one in use, and what `use` throws
   */
  async redeem<T>(code: string, use: (token: string) => Promise<T>): Promise<T> {
    const key = keyOf(code)
    const issued = this.#of(key)
    if (issued.isInUse) throw aborted('the sign-in code is being used by another request: try again')
    issued.isInUse = true
    issued.tries += 1
    try {
      const used = await use(issued.token)
      this.#issued.delete(key)
      return used
    } catch (error) {
      if (OF_THE_TOKEN.has(toFailure(error).code) || issued.tries >= MOST_TRIES) this.#issued.delete(key)
      throw error
    } finally {
      issued.isInUse = false
    }
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
