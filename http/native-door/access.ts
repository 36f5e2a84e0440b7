import type { KubeApi } from '../../ports/kube-api.js'
import { callerKey } from '../identity/authorize.js'
import type { Caller } from '../identity/caller.js'
import { type Answer, Remembered } from '../identity/remembered.js'
import type { RequestInfo } from './request-info.js'

/** A yes is believed this long, a no never: the instance says it itself then. */
const ALLOWED_MS = 10_000
/** A no to all objects of a type is believed this long: it only says that each of them has to be asked about. */
const NOT_ALL_MS = 10_000
/** How many answers are remembered: 1,000 callers who each read 16 types. */
const CAPACITY = 16_384
/** How long the instance may take to answer a review; the read waits for it. */
const REVIEW_TIMEOUT_MS = 3_000

type Reviewed = Partial<NonNullable<RequestInfo['resource']>>

/** Asks instances what callers may read there, because an index lets everybody read everything. */
export class InstanceAccess {
  readonly #answers: Remembered<boolean>

  constructor(now: () => number) {
    this.#answers = new Remembered({ capacity: CAPACITY, now })
  }

  /**
   * Whether the instance's own authorizer lets the caller do this. Reading all namespaces needs the right to all of them.
   * About one object is asked last: who may read all of its type, which is what a review without a name asks, may read it,
   * and a thousand objects are asked about once.
   * @param instance its uid: another instance of the same name decides anew
   * @throws StatusError, UnreachableError when the instance did not say; URIError for a path that is not UTF-8
   */
  async allows(
    instance: string,
    api: KubeApi,
    caller: Caller,
    { verb, resource = {} }: { verb: string; resource?: Reviewed },
  ): Promise<boolean> {
    const asked = (what: Reviewed, noMs: number): boolean | Promise<boolean> =>
      this.#answers.get(`${instance} ${callerKey(caller)} ${JSON.stringify([verb, what])}`, () =>
        review(api, caller, verb, what, noMs),
      )
    const { name, ...all } = resource
    if (name === undefined) return asked(all, 0)
    return (await asked(all, NOT_ALL_MS)) || asked(resource, 0)
  }
}

async function review(
  api: KubeApi,
  { user, uid, groups, extra }: Caller,
  verb: string,
  what: Reviewed,
  noMs: number,
): Promise<Answer<boolean>> {
  const named = Object.entries(what).map(([key, part]) => [key, decodeURIComponent(part)])
  const resourceAttributes = { ...Object.fromEntries(named), verb }
  // As the instance does with whom we impersonate there.
  const all = user === 'system:anonymous' ? groups : [...new Set([...groups, 'system:authenticated'])]
  const { status } = await api.request<{ status?: { allowed?: unknown; denied?: unknown } }>({
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    body: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: { user, uid, groups: all, extra, resourceAttributes },
    },
    timeoutMs: REVIEW_TIMEOUT_MS,
  })
  const value = status?.allowed === true && status.denied !== true
  return { value, ttlMs: value ? ALLOWED_MS : noMs }
}
