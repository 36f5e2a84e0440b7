import { CONFIG_MAPS, INDEX_CANARY } from '../../manifests/index-canary.js'
import { resourcePath } from '../../manifests/kube.js'
import type { Fleet } from '../../ports/fleet.js'
import type { InstanceIndex } from '../../ports/instance-index.js'
import type { KubeApi } from '../../ports/kube-api.js'
import type { Activity } from '../activity/activity.js'
import type { Caller } from '../identity/caller.js'
import type { CatchUp, ObjectSource } from '../read-your-writes/catch-up.js'
import { hasCaughtUp } from '../read-your-writes/deletion-wait.js'
import type { InstanceCaller } from '../read-your-writes/expected-write.js'
import type { WriteLedger } from '../read-your-writes/ledger.js'
import { indexObjects } from '../read-your-writes/object-source.js'
import type { GuardedSender, GuardedUpstream } from './circuit/circuit-upstream.js'
import type { Circuits } from './circuit/circuits.js'
import type { InstanceAccess } from './index/access.js'
import type { AggregatedApis } from './index/aggregated-apis.js'
import { indexTarget, type ReadRequest } from './route/read-request.js'
import type { RequestInfo } from './route/request-info.js'
import { type IndexState, type Route, route } from './route/route.js'

/** What decides where a request is answered from. */
export interface Sources {
  readonly fleet: Fleet
  readonly access: InstanceAccess
  readonly aggregatedApis: AggregatedApis
  readonly circuits: Circuits
  readonly ledger: WriteLedger
  readonly catchUp: CatchUp
  /** What is answered of each instance. */
  readonly activity: Pick<Activity, 'count' | 'sample' | 'since'>
}

/** An admitted request. */
export interface ProxyRequest {
  readonly instance: string
  /** Uid of the Instance object: a successor of the same name has another. */
  readonly uid: string
  readonly caller: Caller
  readonly info: RequestInfo
  readonly read: ReadRequest
  /** The instance's own control plane, and the way of requests to it. */
  readonly karmada: { readonly api: KubeApi; readonly upstream: GuardedUpstream }
  /** Of a list of the management API, which has other rules; absent for a request of an API server. */
  readonly rules?: ReadRules
}

/** How a read is answered that an index may know better than an API server. */
export interface ReadRules {
  /** @param index absent where there is none */
  route(index: IndexState | undefined): Route
  /** The request to the index: a path with its query. */
  readonly target: string
  /** Of a list over all namespaces, those that `target` selects: the caller must be allowed to read each of them, and need not all others. */
  readonly namespaces?: readonly string[]
}

/** Where a request goes, by the rules that it has. */
export const routeOf = (
  { info, read, rules }: Pick<ProxyRequest, 'info' | 'read' | 'rules'>,
  index: IndexState | undefined,
): Route => (rules ? rules.route(index) : route(info, read, index))

/** The request to an index in place of an admitted read. */
export const targetAtIndex = ({ info, read, rules }: ProxyRequest): string =>
  rules?.target ?? indexTarget(info, read)

/** Whose write or read it is. */
export const instanceCallerOf = ({ uid, caller }: ProxyRequest): InstanceCaller => ({
  instance: uid,
  user: caller.user,
})

/** Where a request was answered from, and why. */
export interface Answered {
  readonly source: Route['to']
  readonly reason: string
}

/** An instance's index, and the way to it behind its circuit. */
export interface GuardedIndex {
  readonly index: InstanceIndex
  readonly upstream: GuardedSender
}

/** Read from the index's database as any object is, and there in every index that is measured. */
const INDEX_LIFE_SIGN = resourcePath(CONFIG_MAPS, INDEX_CANARY)

/** The index of an instance, if there is one. */
export function indexOf({ fleet, circuits }: Sources, instance: string): GuardedIndex | undefined {
  const index = fleet.index(instance)
  return index && { index, upstream: circuits.guardIndex(instance, index.upstream, INDEX_LIFE_SIGN) }
}

/** The instance's API behind its circuit. */
export const apiOf = ({
  karmada: { api, upstream },
}: Pick<ProxyRequest, 'karmada'>): Pick<KubeApi, 'request'> => ({
  request: request => upstream.ask(request.path, () => api.request(request)),
})

/** The index as a source of objects, which says how far it has caught up. */
export const indexSource = ({ index, upstream }: GuardedIndex, { now }: WriteLedger): ObjectSource => ({
  ...indexObjects(upstream),
  ...(!index.can.listResourceVersion && {
    hasCaughtUp: time => hasCaughtUp(index.freshness, now() - time, Date.now()),
  }),
})

/** What has to be found out about a read. */
export type Found = Pick<IndexState, 'access' | 'aggregated' | 'away' | 'reached' | 'showsOwnWrites'>
/** The best that could be found out: a request that goes to Karmada even then needs no finding out. */
export const BEST_CASE: Found = {
  access: 'allowed',
  aggregated: 'no',
  away: false,
  reached: true,
  showsOwnWrites: true,
}

/** The state of the index for one request: what is known at once, and what was found out. */
export const indexState = (
  { resource }: RequestInfo,
  { index: { can, holds, trouble, freshness }, upstream }: GuardedIndex,
  found: Found,
): IndexState => ({
  can,
  holds: resource ? holds(resource) : 'no',
  trouble,
  stalled: freshness.state === 'stalled',
  hangs: !upstream.admits,
  ...found,
})
