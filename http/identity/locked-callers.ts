import { type AccessLock, lockEndsAt } from '../../manifests/access-lock.js'
import type { AccessLocks } from '../../ports/access-locks.js'
import { type Failure, permissionDenied, unavailable } from '../errors/failure.js'
import type { Caller } from './caller.js'

/** A lock, and when it is over. */
interface Lock {
  readonly lock: AccessLock
  readonly endsAt: number
}

/** A lock as it is: another text once it says something else. */
export const lockKey = ({ metadata: { uid, name }, spec }: AccessLock): string =>
  JSON.stringify([uid ?? name, spec])

/** Locks by the field that the fewest callers share: each is in one of these. */
interface ByTarget {
  readonly user: Map<string, Lock[]>
  readonly tokenId: Map<string, Lock[]>
  readonly group: Map<string, Lock[]>
  readonly instance: Map<string, Lock[]>
}

/** Which callers AccessLocks refuse, and where. Looked up by name: a request costs nothing while there are no locks. */
export class LockedCallers {
  #known: { readonly revision: number; readonly by: ByTarget } | undefined

  /** @param wallClock milliseconds since the epoch, by which locks are over */
  constructor(
    readonly locks: AccessLocks,
    private readonly wallClock: () => number = () => Date.now(),
  ) {}

  /**
   * Why a caller may do nothing: nowhere, or on an instance. Undefined where no lock is for it.
   * @param instance what the request is about; absent for one that is about none, or about many
   */
  refusal(caller: Caller, instance?: string): Failure | undefined {
    if (!this.locks.synced)
      return unavailable('the access locks have not been read from the host yet', { retryAfterSeconds: 1 })
    if (this.locks.all().length === 0) return undefined
    for (const { lock } of this.#of(caller, instance))
      if (lock.spec.instance === undefined || lock.spec.instance === instance) return refusedBy(lock)
    return undefined
  }

  /** The locks that are for a caller on single instances. */
  onInstances(caller: Caller): readonly AccessLock[] {
    return [...this.#of(caller, undefined, true)].map(({ lock }) => lock)
  }

  /**
   * Those whose user, group and token are the caller's.
   * @param everywhere also those that are for everyone on some instance, whichever
   */
  *#of(caller: Caller, instance: string | undefined, everywhere = false): Generator<Lock, void> {
    if (this.locks.all().length === 0) return
    const { user, tokenId, group, instance: onInstance } = this.#byTarget()
    const now = this.wallClock()
    const ids = idsOf(caller)
    const applies = ({ lock: { spec }, endsAt }: Lock) =>
      endsAt > now &&
      (spec.user === undefined || spec.user === caller.user) &&
      (spec.group === undefined || caller.groups.includes(spec.group)) &&
      (spec.tokenId === undefined || ids.includes(idIn(spec.tokenId))) &&
      (!everywhere || spec.instance !== undefined)
    for (const found of [
      user.get(caller.user),
      ...ids.map(id => tokenId.get(id)),
      ...(group.size === 0 ? [] : caller.groups.map(name => group.get(name))),
      ...(everywhere ? onInstance.values() : [instance === undefined ? undefined : onInstance.get(instance)]),
    ])
      for (const one of found ?? []) if (applies(one)) yield one
  }

  #byTarget(): ByTarget {
    const { revision } = this.locks
    if (this.#known?.revision !== revision) this.#known = { revision, by: byTarget(this.locks.all()) }
    return this.#known.by
  }
}

function byTarget(locks: readonly AccessLock[]): ByTarget {
  const by: ByTarget = { user: new Map(), tokenId: new Map(), group: new Map(), instance: new Map() }
  for (const lock of locks) {
    const { user, tokenId, group, instance = '' } = lock.spec
    const one = { lock, endsAt: lockEndsAt(lock) }
    if (user !== undefined) add(by.user, user, one)
    else if (tokenId !== undefined) add(by.tokenId, idIn(tokenId), one)
    else if (group !== undefined) add(by.group, group, one)
    else add(by.instance, instance, one)
  }
  return by
}

function add(to: Map<string, Lock[]>, key: string, lock: Lock): void {
  const known = to.get(key)
  if (known) known.push(lock)
  else to.set(key, [lock])
}

/** Those of the credential, and of the one that it was requested with: whoever stole that one may have requested this one. */
const idsOf = ({ credential }: Caller): readonly string[] =>
  [credential?.id, credential?.requestedWith].filter(id => id !== undefined).map(idIn)

/** Kubernetes writes `JTI=` before the id of a token, which a person who reads the token does not see. */
const idIn = (id: string): string => id.replace(/^JTI=/, '')

function refusedBy({ metadata: { name }, spec: { message, expiresAt } }: AccessLock): Failure {
  const until = expiresAt === undefined ? '' : `, until ${expiresAt}`
  return permissionDenied(`access is locked${message ? `: ${message}` : ''} (AccessLock "${name}"${until})`, {
    reason: 'AccessLocked',
    metadata: { lock: name, ...(expiresAt !== undefined && { expiresAt }) },
  })
}
