import { type JsonObject, withAt } from '../../apimachinery/json.js'
import { apiVersionOf, type ResourceDefinition } from '../../apimachinery/resource-definition.js'
import type { User } from '../access/user.js'
import { type Cluster, timestamp } from '../cluster.js'
import { create } from '../operations/create.js'
import { remove } from '../operations/delete.js'
import { DELETE_NOW } from '../operations/delete-options.js'
import { INTERNAL_WRITE } from '../operations/internal-options.js'
import { quietly } from '../operations/quietly.js'
import { targetOf } from '../operations/target.js'
import { write } from '../operations/update.js'
import { type ApiRequest, type ApiResponse, plainText } from '../wire/exchange.js'
import type { RequestInfo } from '../wire/request-info.js'
import { collectionId, type ServedType } from './catalogue.js'

export const APISERVICES = 'apiservices.apiregistration.k8s.io'

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
  /** Doors of those types that code answers, by `plural/subresource`, e.g. `clusters/proxy`. */
  readonly connect?: Readonly<Record<string, AggregatedHandler>>
  /** Types that discovery lists and `handle` answers. */
  readonly virtual?: readonly ResourceDefinition[]
  /** Answers every other request below /apis/{group}/{version}/. */
  readonly handle?: AggregatedHandler
  /** The Service that the APIService object names; nothing dials it. */
  readonly service?: { readonly namespace: string; readonly name: string }
}

/** A registered aggregated API. */
export interface Aggregated {
  /** While unavailable every request is answered 503, and the APIService's condition says why. */
  setAvailable(available: boolean, why?: { readonly reason: string; readonly message: string }): Promise<void>
  /** Ends serving and deletes the APIService. */
  remove(): Promise<void>
}

interface Registration {
  readonly api: AggregatedApi
  available: boolean
}

/** The aggregated APIs of one logical cluster. */
export class Aggregation {
  readonly #registrations = new Map<string, Registration>()
  readonly #listeners = new Set<() => void>()

  constructor(private readonly cluster: Cluster) {}

  find(group: string, version: string): AggregatedApi | undefined {
    return this.#registrations.get(apiServiceName(group, version))?.api
  }

  /** True for a registered API that does not answer at the moment. */
  isAway(group: string, version: string): boolean {
    return this.#registrations.get(apiServiceName(group, version))?.available === false
  }

  /** The group/versions that do not answer at the moment: whoever needs all of discovery has to wait for them. */
  get away(): string[] {
    return [...this.#registrations.values()]
      .filter(one => !one.available)
      .map(({ api }) => `${api.group}/${api.version}`)
  }

  /** Calls `listener` when an API becomes available or unavailable. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener)
  }

  async register(api: AggregatedApi): Promise<Aggregated> {
    const name = apiServiceName(api.group, api.version)
    const registration: Registration = { api, available: true }
    this.#registrations.set(name, registration)
    this.cluster.catalogue.serve(`apiservice ${name}`, servedTypes(api))
    await quietly('AlreadyExists', create(this.#target(''), apiService(api, name), INTERNAL_WRITE))
    await this.#report(name, true, { reason: 'Passed', message: 'all checks passed' })
    return {
      setAvailable: async (available, why) => {
        registration.available = available
        await this.#report(name, available, why ?? (available ? PASSED : FAILED))
        for (const listener of this.#listeners) listener()
      },
      remove: async () => {
        this.#registrations.delete(name)
        this.cluster.catalogue.serve(`apiservice ${name}`, [])
        await quietly('NotFound', remove(this.#target(name), DELETE_NOW))
      },
    }
  }

  async #report(
    name: string,
    available: boolean,
    { reason, message }: { readonly reason: string; readonly message: string },
  ): Promise<void> {
    const condition = {
      lastTransitionTime: timestamp(this.cluster.now()),
      message,
      reason,
      status: available ? 'True' : 'False',
      type: 'Available',
    }
    const target = { ...this.#target(name), subresource: 'status' }
    await write(target, INTERNAL_WRITE, current => withAt(current, ['status', 'conditions'], [condition]))
  }

  #target(name: string) {
    const type = this.cluster.catalogue.find('apiregistration.k8s.io', 'v1', 'apiservices')
    if (!type) throw new Error('this cluster does not serve apiregistration.k8s.io, so it cannot aggregate')
    return targetOf(this.cluster, type, { name })
  }
}

const PASSED = { reason: 'Passed', message: 'all checks passed' } as const
const FAILED = {
  reason: 'FailedDiscoveryCheck',
  message: 'failing or missing response: the aggregated server does not answer',
} as const

/** What an aggregator answers for a server that is away. */
export const serviceAway = (): ApiResponse => plainText(503, 'service unavailable\n')

const apiServiceName = (group: string, version: string): string => `${version}.${group}`

function servedTypes({ definitions = [], virtual = [] }: AggregatedApi): ServedType[] {
  return [...definitions, ...virtual].map(definition => ({
    definition,
    origin: 'aggregated',
    collection: collectionId(definition),
    storageApiVersion: apiVersionOf(definition),
  }))
}

const apiService = ({ group, version, service }: AggregatedApi, name: string): JsonObject => ({
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name },
  spec: {
    group,
    version,
    groupPriorityMinimum: 2000,
    versionPriority: 10,
    insecureSkipTLSVerify: true,
    service: { ...(service ?? { namespace: 'kube-system', name: group.replaceAll('.', '-') }), port: 443 },
  },
})
