import type { ResourceDefinition } from '../../apimachinery/resource-definition.js'
import type { User } from '../access/user.js'
import { type ApiRequest, type ApiResponse, plainText } from '../wire/exchange.js'
import type { RequestInfo } from '../wire/request-info.js'

/** A request that is authenticated, authorized and meant for an aggregated API. */
export interface AggregatedRequest extends ApiRequest {
  readonly user: User
  readonly info: RequestInfo
}

export type AggregatedHandler = (request: AggregatedRequest) => Promise<ApiResponse>

/** One group and version that another server than this one would serve: its types are stored here or answered by code. */
export interface AggregatedApi {
  readonly group: string
  readonly version: string
  /** Types kept in this cluster's store, with everything stored types can do. */
  readonly definitions?: readonly ResourceDefinition[]
  /** Subresources of those types that code answers, by `plural/subresource`, e.g. `clusters/proxy`. */
  readonly connect?: Readonly<Record<string, AggregatedHandler>>
  /** Types that discovery lists and `handle` answers. */
  readonly virtual?: readonly ResourceDefinition[]
  /** Answers every other request below /apis/{group}/{version}/. */
  readonly handle?: AggregatedHandler
  /** The Service that the APIService object names; nothing dials it. */
  readonly service?: { readonly namespace: string; readonly name: string }
}

/** An aggregated API and whether it answers at the moment. */
export interface Registration {
  readonly api: AggregatedApi
  available: boolean
}

/** The aggregated APIs of one logical cluster: whom to ask for a group and version. `aggregate` adds to them. */
export class Aggregation {
  readonly #registrations = new Map<string, Registration>()
  readonly #listeners = new Set<() => void>()

  find(group: string, version: string): AggregatedApi | undefined {
    return this.#registrations.get(apiServiceName({ group, version }))?.api
  }

  /** True for a registered API that does not answer at the moment. */
  isAway(group: string, version: string): boolean {
    return this.#registrations.get(apiServiceName({ group, version }))?.available === false
  }

  /** The group/versions that do not answer at the moment: a client that needs all of discovery has to wait for them. */
  get away(): string[] {
    return [...this.#registrations.values()]
      .filter(one => !one.available)
      .map(({ api }) => `${api.group}/${api.version}`)
  }

  /** Calls `listener` when an API becomes available or unavailable. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener)
  }

  /** @returns what to change when it goes away or comes back, followed by `tell` */
  add(api: AggregatedApi): Registration {
    const registration: Registration = { api, available: true }
    this.#registrations.set(apiServiceName(api), registration)
    return registration
  }

  remove(api: AggregatedApi): void {
    this.#registrations.delete(apiServiceName(api))
  }

  /** Tells the listeners that an API became available or unavailable. */
  tell(): void {
    for (const listener of this.#listeners) listener()
  }
}

/** `v1alpha1.cluster.karmada.io`: how the APIService of a group and version is called. */
export const apiServiceName = ({ group, version }: Pick<AggregatedApi, 'group' | 'version'>): string =>
  `${version}.${group}`

/** What an aggregator answers for a server that is away. */
export const serviceAway = (): ApiResponse => plainText(503, 'service unavailable\n')
