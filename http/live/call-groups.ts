import type { EffectiveBinding } from '../../manifests/effective-binding.js'
import { type Action, callerKey } from '../identity/authorize.js'
import type { Caller } from '../identity/caller.js'
import { type CredentialCheck, checkOf } from '../identity/credential.js'
import { shortKey } from '../identity/short-key.js'
import { InFlight, type Place } from './in-flight.js'
import type { Live, LiveCall } from './live-call.js'

/** What role bindings give a caller on an instance now. */
export type GivenTo = (caller: Caller, instance: string) => readonly EffectiveBinding[]

/** A call that was added: before it is in a group, and in one. */
export class Young implements Live {
  /** Where it is; absent once it is over. */
  place: Place | undefined
  /** What role bindings gave when each instance was noted; absent for none but its own. */
  given: Map<string, readonly EffectiveBinding[]> | undefined
  /** The instance that it was about when it was added. Most calls are about one, and need no table for it. */
  readonly instance: string | undefined
  /** What role bindings gave there then. */
  readonly givenThere: readonly EffectiveBinding[] | undefined

  /** @param since on the clock of the groups, milliseconds */
  constructor(
    readonly call: LiveCall,
    readonly since: number,
    private readonly givenTo: GivenTo,
  ) {
    this.instance = call.instance
    if (this.instance !== undefined) this.givenThere = givenTo(call.caller, this.instance)
  }

  note(instance: string): void {
    if (instance === this.instance) return
    this.given ??= new Map()
    if (!this.given.has(instance)) this.given.set(instance, this.givenTo(this.call.caller, instance))
  }

  leave(): void {
    this.place?.leave()
    this.place = undefined
  }
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
  constructor(
    private readonly now: () => number,
    private readonly givenTo: GivenTo,
  ) {}

  /** How many groups there are. */
  get size(): number {
    return this.#groups.size
  }

  get isEmpty(): boolean {
    return this.#groups.size === 0 && this.#young.size === 0
  }

  add(call: LiveCall): Young {
    const young = new Young(call, this.now(), this.givenTo)
    young.place = this.#young.add(young)
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
      young.place?.leave()
      const group = this.#groupOf(young.call)
      group.usedAt = now
      const { instance: own, givenThere } = young
      if (own !== undefined && givenThere && !group.given.has(own)) group.given.set(own, givenThere)
      for (const [instance, given] of young.given ?? [])
        if (!group.given.has(instance)) group.given.set(instance, given)
      young.given = group.given
      young.place = group.calls.add(young)
    }
  }

  #groupOf({ caller, instance, actions }: LiveCall): Group {
    const check = checkOf(caller)
    const key = shortKey(`${check?.key ?? ''} ${callerKey(caller)} ${JSON.stringify([instance, actions])}`)
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
