import type { Log } from '../../ports/log.js'
import type { Meter } from '../../ports/meter.js'
import type { RoleBindings } from '../../ports/role-bindings.js'
import type { ServiceAccounts } from '../../ports/service-accounts.js'
import { type Failure, reasonOf } from '../errors/failure.js'
import { ISSUER_IS_OVER } from '../identity/authenticate.js'
import type { Authorizer } from '../identity/authorize.js'
import { ACCOUNT_IS_GONE, isDeletedAccount } from '../identity/deleted-account.js'
import type { EndedTokens } from '../identity/ended-tokens.js'
import { type LockedCallers, lockKey } from '../identity/locked-callers.js'
import { CallGroups, type Group } from './call-groups.js'
import { HostConfirmation } from './host-confirmation.js'
import type { Live, LiveCall } from './live-call.js'
import { LostRoles, SETTLE_MS } from './lost-roles.js'
import { ended, resume } from './reasons.js'

/** What decides whether calls may go on. */
export interface LiveCallsOptions {
  readonly authorizer: Authorizer
  readonly locked: LockedCallers
  /** A call goes on for so long while nobody can say whether it may, milliseconds; `UNCONFIRMED_MS` when absent. */
  readonly unconfirmedMs?: number
  readonly bindings: Pick<RoleBindings, 'givenTo' | 'onChange' | 'silentForMs'>
  /**
   * Whether an instance is being deleted, or is gone: its role bindings go with it. A call about many goes on without it, as its own words say,
   * and is not ended for each instance of the fleet that leaves.
   */
  readonly isLeaving?: (instance: string) => boolean
  /** The ServiceAccounts of the host; the host alone says that one is gone when absent. */
  readonly accounts?: Pick<ServiceAccounts, 'wasDeleted'> | undefined
  /** Tokens that count no longer before their end; none when absent. */
  readonly endedTokens?: Pick<EndedTokens, 'why'> | undefined
  readonly log: Log
  readonly meter: Meter
  /** Milliseconds of a clock that does not jump. */
  readonly now: () => number
  /** Milliseconds since the epoch, by which credentials end. */
  readonly wallClock?: () => number
  /** Runs work again and again; returns what ends that. */
  readonly every?: (ms: number, work: () => void) => () => void
}

/** How often what is known here is looked at while calls are live, milliseconds. Locks are looked at when they change. */
export const LOOK_MS = 250
/** A call that is not long is judged like one once it took this long, milliseconds. */
const SHORT_MS = 1_000

/**
 * The calls under way by REST, gRPC, proxy and console, and the one place that ends them when their caller loses the right to them: by a lock, the
 * end of the credential or of its issuer, a role that is taken away, a right on the host or an account that is gone. Nothing is asked while no call
 * is live, and a thousand calls of one caller ask as one.
 */
export class LiveCalls {
  readonly #groups: CallGroups
  readonly #roles: LostRoles
  readonly #host: HostConfirmation
  readonly #wallClock: () => number
  readonly #every: NonNullable<LiveCallsOptions['every']>
  readonly #forgetLocks: () => void
  /** What the locks were, so that a new one on an instance ends the calls about many that show it. */
  #knownLocks: ReadonlySet<string>
  #stopLooking: (() => void) | undefined

  constructor(private readonly options: LiveCallsOptions) {
    const { authorizer, bindings, isLeaving, locked, now, unconfirmedMs } = options
    this.#wallClock = options.wallClock ?? (() => Date.now())
    this.#every = options.every ?? everyUnref
    this.#roles = new LostRoles({
      ...{ bindings, isLeaving, now },
      isLooking: () => this.#stopLooking !== undefined,
    })
    this.#groups = new CallGroups(now, (caller, instance) => this.#roles.given(caller, instance))
    this.#host = new HostConfirmation({
      ...{ authorizer, bindings, unconfirmedMs, now },
      end: (group, failure) => this.#endAll(group, failure),
    })
    this.#knownLocks = keysOf(locked)
    this.#forgetLocks = locked.locks.onChange(() => this.#locksChanged())
  }

  /** To be called before rights are decided, so that no change between the decision and this is missed. */
  add(call: LiveCall): Live {
    this.#stopLooking ??= this.#every(LOOK_MS, () => this.look())
    return this.#groups.add(call)
  }

  /** Ends what may not go on, as far as that is known here, and asks the host about the rest where it is time. */
  look(): void {
    const now = this.options.now()
    const news = this.#roles.take()
    this.#groups.take(news.changed === 'all' || news.changed.size > 0 ? 0 : SHORT_MS)
    for (const group of this.#groups) {
      const failure =
        this.#credentialFailure(group) ??
        this.#lockFailure(group) ??
        this.#roles.failureOf(group, news) ??
        this.#host.failureOf(group, now)
      if (group.calls.size > 0) group.usedAt = now
      // Kept for a while: a caller who comes and goes has not the host asked each time, and what it loses meanwhile is noticed.
      else if (now - group.usedAt >= SETTLE_MS) this.#groups.forget(group)
      if (failure) this.#endAll(group, failure)
      else if (group.calls.size > 0) this.#host.askWhatIsDue(group, now, this.#groups.size)
    }
    if (!this.#groups.isEmpty) return
    this.#stopLooking?.()
    this.#stopLooking = undefined
  }

  /** Looks no more. Calls are left alone. */
  close(): void {
    this.#forgetLocks()
    this.#roles.close()
    this.#stopLooking?.()
    this.#stopLooking = undefined
  }

  #credentialFailure({ caller, check }: Group): Failure | undefined {
    const { expiresAt = Number.POSITIVE_INFINITY } = caller.credential ?? {}
    if (expiresAt <= this.#wallClock()) return ended('the credential has expired: send a new one')
    if (check?.issuer?.isOver) return ended(ISSUER_IS_OVER)
    const why = check && this.options.endedTokens?.why(check.key)
    if (why !== undefined) return ended(why)
    return isDeletedAccount(caller, this.options.accounts) ? ended(ACCOUNT_IS_GONE) : undefined
  }

  #lockFailure({ caller, instance }: Group): Failure | undefined {
    return this.options.locked.refusal(caller, instance)
  }

  #locksChanged(): void {
    const { locked } = this.options
    const before = this.#knownLocks
    this.#knownLocks = keysOf(locked)
    if (!this.#stopLooking) return
    this.#groups.take(0)
    for (const group of this.#groups) {
      if (group.calls.size === 0) continue
      const failure = this.#lockFailure(group)
      if (failure) this.#endAll(group, failure)
      else if (group.instance === undefined) {
        const isShown = locked
          .onInstances(group.caller)
          .some(lock => !before.has(lockKey(lock)) && group.given.has(lock.spec.instance ?? ''))
        if (isShown) this.#endAll(group, resume('an instance was locked'))
      }
    }
  }

  /** Groups stay for a while after their last call, and what ended that is found again with each look. */
  #endAll({ calls, caller, instance }: Group, failure: Failure): void {
    if (calls.size === 0) return
    const { log, meter } = this.options
    const reason = reasonOf(failure)
    log.info({ user: caller.user, instance, calls: calls.size, reason }, 'calls under way are ended')
    for (const live of calls) {
      // Once: to be ended again would give it its last moments again.
      live.leave()
      meter.count('kairship_live_calls_ended_total', { reason })
      live.call.end(failure)
    }
  }
}

const keysOf = ({ locks }: LockedCallers): ReadonlySet<string> => new Set(locks.all().map(lockKey))

function everyUnref(ms: number, work: () => void): () => void {
  const timer = setInterval(work, ms)
  timer.unref()
  return () => clearInterval(timer)
}
