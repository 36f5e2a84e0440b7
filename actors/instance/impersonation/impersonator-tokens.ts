import type { AccountTokens } from '../../../ports/kube-api.js'
import type { ImpersonatorToken } from './impersonator-account.js'

/** A token is replaced when this part of its life is over: requests go on with it meanwhile. */
const RENEWED_AFTER = 0.8
/** A failure is not tried again for so long: callers who come meanwhile get the same one. */
const FAILED_MS = 2_000
/** A token that is refused is not replaced within this time: a program behind the instance may say 401 to everything. */
const REFUSED_AFTER_MS = 10_000

/** Callers are forbidden things all the time. Whether the account still may impersonate is looked at once in this time at most. */
const LOOKED_AT_MS = 30_000

interface Known {
  readonly token: string
  readonly since: number
  readonly renewAt: number
  readonly endsAt: number
}

/** The tokens of one account, in memory only: asked for when a request needs one, and again before they end. */
export class ImpersonatorTokens implements AccountTokens {
  #known: Known | undefined
  #underWay: Promise<string> | undefined
  #failed: { readonly error: unknown; readonly until: number } | undefined

  /**
   * @param now milliseconds of a clock that does not jump
   * @param answered called with the error when no token could be had, also while the last one still counts, and with none for each that was
   */
  constructor(
    private readonly request: () => Promise<ImpersonatorToken>,
    private readonly now: () => number,
    private readonly answered: (error?: unknown) => void,
    readonly ownStandsIn = false,
  ) {}

  token(): string | Promise<string> {
    const now = this.now()
    const known = this.#known
    if (!known || now >= known.endsAt) return this.#renew()
    // What fails is reported, and the token that there is counts on.
    if (now >= known.renewAt) this.#renew().catch(() => undefined)
    return known.token
  }

  refused(): void {
    if (this.#known && this.now() - this.#known.since >= REFUSED_AFTER_MS) this.#known = undefined
  }

  /** A new token comes with a look at what the account may do, and with its repair. */
  forbade(): void {
    if (this.#known && this.now() - this.#known.since >= LOOKED_AT_MS) this.#renew().catch(() => undefined)
  }

  #renew(): Promise<string> {
    const now = this.now()
    if (this.#failed && now < this.#failed.until) return Promise.reject(this.#failed.error)
    this.#underWay ??= this.#ask(now).finally(() => {
      this.#underWay = undefined
    })
    return this.#underWay
  }

  async #ask(since: number): Promise<string> {
    try {
      const { token, lifetimeMs } = await this.request()
      this.#failed = undefined
      this.#known = {
        token,
        since,
        renewAt: since + lifetimeMs * RENEWED_AFTER,
        endsAt: since + lifetimeMs,
      }
      this.answered()
      return token
    } catch (error) {
      this.#failed = { error, until: this.now() + FAILED_MS }
      this.answered(error)
      throw error
    }
  }
}
