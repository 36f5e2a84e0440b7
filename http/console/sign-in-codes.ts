import { hash, randomBytes } from 'node:crypto'
import { Code } from '../../transcoding/code.js'
import { aborted, resourceExhausted, unauthenticated } from '../errors/failure.js'
import { toFailure } from '../errors/to-failure.js'
import { accountNamespace } from '../identity/account-namespace.js'

/** The lifetime of a code, milliseconds. `npm start` prints one, and its user may come late. */
const CODE_MS = 600_000
/** The most unused codes. Each takes some 200 bytes and a token of 16 KiB at most. */
const MOST_CODES = 1_000
/** The most unused codes of one caller, or of all ServiceAccounts of a namespace, which are as easily made: more than a person opens at once. */
const MOST_OF_CALLER = 16

/** The most uses of a code that fail for other reasons than the code itself. Each may cost a request to the host. */
const MOST_TRIES = 32
/** Failures of the token itself, after which its code is spent. After others, such as an unreachable host, the code stays valid. */
const OF_THE_TOKEN: ReadonlySet<Code> = new Set([
  Code.UNAUTHENTICATED,
  Code.PERMISSION_DENIED,
  Code.INVALID_ARGUMENT,
])

/** The token of a code. */
interface Issued {
  readonly token: string
  readonly user: string
  readonly until: number
  /** The number of uses. */
  tries: number
  /** A use is running. */
  isInUse: boolean
}

/**
 * Codes that each sign one browser in, once. A command that holds a token gets a code and opens the page with it, so that the token is in no URL,
 * history or process list. A code is spent after a successful use or ten minutes, and is unknown to other replicas.
 */
export class SignInCodes {
  /** Codes by their SHA-256, so that the memory of this process has no usable code. The oldest first. */
  readonly #issued = new Map<string, Issued>()

  /** @param now a monotonic clock, milliseconds */
  constructor(private readonly now: () => number) {}

  /** @throws Failure RESOURCE_EXHAUSTED */
  issue(user: string, token: string): { readonly code: string; readonly validMs: number } {
    this.#deleteExpired()
    const own = [...this.#issued.values()].filter(issued => limitKeyOf(issued.user) === limitKeyOf(user))
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

  /** The user of a code. The code stays valid. @throws Failure UNAUTHENTICATED */
  userOf(code: string): string {
    return this.#of(keyOf(code)).user
  }

  /**
   * Uses the token of a code, one use at a time. The code is spent when `use` succeeds, when it finds the token wrong, and after `MOST_TRIES`: while
   * the host is away for a moment, the link stays valid.
   * @throws Failure UNAUTHENTICATED for an invalid code, ABORTED for one in use, and the error of `use`
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
    this.#deleteExpired()
    const issued = this.#issued.get(key)
    if (!issued)
      throw unauthenticated(
        'the sign-in code is unknown, was used, or is older than ten minutes: run `kairship console` for a new one',
      )
    return issued
  }

  #deleteExpired(): void {
    for (const [key, { until }] of this.#issued) {
      if (until > this.now()) return
      this.#issued.delete(key)
    }
  }
}

const keyOf = (code: string): string => hash('sha256', code, 'base64')

/** The caller, or namespace of ServiceAccounts, for which codes are counted. */
function limitKeyOf(user: string): string {
  const namespace = accountNamespace(user)
  return namespace === undefined ? user : `system:serviceaccounts:${namespace}`
}
