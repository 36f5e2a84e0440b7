import type { RoleBindings } from '../../ports/role-bindings.js'
import { Code } from '../../transcoding/code.js'
import type { Failure } from '../errors/failure.js'
import { toFailure } from '../errors/to-failure.js'
import { AnswerCache } from '../identity/answer-cache.js'
import { type Authorizer, callerKey, denied } from '../identity/authorize.js'
import type { Caller } from '../identity/caller.js'
import type { Group } from './call-groups.js'
import { ended, nobodySays, withdrawn } from './reasons.js'

/** The host is asked again after this time, milliseconds: with the wait for a look and the answer, five seconds. */
export const ASK_MS = 4_000
/** An answer of the host is waited for at least this long, milliseconds, as requests do. */
const PATIENCE_MS = 2_000
/** Tokens that Kairship verifies itself are verified again after this time, milliseconds: their issuer may have withdrawn the key. */
const VERIFY_MS = 60_000
/** A call goes on for so long while nobody can say whether it may, milliseconds; as long as role bindings count. */
export const UNCONFIRMED_MS = 60_000
/** One answer about a credential is shared by the calls that show it for this long, milliseconds. */
const SHARED_MS = 2_000
const MOST_SHARED = 65_536

/** Who confirms that calls may go on. */
export interface HostConfirmationOptions {
  readonly authorizer: Authorizer
  readonly bindings: Pick<RoleBindings, 'silentForMs'>
  /** A call goes on for so long while nobody can say whether it may, milliseconds; `UNCONFIRMED_MS` when absent. */
  readonly unconfirmedMs?: number | undefined
  /** Milliseconds of a clock that does not jump. */
  readonly now: () => number
  /** Ends the calls of a group. */
  readonly end: (group: Group, failure: Failure) => void
}

/** Asks the host again and again whether accounts and rights are still there, and ends calls that it confirms no longer. */
export class HostConfirmation {
  readonly #credentials: AnswerCache<Caller>
  readonly #unconfirmedMs: number

  constructor(private readonly options: HostConfirmationOptions) {
    this.#unconfirmedMs = options.unconfirmedMs ?? UNCONFIRMED_MS
    this.#credentials = new AnswerCache({ capacity: MOST_SHARED, now: options.now })
  }

  /** Whether it is time to ask about a group. */
  isDue({ calls, isAsking, askedAt }: Group, now: number): boolean {
    return calls.size > 0 && !isAsking && now - askedAt >= ASK_MS
  }

  /** Nobody answers at all: a host that hangs is asked for longer than a call may go on. */
  failureOf({ isAsking, askedAt, confirmedAt }: Group, now: number): Failure | undefined {
    const isOver = isAsking && now - askedAt >= PATIENCE_MS && now - confirmedAt >= this.#unconfirmedMs
    return isOver ? nobodySays(this.#unconfirmedMs, 'the host does not answer') : undefined
  }

  /** Asks whether the account and the rights of a group are still there. Never rejects. */
  async ask(group: Group, now: number): Promise<void> {
    group.isAsking = true
    group.askedAt = now
    try {
      const failure = (await this.#accountFailure(group, now)) ?? (await this.#rightsFailure(group))
      group.confirmedAt = now - this.#ageOfRoles()
      if (failure) this.options.end(group, failure)
    } catch (error) {
      const failure = toFailure(error)
      if (failure.code === Code.UNAUTHENTICATED) this.options.end(group, ended(failure.message))
      else if (now - group.confirmedAt >= this.#unconfirmedMs)
        this.options.end(group, nobodySays(this.#unconfirmedMs, failure.message))
    } finally {
      group.isAsking = false
    }
  }

  /** How old what confirms a right may be, milliseconds: roles are as the host said last. Once they give nothing, the host itself has confirmed it. */
  #ageOfRoles(): number {
    const { silentForMs } = this.options.bindings
    return silentForMs > this.#unconfirmedMs ? 0 : silentForMs
  }

  async #accountFailure(group: Group, now: number): Promise<Failure | undefined> {
    const { caller, check } = group
    if (!check?.ask || (check.issuer && now - group.verifiedAt < VERIFY_MS)) return undefined
    const { key, ask } = check
    const found = await this.#credentials.get(key, async () => ({ value: await ask(), ttlMs: SHARED_MS }))
    group.verifiedAt = now
    return callerKey(found) === callerKey(caller)
      ? undefined
      : ended('the credential names another user now, or other groups: connect again')
  }

  async #rightsFailure({ caller, actions }: Group): Promise<Failure | undefined> {
    for (const action of actions) {
      const verdict = await this.options.authorizer.decide(caller, action, { anew: true })
      if (verdict.allowed) continue
      const { message } = denied(caller, action, verdict)
      return withdrawn(message)
    }
    return undefined
  }
}
