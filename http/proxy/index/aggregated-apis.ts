import type { GroupVersionResource } from '../../../manifests/kube.js'
import { isNotFound } from '../../../manifests/status-error.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import { LastKnown } from './last-known.js'

/** Which server serves a group hardly ever changes: an APIService has to be edited for it. */
const FRESH_MS = 300_000
/** kube-apiserver recreates the APIServices of custom groups when it starts, so their absence may last seconds only. */
const ABSENT_FRESH_MS = 10_000
/** How long the instance may take to answer; a read waits for it. */
const TIMEOUT_MS = 3_000
/** Groups that are remembered: a thousand instances with sixteen groups each. */
const CAPACITY = 16_384

type Served = 'by the instance' | 'by another server' | 'by an unregistered server'

/**
 * Finds out which groups of an instance are served by a server of their own (an aggregated API, such as
 * `cluster.karmada.io`). Clusterpedia deletes the objects of such a group from its database as soon as the group's
 * APIService is not Available, and stores them again one by one: meanwhile its lists are empty, then too short, and nothing
 * in them says so.
 */
export class AggregatedApis {
  readonly #served: LastKnown<Served>

  constructor(now: () => number) {
    this.#served = new LastKnown({ capacity: CAPACITY, now })
  }

  /**
   * Whether another server than the instance's own API server serves the group. The last answer counts while the instance
   * is away.
   * @param instance its uid
   * @throws StatusError, UnreachableError, Failure when the instance did not say
   */
  async isAggregated(
    instance: string,
    api: Pick<KubeApi, 'request'>,
    { group, version }: Pick<GroupVersionResource, 'group' | 'version'>,
  ): Promise<boolean> {
    if (group === '') return false
    const { value } = await this.#served.get(`${instance} ${version}.${group}`, {
      ask: () => serverOf(api, `${version}.${group}`),
      freshMs: served => (served === 'by an unregistered server' ? ABSENT_FRESH_MS : FRESH_MS),
      standsIn: () => true,
    })
    return value === 'by another server'
  }
}

async function serverOf(api: Pick<KubeApi, 'request'>, apiService: string): Promise<Served> {
  try {
    const { spec } = await api.request<{ spec?: { service?: unknown } }>({
      method: 'GET',
      path: `/apis/apiregistration.k8s.io/v1/apiservices/${encodeURIComponent(apiService)}`,
      timeoutMs: TIMEOUT_MS,
    })
    return spec?.service ? 'by another server' : 'by the instance'
  } catch (error) {
    if (isNotFound(error)) return 'by an unregistered server'
    throw error
  }
}
