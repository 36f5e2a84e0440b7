import type { RoleBindings } from '../../ports/role-bindings.js'
import { Code } from '../../transcoding/code.js'
import type { Failure } from '../errors/failure.js'
import { toFailure } from '../errors/to-failure.js'
import { AnswerCache } from '../identity/answer-cache.js'
import { type Authorizer, callerKey, denied } from '../identity/authorize.js'
import type { Caller } from '../identity/caller.js'
import type { Group, Question } from './call-groups.js'
import { ended, nobodySays, withdrawn } from './reasons.js'

/**
 * A question is asked again after this time, milliseconds, while few groups of calls are live: with the wait for a look and the answer, what it
 * finds out ends within a second.
 */
export const SOONEST_MS = 500
/** For each group the time is so much longer, milliseconds: all together are asked about fifty times a second. */
const PER_GROUP_MS = 20
/** It is never longer than this, milliseconds, however many there are: with the wait for a look and the answer, five seconds. */
export const ASK_MS = 4_000
/** One that nobody answered is asked again after this time, milliseconds, or later where there are many groups. */
const RETRY_MS = 1_000
/** An answer of the host is waited for at least this long, milliseconds, as requests do. */
const PATIENCE_MS = 2_000
/** Tokens that Kairship verifies itself are verified again after this time, milliseconds: their issuer may have withdrawn the key. */
const VERIFY_MS = 60_000
/** A call goes on for so long while nobody can say whether it may, milliseconds; as long as role bindings count. */
export const UNCONFIRMED_MS = 60_000
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

/**
 * Asks the host again and again whether accounts and rights are still there, and ends calls that it confirms no longer. The two are asked for apart: a host
 * that hangs on the one does not delay what it says about the other.
 */
export class HostConfirmation {
  readonly #credentials: AnswerCache<Caller>
  readonly #unconfirmedMs: number

  constructor(private readonly options: HostConfirmationOptions) {
    this.#unconfirmedMs = options.unconfirmedMs ?? UNCONFIRMED_MS
    this.#credentials = new AnswerCache({ capacity: MOST_SHARED, now: options.now })
  }

  /** Why a group ends because nobody answers at all: a host that hangs is asked for longer than a call may go on. */
  failureOf({ account, rights }: Group, now: number): Failure | undefined {
    const isOver = [account, rights].some(
      ({ isAsking, askedAt, confirmedAt }) =>
        isAsking && now - askedAt >= PATIENCE_MS && now - confirmedAt >= this.#unconfirmedMs,
    )
    return isOver ? nobodySays(this.#unconfirmedMs, 'the host does not answer') : undefined
  }

  /** Asks about a group what it is time for, of so many groups. */
  askWhatIsDue(group: Group, now: number, groups: number): void {
    const everyMs = Math.min(ASK_MS, Math.max(SOONEST_MS, groups * PER_GROUP_MS))
    const { account, rights, check, actions } = group
    if (check?.ask && this.#isDue(account, now, everyMs, check.issuer ? VERIFY_MS : everyMs)) {
      // Until now it was known here that an issuer vouches for it.
      if (check.issuer && !account.isOpen) account.confirmedAt = now
      void this.#ask(group, account, () => this.#accountFailure(group, everyMs / 2))
    }
    if (actions.length > 0 && this.#isDue(rights, now, everyMs, everyMs))
      void this.#ask(group, rights, () => this.#rightsFailure(group))
  }

  /** @param everyMs how often the host is asked @param answeredMs for how long an answer does */
  #isDue({ isAsking, isOpen, askedAt }: Question, now: number, everyMs: number, answeredMs: number): boolean {
    return !isAsking && now - askedAt >= (isOpen ? Math.max(everyMs, RETRY_MS) : answeredMs)
  }

  /** Never rejects. */
  async #ask(group: Group, question: Question, answer: () => Promise<Answered | undefined>): Promise<void> {
    const now = this.options.now()
    question.isAsking = true
    question.askedAt = now
    try {
      const { failure, ageMs = 0 } = (await answer()) ?? {}
      question.confirmedAt = now - ageMs
      question.isOpen = false
      if (failure) this.options.end(group, failure)
    } catch (error) {
      question.isOpen = true
      const failure = toFailure(error)
      if (failure.code === Code.UNAUTHENTICATED) this.options.end(group, ended(failure.message))
      else if (now - question.confirmedAt >= this.#unconfirmedMs)
        this.options.end(group, nobodySays(this.#unconfirmedMs, failure.message))
    } finally {
      question.isAsking = false
    }
  }

  /** How old what confirms a right may be, milliseconds: roles are as the host said last. Once they give nothing, the host itself has confirmed it. */
  #ageOfRoles(): number {
    const { silentForMs } = this.options.bindings
    return silentForMs > this.#unconfirmedMs ? 0 : silentForMs
  }

  /** @param sharedMs for how long an answer counts for the other groups of the credential, milliseconds */
  async #accountFailure({ caller, check }: Group, sharedMs: number): Promise<Answered | undefined> {
    if (!check?.ask) return undefined
    const { key, ask } = check
    const found = await this.#credentials.get(key, async () => ({ value: await ask(), ttlMs: sharedMs }))
    return callerKey(found) === callerKey(caller)
      ? undefined
      : { failure: ended('the credential names another user now, or other groups: connect again') }
  }

  async #rightsFailure({ caller, actions }: Group): Promise<Answered> {
    for (const action of actions) {
      const verdict = await this.options.authorizer.decide(caller, action, { anew: true })
      if (verdict.allowed) continue
      const { message } = denied(caller, action, verdict)
      return { failure: withdrawn(message) }
    }
    return { ageMs: this.#ageOfRoles() }
  }
}

/** What was answered: why the calls may not go on, and else how old what confirms them is, milliseconds. */
interface Answered {
  readonly failure?: Failure
  readonly ageMs?: number
}
