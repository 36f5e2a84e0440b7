import type { KubeApi } from '../../ports/kube-api.js'
import { type Failure, permissionDenied } from '../errors/failure.js'
import { type Answer, AnswerCache } from './answer-cache.js'
import type { Caller } from './caller.js'
import type { HostGrace } from './host-grace.js'
import type { HostReviews } from './host-reviews.js'
import { shortKey } from './short-key.js'
import { type ReviewedAttributes, reviewAccess } from './subject-access-review.js'

/** What to authorize, in Kubernetes' words. `resource` may carry a subresource after a slash. */
export type Action =
  | { readonly verb: string; readonly resource: string; readonly name?: string }
  | { readonly verb: string; readonly path: string }

/** The authorizer's decision, and its reason in its own words. */
export interface Verdict {
  readonly allowed: boolean
  readonly reason: string
}

/** Authorizes actions: by roles on instances (`role-authorizer.ts`), then by the host. */
export interface Authorizer {
  /**
   * At once where the verdict is known.
   * @param how `anew` asks the host whatever is cached of its verdicts
   * @throws Failure or StatusError when the host could not decide: that is never a yes.
   */
  decide(caller: Caller, action: Action, how?: { readonly anew: boolean }): Verdict | Promise<Verdict>
}

/** An allowed review is cached this long: a revoked right ends after this time. */
const ALLOWED_MS = 10_000
/** A denied review is cached this long: short, so that a grant takes effect soon. */
const DENIED_MS = 2_000
/** How many verdicts of each kind are cached: 16 callers who each filter 1,000 instances. */
const CAPACITY = 16_384

/** SubjectAccessReview on the host, for group kairship.io. */
export function hostAuthorizer(options: {
  readonly host: KubeApi
  /** What keeps callers from waiting for a host that answers no SubjectAccessReview; each waits for its own when absent. */
  readonly reviews?: Pick<HostReviews, 'ask'> | undefined
  readonly now: () => number
  /** How long a yes counts while the host does not answer. */
  readonly grace?: HostGrace | undefined
}): Authorizer {
  const { now, grace } = options
  const cache = new AnswerCache<Verdict>({
    ...{ capacity: CAPACITY, now },
    ...(grace && { standingIn: () => grace.standingIn('access') }),
  })
  return {
    decide(caller, action, how) {
      const key = keyOf(caller, action)
      const ask = () => review(options, caller, action)
      return how?.anew ? cache.renew(key, ask) : cache.get(key, ask)
    },
  }
}

/** Everything that a verdict depends on. A caller's last key is kept: most callers repeat one action on one instance. */
function keyOf(caller: Caller, action: Action): string {
  const last = lastKeys.get(caller)
  if (last && isSame(last.action, action)) return last.key
  const key = shortKey(`${callerKey(caller)} ${JSON.stringify(action)}`)
  lastKeys.set(caller, { action, key })
  return key
}

const lastKeys = new WeakMap<Caller, { readonly action: Action; readonly key: string }>()

function isSame(one: Action, other: Action): boolean {
  if (one.verb !== other.verb) return false
  if ('path' in one) return 'path' in other && one.path === other.path
  return !('path' in other) && one.resource === other.resource && one.name === other.name
}

/** All attributes of a caller, as one short text: rights depend on them alone, and not on the token that proved the caller. */
export function callerKey(caller: Caller): string {
  let key = callerKeys.get(caller)
  if (key === undefined) {
    const { user, uid, groups, extra } = caller
    key = shortKey(JSON.stringify({ user, uid, groups, extra }))
    callerKeys.set(caller, key)
  }
  return key
}

/** A cached caller is the same object for many requests, and never changes. */
const callerKeys = new WeakMap<Caller, string>()

async function review(
  {
    host,
    reviews = { ask: work => work() },
    grace,
  }: Pick<Parameters<typeof hostAuthorizer>[0], 'host' | 'reviews' | 'grace'>,
  caller: Caller,
  action: Action,
): Promise<Answer<Verdict>> {
  const verdict = await reviews.ask(() => reviewAccess(host, caller, attributesOf(action)))
  const ttlMs = verdict.allowed ? ALLOWED_MS : DENIED_MS
  return { value: verdict, ttlMs, standInMs: grace?.ms ?? 0, refused: !verdict.allowed }
}

function attributesOf(action: Action): ReviewedAttributes {
  if ('path' in action) return { nonResourceAttributes: { verb: action.verb, path: action.path } }
  const [resource = '', subresource] = action.resource.split('/')
  return {
    resourceAttributes: {
      group: 'kairship.io',
      version: 'v1alpha1',
      verb: action.verb,
      resource,
      ...(subresource ? { subresource } : {}),
      ...(action.name ? { name: action.name } : {}),
    },
  }
}

/** The refusal of an action, as a Kubernetes API server words it. */
export function denied(caller: Caller, action: Action, { reason }: Verdict): Failure {
  const because = reason ? `: ${reason}` : ''
  if ('path' in action)
    return permissionDenied(`User "${caller.user}" cannot ${action.verb} path "${action.path}"${because}`)
  const which = action.name ? ` "${action.name}"` : ''
  return permissionDenied(
    `${action.resource}.kairship.io${which} is forbidden: User "${caller.user}" cannot ${action.verb} resource "${action.resource}" in API group "kairship.io" at the cluster scope${because}`,
  )
}

/** A right that a handler needs beside that of its proto. @throws Failure PERMISSION_DENIED */
export async function requireRight(
  authorizer: Authorizer,
  { caller }: { readonly caller: Caller },
  action: Action,
): Promise<void> {
  const verdict = await authorizer.decide(caller, action)
  if (!verdict.allowed) throw denied(caller, action, verdict)
}
