import type { KubeApi } from '../../ports/kube-api.js'
import type { Caller } from '../identity/caller.js'
import { Remembered } from '../identity/remembered.js'
import type { RequestInfo } from './request-info.js'

/** A yes is believed this long, a no never: the instance says it itself then. */
const ALLOWED_MS = 10_000
/** How many yeses are remembered: 1,000 callers who each read 16 types. */
const CAPACITY = 16_384
/** How long the instance may take to answer a review; the read waits for it. */
const REVIEW_TIMEOUT_MS = 3_000

/** Asks instances what callers may read there, because an index lets everybody read everything. */
export class InstanceAccess {
  readonly #allowed: Remembered<boolean>

  constructor(now: () => number) {
    this.#allowed = new Remembered({ capacity: CAPACITY, now })
  }

  /**
   * Whether the instance's own authorizer lets the caller do this. Reading all namespaces needs the right to all of them.
   * @param instance its uid: another instance of the same name decides anew
   * @throws StatusError, UnreachableError when the instance did not say; URIError for a path that is not UTF-8
   */
  async allows(
    instance: string,
    api: KubeApi,
    { user, uid, groups, extra }: Caller,
    { verb, resource }: RequestInfo,
  ): Promise<boolean> {
    const named = Object.entries(resource ?? {}).map(([key, part]) => [key, decodeURIComponent(part)])
    const attributes = { ...Object.fromEntries(named), verb }
    // As the instance does with whom we impersonate there.
    const all = user === 'system:anonymous' ? groups : [...new Set([...groups, 'system:authenticated'])]
    const spec = { user, uid, groups: all, extra, resourceAttributes: attributes }
    return this.#allowed.get(JSON.stringify([instance, spec]), async () => {
      const { status } = await api.request<{ status?: { allowed?: unknown; denied?: unknown } }>({
        method: 'POST',
        path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
        body: { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec },
        timeoutMs: REVIEW_TIMEOUT_MS,
      })
      const value = status?.allowed === true && status.denied !== true
      return { value, ttlMs: value ? ALLOWED_MS : 0 }
    })
  }
}
