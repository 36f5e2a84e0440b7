import type { EffectiveBinding } from '../../manifests/effective-binding.js'
import { type Action, callerKey } from '../identity/authorize.js'
import type { Caller } from '../identity/caller.js'
import { type CredentialCheck, checkOf } from '../identity/credential.js'
import { InFlight } from './in-flight.js'
import type { LiveCall } from './live-call.js'

/** A call that was added: before it is in a group, and in one. */
export interface Young {
  readonly call: LiveCall
  readonly since: number
  given: Map<string, readonly EffectiveBinding[]> | undefined
  /** What takes it out of where it is. */
  leave: () => void
}

/** How one question about a group stands: whether its account is still there, or whether its rights are. */
export interface Question {
  askedAt: number
  /** It was answered, and the calls may go on. */
  confirmedAt: number
  /** An answer is awaited. */
  isAsking: boolean
  /** Nobody answered when it was asked last. */
  isOpen: boolean
}

/** The calls of one credential that need the same rights: judged together. */
export interface Group {
  readonly key: string
  readonly caller: Caller
  readonly check: CredentialCheck | undefined
  readonly instance: string | undefined
  readonly actions: readonly Action[]
  readonly calls: InFlight<Young>
  /** What role bindings gave when that was last looked at, by instance. */
  readonly given: Map<string, readonly EffectiveBinding[]>
  /** When it had calls last. */
  usedAt: number
  readonly account: Question
  readonly rights: Question
}

/** The calls under way: each by itself at first, and once it is long or took long with those of its credential that need the same rights. */
export class CallGroups {
  readonly #young = new InFlight<Young>()
  readonly #groups = new Map<string, Group>()

  /** @param now milliseconds of a clock that does not jump */
  constructor(private readonly now: () => number) {}

  /** How many groups there are. */
  get size(): number {
    return this.#groups.size
  }

  get isEmpty(): boolean {
    return this.#groups.size === 0 && this.#young.size === 0
  }

  add(call: LiveCall): Young {
    const young: Young = { call, since: this.now(), given: undefined, leave: () => undefined }
    young.leave = this.#young.add(young)
    return young
  }

  *[Symbol.iterator](): Generator<Group, void> {
    yield* this.#groups.values()
  }

  forget({ key }: Group): void {
    this.#groups.delete(key)
  }

  /** Takes calls into groups: long ones, and those that took `afterMs` milliseconds. */
  take(afterMs: number): void {
    const now = this.now()
    for (const young of this.#young) {
      if (!young.call.isLong && now - young.since < afterMs) continue
      young.leave()
      const group = this.#groupOf(young.call)
      group.usedAt = now
      for (const [instance, given] of young.given ?? [])
        if (!group.given.has(instance)) group.given.set(instance, given)
      young.given = group.given
      young.leave = group.calls.add(young)
    }
  }

  #groupOf({ caller, instance, actions }: LiveCall): Group {
    const check = checkOf(caller)
    const key = `${check?.key ?? ''} ${callerKey(caller)} ${JSON.stringify([instance, actions])}`
    const known = this.#groups.get(key)
    if (known) return known
    const now = this.now()
    const group: Group = {
      ...{ key, caller, check, instance, actions, usedAt: now },
      ...{ calls: new InFlight<Young>(), given: new Map() },
      // At once: what admitted the call may have been remembered for ten seconds. What an issuer vouches for is verified here, and was just now.
      account: asked(check?.issuer ? now : Number.NEGATIVE_INFINITY, now),
      rights: asked(Number.NEGATIVE_INFINITY, now),
    }
    this.#groups.set(key, group)
    return group
  }
}

const asked = (askedAt: number, confirmedAt: number): Question => ({
  ...{ askedAt, confirmedAt },
  ...{ isAsking: false, isOpen: false },
})
