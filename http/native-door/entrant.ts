import type { Fleet } from '../../ports/fleet.js'
import type { InstanceIndex } from '../../ports/instance-index.js'
import type { KubeApi, Upstream } from '../../ports/kube-api.js'
import type { Caller } from '../identity/caller.js'
import type { CatchUp, Showing } from '../read-your-writes/catch-up.js'
import type { Extent, Party } from '../read-your-writes/due.js'
import type { WriteLedger } from '../read-your-writes/ledger.js'
import { isLongAgo } from '../read-your-writes/long-ago.js'
import { indexShowing } from '../read-your-writes/showing.js'
import type { InstanceAccess } from './access.js'
import type { Asked } from './asked.js'
import type { RequestInfo, ResourceInfo } from './request-info.js'
import type { IndexState, Route } from './route.js'

/** What decides where a request is answered from. */
export interface Sources {
  readonly fleet: Fleet
  readonly access: InstanceAccess
  readonly ledger: WriteLedger
  readonly catchUp: CatchUp
}

/** A request that was let in. */
export interface Entrant {
  readonly instance: string
  /** Of the Instance object, which tells it from others of its name. */
  readonly uid: string
  readonly caller: Caller
  readonly info: RequestInfo
  readonly asked: Asked
  /** The instance's own control plane, and the way of requests to it. */
  readonly karmada: { readonly api: KubeApi; readonly upstream: Upstream }
}

/** In whose name it writes and reads. */
export const partyOf = ({ uid, caller }: Entrant): Party => ({ instance: uid, user: caller.user })

/** Where a request was answered from, and why. */
export interface Answered {
  readonly source: Route['to']
  readonly reason: string
}

/** What the index shows, and whether it does so by now. */
export const showingOf = (index: InstanceIndex, { now }: WriteLedger): Showing => ({
  ...indexShowing(index.upstream),
  ...(!index.can.listResourceVersion && {
    isLongAgo: since => isLongAgo(index.freshness, now() - since, Date.now()),
  }),
})

/** What a request looks at, in the words of the objects themselves. */
export const extentOf = ({ namespace = '', name }: ResourceInfo): Extent => ({
  namespace: decoded(namespace),
  ...(name !== undefined && { name: decoded(name) }),
})

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text // no object is called so
  }
}

/** What has to be found out about a read. */
export type Found = Pick<IndexState, 'access' | 'reached' | 'showsOwnWrites'>
/** All of that taken for good, to see whether it matters. */
export const HOPED_FOR: Found = { access: 'allowed', reached: true, showsOwnWrites: true }

/** How things stand with the index for one request: what is known at once, and what was found out. */
export const standing = (
  { resource }: RequestInfo,
  { can, holds, trouble, freshness }: InstanceIndex,
  { access, reached, showsOwnWrites }: Found,
): IndexState => ({
  can,
  holds: resource ? holds(resource) : 'no',
  trouble,
  standsStill: freshness.state === 'standingStill',
  access,
  reached,
  showsOwnWrites,
})
