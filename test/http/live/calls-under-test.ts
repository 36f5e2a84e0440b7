import type { Failure } from '../../../http/errors/failure.js'
import { type Action, hostAuthorizer } from '../../../http/identity/authorize.js'
import type { Caller } from '../../../http/identity/caller.js'
import { type CredentialCheck, checkedBy } from '../../../http/identity/credential.js'
import { confined } from '../../../http/identity/instance-tokens/confined.js'
import { LockedCallers } from '../../../http/identity/locked-callers.js'
import { roleAuthorizer } from '../../../http/identity/role-authorizer.js'
import { LiveCalls } from '../../../http/live/live-calls.js'
import { fakeAccessLocks } from '../fakes/access-locks.js'
import { fakeMeter } from '../fakes/api.js'
import { fakeHost } from '../fakes/host.js'
import { fakeLog } from '../fakes/log.js'
import { fakeRoleBindings } from '../fakes/role-bindings.js'

export const NOON = Date.parse('2026-11-24T12:00:00Z')
export const READ: Action = { verb: 'get', resource: 'instances/proxy', name: 'north' }

/** What a test opens. */
export interface Opened {
  readonly caller: Caller
  readonly instance?: string
  readonly actions?: readonly Action[]
  readonly isLong?: boolean
}

/** The registry of live calls over locks, roles, and a host that the test sets; time passes when the test says so. */
export class CallsUnderTest {
  readonly locks = fakeAccessLocks()
  readonly bindings = fakeRoleBindings()
  now = 0
  /** Users that the host allows everything. */
  readonly allowed = new Set<string>()
  /** Uids of ServiceAccounts that the watch saw to be deleted. */
  readonly deletedAccounts = new Set<string>()
  /** Instances that are being deleted. */
  readonly leaving = new Set<string>()
  readonly host = fakeHost({ tokens: {}, allows: ({ user }) => this.allowed.has(user) })
  readonly log = fakeLog()
  readonly live: LiveCalls
  readonly decide: ReturnType<typeof roleAuthorizer>['decide']
  readonly locked = new LockedCallers(this.locks, () => NOON + this.now)
  #looking: { every: number; at: number; work: () => void } | undefined

  constructor(options: { readonly unconfirmedMs?: number } = {}) {
    const now = () => this.now
    const authorizer = confined(
      roleAuthorizer({ bindings: this.bindings, host: hostAuthorizer({ host: this.host, now }) }),
    )
    this.decide = authorizer.decide
    this.live = new LiveCalls({
      ...options,
      ...{
        authorizer,
        bindings: this.bindings,
        now,
        locked: this.locked,
        isLeaving: (instance: string) => this.leaving.has(instance),
        accounts: { wasDeleted: (uid: string) => this.deletedAccounts.has(uid) },
        log: this.log,
        meter: fakeMeter().meter,
      },
      wallClock: () => NOON + this.now,
      every: (every, work) => {
        const looking = { every, at: this.now + every, work }
        this.#looking = looking
        return () => {
          if (this.#looking === looking) this.#looking = undefined
        }
      },
    })
  }

  get isLooking(): boolean {
    return this.#looking !== undefined
  }

  /** How many reviews of rights the host was asked for. */
  get reviews(): number {
    return this.host.requests.filter(({ path }) => path.endsWith('/subjectaccessreviews')).length
  }

  /** A caller with a credential. */
  caller(user: string, more: Partial<Caller> = {}, check: Partial<CredentialCheck> = {}): Caller {
    return checkedBy({ user, groups: [], extra: {}, ...more }, { key: user, ...check })
  }

  /** A call that is live until it is closed or ended. */
  open({ caller, instance = 'north', actions = [READ], isLong = true }: Opened) {
    return this.#add({ caller, instance, actions, isLong })
  }

  /** A call about all instances. */
  openFleet(caller: Caller) {
    return this.#add({ caller, instance: undefined, actions: [], isLong: true })
  }

  #add(call: { caller: Caller; instance: string | undefined; actions: readonly Action[]; isLong: boolean }) {
    const opened: { ended?: Failure; close: () => void } = { close: () => undefined }
    const live = this.live.add({
      ...call,
      end: failure => {
        opened.ended ??= failure
        opened.close()
      },
    })
    opened.close = () => live.leave()
    return {
      ...opened,
      note: (instance: string) => live.note(instance),
      get ended() {
        return opened.ended
      },
    }
  }

  /** Time passes, and what is under way then is done. */
  async pass(ms: number): Promise<void> {
    const until = this.now + ms
    while (this.#looking && this.#looking.at <= until) {
      this.now = this.#looking.at
      this.#looking.at += this.#looking.every
      this.#looking.work()
      await settled()
    }
    this.now = until
    await settled()
  }
}

/** All that waits for nothing but turns of promises is done. */
export const settled = () => new Promise<void>(resolve => setImmediate(resolve))

/** A registry in which `ann` may everything by the host. */
export function withAnn() {
  const calls = new CallsUnderTest()
  calls.allowed.add('ann')
  return { calls, ann: calls.caller('ann', { groups: ['dev'], credential: { id: 'seven' } }) }
}

/** Gives `ann` a role on all of an instance. */
export const whole = { instance: 'north', subject: { kind: 'User', name: 'ann' } } as const

export const reasonOf = ({ ended }: { readonly ended: Failure | undefined }) => ended?.details.reason
