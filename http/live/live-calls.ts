import type { EffectiveBinding } from '../../manifests/effective-binding.js'
import type { Log } from '../../ports/log.js'
import type { Meter } from '../../ports/meter.js'
import type { RoleBindings } from '../../ports/role-bindings.js'
import { Code } from '../../transcoding/code.js'
import { type Failure, permissionDenied, reasonOf, unauthenticated, unavailable } from '../errors/failure.js'
import { toFailure } from '../errors/to-failure.js'
import { AnswerCache } from '../identity/answer-cache.js'
import { type Authorizer, callerKey, denied } from '../identity/authorize.js'
import type { Caller } from '../identity/caller.js'
import { type LockedCallers, lockKey } from '../identity/locked-callers.js'
import { CallGroups, type Group } from './call-groups.js'
import { isLess } from './less-rights.js'
import type { Live, LiveCall } from './live-call.js'

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
/** The host is asked again after this time, milliseconds: with the wait for a look and the answer, five seconds. */
export const ASK_MS = 4_000
/** An answer of the host is waited for at least this long, milliseconds, as requests do. */
const PATIENCE_MS = 2_000
/** Tokens that Kairship verifies itself are verified again after this time, milliseconds: their issuer may have withdrawn the key. */
const VERIFY_MS = 60_000
/** A call goes on for so long while nobody can say whether it may, milliseconds; as long as role bindings count. */
export const UNCONFIRMED_MS = 60_000
/**
 * When a role was taken from a caller, calls of it that began within this time are ended as well, milliseconds: the RBAC inside the instance
 * follows the bindings a moment later, and may have let them in.
 */
export const SETTLE_MS = 10_000
/** One answer about a credential is shared by the calls that show it for this long, milliseconds. */
const SHARED_MS = 2_000
const MOST_SHARED = 65_536

/**
 * The calls under way by REST, gRPC, proxy and console, and the one place that ends them when their caller loses the right to them: by a lock, the
 * end of the credential or of its issuer, a role that is taken away, a right on the host or an account that is gone. Nothing is asked while no call
 * is live, and a thousand calls of one caller ask as one.
 */
export class LiveCalls {
  readonly #groups: CallGroups
  readonly #credentials: AnswerCache<Caller>
  readonly #wallClock: () => number
  readonly #every: NonNullable<LiveCallsOptions['every']>
  /** Callers from whom a role was taken on an instance, and when those of their calls end that began meanwhile; the oldest first. */
  readonly #settling: { readonly at: number; readonly of: string }[] = []
  readonly #forgetting: readonly (() => void)[]
  /** Instances whose role bindings changed since the last look. */
  #changed: Set<string> | 'all' = new Set()
  /** What the locks were, so that a new one on an instance ends the calls about many that show it. */
  #knownLocks: ReadonlySet<string>
  #stopLooking: (() => void) | undefined

  constructor(private readonly options: LiveCallsOptions) {
    this.#wallClock = options.wallClock ?? (() => Date.now())
    this.#every = options.every ?? everyUnref
    this.#groups = new CallGroups(options.now)
    this.#credentials = new AnswerCache({ capacity: MOST_SHARED, now: options.now })
    this.#knownLocks = keysOf(options.locked)
    this.#forgetting = [
      options.locked.locks.onChange(() => this.#locksChanged()),
      options.bindings.onChange(instances => {
        if (!this.#stopLooking || this.#changed === 'all') return
        if (instances === 'all') this.#changed = 'all'
        else for (const instance of instances.keys()) this.#changed.add(instance)
      }),
    ]
  }

  /** To be called before rights are decided, so that no change between the decision and this is missed. */
  add(call: LiveCall): Live {
    this.#stopLooking ??= this.#every(LOOK_MS, () => this.look())
    const young = this.#groups.add(call)
    const note = (instance: string) => {
      young.given ??= new Map()
      if (!young.given.has(instance)) young.given.set(instance, this.#givenTo(call.caller, instance))
    }
    if (call.instance !== undefined) note(call.instance)
    return {
      note,
      leave: () => {
        young.leave()
        young.leave = () => undefined
      },
    }
  }

  /** Ends what may not go on, as far as that is known here, and asks the host about the rest where it is time. */
  look(): void {
    const now = this.options.now()
    const changed = this.#changed
    this.#changed = new Set()
    this.#groups.take(changed === 'all' || changed.size > 0 ? 0 : SHORT_MS)
    const settled = this.#settled(now)
    for (const group of this.#groups) {
      const failure =
        this.#credentialFailure(group) ??
        this.#lockFailure(group) ??
        this.#lossOf(group, changed) ??
        (settled.has(holderOf(group)) ? lost(group) : undefined) ??
        this.#unconfirmed(group, now)
      if (group.calls.size > 0) group.usedAt = now
      // Kept for a while: a caller who comes and goes has not the host asked each time, and what it loses meanwhile is noticed.
      else if (now - group.usedAt >= SETTLE_MS && !group.isAsking) this.#groups.forget(group)
      if (failure) this.#endAll(group, failure)
      else if (group.calls.size > 0 && !group.isAsking && now - group.askedAt >= ASK_MS)
        void this.#ask(group, now)
    }
    if (!this.#groups.isEmpty) return
    this.#stopLooking?.()
    this.#stopLooking = undefined
  }

  /** Looks no more. Calls are left alone. */
  close(): void {
    for (const forget of this.#forgetting) forget()
    this.#stopLooking?.()
    this.#stopLooking = undefined
  }

  /** How old what confirms a right may be, milliseconds: roles are as the host said last. Once they give nothing, the host itself has confirmed it. */
  #ageOfRoles(): number {
    const { bindings, unconfirmedMs = UNCONFIRMED_MS } = this.options
    return bindings.silentForMs > unconfirmedMs ? 0 : bindings.silentForMs
  }

  /** Nobody answers at all: a host that hangs is asked for longer than a call may go on. */
  #unconfirmed({ isAsking, askedAt, confirmedAt }: Group, now: number): Failure | undefined {
    const { unconfirmedMs = UNCONFIRMED_MS } = this.options
    const isOver = isAsking && now - askedAt >= PATIENCE_MS && now - confirmedAt >= unconfirmedMs
    return isOver ? nobodySays(unconfirmedMs, 'the host does not answer') : undefined
  }

  /** Those whose time to settle is over. */
  #settled(now: number): ReadonlySet<string> {
    const left = this.#settling.findIndex(({ at }) => at > now)
    return new Set(this.#settling.splice(0, left < 0 ? this.#settling.length : left).map(({ of }) => of))
  }

  /** Why a group ends when role bindings of some instances have changed. */
  #lossOf(group: Group, changed: ReadonlySet<string> | 'all'): Failure | undefined {
    if (changed !== 'all' && changed.size === 0) return undefined
    let isLost = false
    for (const [instance, before] of group.given) {
      if (changed !== 'all' && !changed.has(instance)) continue
      const given = this.#givenTo(group.caller, instance)
      group.given.set(instance, given)
      const isLeaving = group.instance === undefined && this.options.isLeaving?.(instance)
      isLost ||= !isLeaving && isLess(given, before)
    }
    if (!isLost) return undefined
    this.#settling.push({ at: this.options.now() + SETTLE_MS, of: holderOf(group) })
    return lost(group)
  }

  #givenTo(caller: Caller, instance: string): readonly EffectiveBinding[] {
    return [...this.options.bindings.givenTo(instance, caller)]
  }

  #credentialFailure({ caller, check }: Group): Failure | undefined {
    const { expiresAt = Number.POSITIVE_INFINITY } = caller.credential ?? {}
    if (expiresAt <= this.#wallClock()) return ended('the credential has expired: send a new one')
    return check?.issuer?.isOver
      ? ended('the issuer of the bearer token is not configured any more')
      : undefined
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

  /** Asks the host whether the account and the rights of a group are still there. Never rejects. */
  async #ask(group: Group, now: number): Promise<void> {
    const { unconfirmedMs = UNCONFIRMED_MS } = this.options
    group.isAsking = true
    group.askedAt = now
    try {
      const failure = (await this.#accountFailure(group, now)) ?? (await this.#rightsFailure(group))
      group.confirmedAt = now - this.#ageOfRoles()
      if (failure) this.#endAll(group, failure)
    } catch (error) {
      const failure = toFailure(error)
      if (failure.code === Code.UNAUTHENTICATED) this.#endAll(group, ended(failure.message))
      else if (now - group.confirmedAt >= unconfirmedMs)
        this.#endAll(group, nobodySays(unconfirmedMs, failure.message))
    } finally {
      group.isAsking = false
    }
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

  /** Groups stay for a while after their last call, and what ended that is found again with each look. */
  #endAll({ calls, caller, instance }: Group, failure: Failure): void {
    if (calls.size === 0) return
    const { log, meter } = this.options
    const reason = reasonOf(failure)
    log.info({ user: caller.user, instance, calls: calls.size, reason }, 'calls under way are ended')
    for (const live of calls) {
      // Once: to be ended again would give it its last moments again.
      live.leave()
      live.leave = () => undefined
      meter.count('kairship_live_calls_ended_total', { reason })
      live.call.end(failure)
    }
  }
}

const holderOf = ({ caller, instance = '' }: Group): string => `${instance} ${callerKey(caller)}`

const lost = ({ instance }: Group): Failure =>
  instance === undefined
    ? resume('a role was taken away')
    : withdrawn(
        `a role of yours on instance ${instance} was taken away, or gives less than before: repeat the request for what you may still do`,
      )

const keysOf = ({ locks }: LockedCallers): ReadonlySet<string> => new Set(locks.all().map(lockKey))

const nobodySays = (ms: number, why: string): Failure =>
  unavailable(`for ${ms / 1_000} s nobody could say whether this may go on: ${why}`)
const ended = (message: string): Failure => unauthenticated(message, { reason: 'CredentialEnded' })
const withdrawn = (message: string): Failure => permissionDenied(message, { reason: 'AccessWithdrawn' })
/** A call about many instances goes on with those that are left. */
const resume = (why: string): Failure =>
  unavailable(`${why}: resume with the last token, for what is left`, { reason: 'AccessWithdrawn' })

function everyUnref(ms: number, work: () => void): () => void {
  const timer = setInterval(work, ms)
  timer.unref()
  return () => clearInterval(timer)
}
