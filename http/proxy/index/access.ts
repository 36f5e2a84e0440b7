import type { InstanceIndex } from '../../../ports/instance-index.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import { callerKey } from '../../identity/authorize.js'
import type { Caller } from '../../identity/caller.js'
import { reviewAccess } from '../../identity/subject-access-review.js'
import type { RequestInfo } from '../route/request-info.js'
import { LastKnown } from './last-known.js'

/** An allowed review is cached this long unless role bindings change. A denied one is not: the instance answers then. */
const ALLOWED_MS = 10_000
/** A denial for all objects of a type is cached this long: it only means that each name needs a review. */
const NOT_ALL_MS = 10_000
/** How many answers are remembered: 1,000 callers who each read 16 types. */
const CAPACITY = 16_384
/** How long the instance may take to answer a review; the read waits for it. */
const REVIEW_TIMEOUT_MS = 3_000
/**
 * How long role bindings must have been the same before a review counts for later: what they changed is by then in force in
 * the instance, which takes a watch and a few writes.
 */
const SETTLED_MS = 30_000
/** How long a yes counts while the instance is away, unless the settings say something else. */
const DEFAULT_GRACE_MS = 300_000

type Reviewed = Partial<NonNullable<RequestInfo['resource']>>
type Rights = InstanceIndex['rights']

interface Review {
  readonly allowed: boolean
  /** The role bindings of then. */
  readonly revision: string
  /** They had been in force for long enough to be sure that the answer was theirs. */
  readonly settled: boolean
}

/** Whether a caller may read something. */
export interface AccessVerdict {
  readonly allowed: boolean
  /** The instance is away: this is what it said last. */
  readonly old: boolean
}

/**
 * Finds out from instances what callers may read there, because an index lets everybody read everything. While an instance
 * is away its last yes counts for a while, unless Kairship's role bindings for it have changed since.
 */
export class InstanceAccess {
  readonly #reviews: LastKnown<Review>

  /** @param options.graceMs how long a yes counts while its instance is away; 0 for not at all */
  constructor(
    readonly now: () => number,
    readonly options: { readonly graceMs?: number | undefined } = {},
  ) {
    this.#reviews = new LastKnown({ capacity: CAPACITY, now })
  }

  /**
   * Whether the instance's own authorizer lets the caller do this. Reading all namespaces needs the right to all of them.
   * One object is reviewed last: a review without a name is about all objects of the type, so a thousand objects need
   * one review.
   * @param instance its uid: another instance of the same name is reviewed again
   * @param rights the role bindings of the instance as they are now
   * @throws StatusError, UnreachableError, Failure when the instance did not say
   */
  async verdict(
    instance: string,
    api: Pick<KubeApi, 'request'>,
    caller: Caller,
    { verb, resource = {} }: { verb: string; resource?: Reviewed },
    rights: () => Rights,
  ): Promise<AccessVerdict> {
    const ask = (what: Reviewed, noMs: number) =>
      this.#ask(instance, api, caller, { verb, resource: what }, rights, noMs)
    const { name, ...all } = resource
    if (name === undefined) return ask(all, 0)
    const ofAll = await ask(all, NOT_ALL_MS)
    return ofAll.allowed ? ofAll : ask(resource, 0)
  }

  /** The same for a reader who has something else to read where it is denied: so a denial counts as long as a yes. */
  verdictOfAll(
    instance: string,
    api: Pick<KubeApi, 'request'>,
    caller: Caller,
    read: { verb: string; resource?: Reviewed },
    rights: () => Rights,
  ): Promise<AccessVerdict> {
    return this.#ask(instance, api, caller, read, rights, NOT_ALL_MS)
  }

  async #ask(
    instance: string,
    api: Pick<KubeApi, 'request'>,
    caller: Caller,
    { verb, resource = {} }: { verb: string; resource?: Reviewed },
    rights: () => Rights,
    noMs: number,
  ): Promise<AccessVerdict> {
    const key = `${instance} ${callerKey(caller)} ${JSON.stringify([verb, resource])}`
    const { value, old } = await this.#reviews.get(key, {
      ask: () => review(api, caller, verb, resource, rights()),
      freshMs: ({ allowed, revision }) => (revision !== rights().revision ? 0 : allowed ? ALLOWED_MS : noMs),
      standsIn: last => this.#standsIn(last, rights()),
    })
    return { allowed: value.allowed, old }
  }

  /** A no counts for ever: it gives no rights. */
  #standsIn({ value, askedAt }: { value: Review; askedAt: number }, { revision }: Rights): boolean {
    const { graceMs = DEFAULT_GRACE_MS } = this.options
    const isUnchanged = value.settled && value.revision === revision
    return !value.allowed || (isUnchanged && this.now() - askedAt < graceMs)
  }
}

async function review(
  api: Pick<KubeApi, 'request'>,
  caller: Caller,
  verb: string,
  what: Reviewed,
  { revision, unchangedForMs }: Rights,
): Promise<Review> {
  const resourceAttributes = { ...what, verb }
  // The instance adds this group to the user that we impersonate there.
  const { user, groups } = caller
  const all = user === 'system:anonymous' ? groups : [...new Set([...groups, 'system:authenticated'])]
  const asImpersonated = { ...caller, groups: all }
  const { allowed } = await reviewAccess(api, asImpersonated, { resourceAttributes }, REVIEW_TIMEOUT_MS)
  return { allowed, revision, settled: unchangedForMs >= SETTLED_MS }
}
