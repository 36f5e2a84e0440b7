import type { EffectiveBinding } from '../../manifests/effective-binding.js'
import type { RoleBindings } from '../../ports/role-bindings.js'
import type { Failure } from '../errors/failure.js'
import { callerKey } from '../identity/authorize.js'
import type { Caller } from '../identity/caller.js'
import type { Group } from './call-groups.js'
import { isLess } from './less-rights.js'
import { roleLost } from './reasons.js'

/**
 * When a role was taken from a caller, calls of it that began within this time are ended as well, milliseconds: the RBAC inside the instance
 * follows the bindings a moment later, and may have let them in.
 */
export const SETTLE_MS = 10_000

/** What says which roles are lost. */
export interface LostRolesOptions {
  readonly bindings: Pick<RoleBindings, 'givenTo' | 'onChange'>
  /** Whether an instance is being deleted, or is gone. */
  readonly isLeaving?: ((instance: string) => boolean) | undefined
  /** Whether calls are looked at now; what changes while none are is of no call. */
  readonly isLooking: () => boolean
  /** Milliseconds of a clock that does not jump. */
  readonly now: () => number
}

/** What was noticed between two looks. */
export interface RoleNews {
  /** Instances whose role bindings changed. */
  readonly changed: ReadonlySet<string> | 'all'
  /** The callers, by instance, of whom what began meanwhile ends now. */
  readonly settled: ReadonlySet<string>
}

/** Which calls end because role bindings give their caller less than before. */
export class LostRoles {
  /** Callers from whom a role was taken on an instance, and when those of their calls end that began meanwhile; the oldest first. */
  readonly #settling: { readonly at: number; readonly of: string }[] = []
  /** Instances whose role bindings changed since the last look. */
  #changed: Set<string> | 'all' = new Set()
  readonly #forget: () => void

  constructor(private readonly options: LostRolesOptions) {
    this.#forget = options.bindings.onChange(instances => {
      if (!options.isLooking() || this.#changed === 'all') return
      if (instances === 'all') this.#changed = 'all'
      else for (const instance of instances.keys()) this.#changed.add(instance)
    })
  }

  close(): void {
    this.#forget()
  }

  /** What bindings give a caller on an instance now. */
  given(caller: Caller, instance: string): readonly EffectiveBinding[] {
    return this.options.bindings.givenTo(instance, caller)
  }

  /** What was noticed since it was taken last. */
  take(): RoleNews {
    const changed = this.#changed
    this.#changed = new Set()
    return { changed, settled: this.#settled(this.options.now()) }
  }

  /** Why a group ends by what was noticed. */
  failureOf(group: Group, { changed, settled }: RoleNews): Failure | undefined {
    return (
      this.#lossOf(group, changed) ?? (settled.has(holderOf(group)) ? roleLost(group.instance) : undefined)
    )
  }

  #lossOf(group: Group, changed: RoleNews['changed']): Failure | undefined {
    if (changed !== 'all' && changed.size === 0) return undefined
    let isLost = false
    for (const [instance, before] of group.given) {
      if (changed !== 'all' && !changed.has(instance)) continue
      const given = this.given(group.caller, instance)
      group.given.set(instance, given)
      const isLeaving = group.instance === undefined && this.options.isLeaving?.(instance)
      isLost ||= !isLeaving && isLess(given, before)
    }
    if (!isLost) return undefined
    this.#settling.push({ at: this.options.now() + SETTLE_MS, of: holderOf(group) })
    return roleLost(group.instance)
  }

  /** Those whose time to settle is over. */
  #settled(now: number): ReadonlySet<string> {
    const left = this.#settling.findIndex(({ at }) => at > now)
    return new Set(this.#settling.splice(0, left < 0 ? this.#settling.length : left).map(({ of }) => of))
  }
}

const holderOf = ({ caller, instance = '' }: Group): string => `${instance} ${callerKey(caller)}`
