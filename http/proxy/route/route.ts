import type { IndexCapabilities, InstanceIndex } from '../../../ports/instance-index.js'
import { type ReadRequest, selectsAlike } from './read-request.js'
import type { RequestInfo } from './request-info.js'

/** How things stand with the index for one read, right now. */
export interface IndexState {
  readonly can: IndexCapabilities
  /** How far the index is with the type that is read. */
  readonly holds: ReturnType<InstanceIndex['holds']>
  /** Why what it shows may be old, in its owner's words. */
  readonly trouble: string | undefined
  /** The canary did not show in it within its patience. */
  readonly stalled: boolean
  /** It did not answer a moment ago. */
  readonly hangs: boolean
  /** The instance cannot be reached: its index is all there is. */
  readonly away: boolean
  /** Whether another server than the instance's own serves the type: a list-only index loses its objects silently. */
  readonly aggregated: 'yes' | 'no' | 'unknown'
  /** Whether the instance lets the caller read this: an index lets everybody. */
  readonly access: 'allowed' | 'denied' | 'unknown'
  /** It shows the state that the read requests by a resourceVersion. */
  readonly reached: boolean
  /** It shows everything that this caller has written, deletions too. */
  readonly showsOwnWrites: boolean
}

/** Why a request goes where it goes: a label's value in the metrics, and the header `Kairship-Source-Reason`. */
export type RouteReason =
  | 'Index'
  // No index answers it
  | 'NoResource'
  | 'NotARead'
  | 'HeadOnly'
  | 'DryRun'
  | 'Subresource'
  | 'Table'
  | 'MediaType'
  | 'ContinueToken'
  | 'FieldSelector'
  | 'LabelSelector'
  | 'Parameter'
  | 'Version'
  | 'Page'
  | 'Member'
  | 'Namespaces'
  // This index does not answer it
  | 'NoIndex'
  | 'NoWatch'
  | 'Informer'
  | 'BeforeWatch'
  | 'NotLossless'
  | 'VersionUnknown'
  | 'NotIndexed'
  | 'Denied'
  | 'Aggregated'
  // This index does not answer it now
  | 'Syncing'
  | 'Trouble'
  | 'Stalled'
  | 'Hangs'
  | 'AccessUnknown'
  | 'AggregatedUnknown'
  | 'OwnWrites'
  | 'NotReached'
  // The instance is away, and the index answers in its place
  | 'InstanceAway'
  // Its answer was not passed on
  | 'Empty'
  | 'NotFound'
  | 'IndexFailed'

/** Where a request goes, and why. */
export interface Route {
  readonly to: 'index' | 'karmada'
  readonly reason: RouteReason
  /** A sentence's end, for the `Warning` header when it is a fallback. */
  readonly because: string
  /** True when another source would have served this if it were in order. */
  readonly fallback: boolean
}

/** A row of the rules: the first that applies sends a request to Karmada. */
export type Row<Of extends unknown[]> = readonly [
  reason: RouteReason,
  applies: (...of: Of) => boolean | undefined,
  because: string,
]

interface Read {
  readonly request: RequestInfo
  readonly read: ReadRequest
}

/**
 * Pages smaller than this are read from the instance. An index's pages are no snapshot, so a limit is left off there, as
 * Kubernetes lets servers do; kubectl and informers request 500, and read all pages.
 */
export const SMALLEST_WHOLE = 500

const reads = new Set(['get', 'list', 'watch'])

/** Reads that no index answers as the instance does. */
const notForAnyIndex: readonly Row<[Read]>[] = [
  ['NoResource', ({ request }) => !request.resource, 'it names no resource'],
  ['NotARead', ({ request }) => !reads.has(request.verb), 'it is not a read'],
  ['HeadOnly', ({ read }) => read.method !== 'GET', 'it asks for the head of an answer only'],
  ['DryRun', ({ request }) => request.dryRun, 'it is a dry run'],
  ['Subresource', ({ request }) => request.resource?.subresource !== undefined, 'it reads a subresource'],
  ['Table', ({ read }) => read.form === 'table', 'it wants a table, whose columns are the instance’s'],
  ['MediaType', ({ read }) => read.form === 'none', 'it wants an encoding that the index lacks'],
  ['ContinueToken', ({ read }) => read.continued, 'it continues a list, and the token is the instance’s'],
  [
    'FieldSelector',
    ({ read, request: { verb, resource } }) =>
      read.hasFieldSelector || (verb !== 'get' && resource?.name !== undefined),
    'it selects by fields, which the index reads differently',
  ],
  [
    'LabelSelector',
    ({ read }) => !selectsAlike(read.labelSelector),
    'it selects by labels that the index reads differently',
  ],
  ['Parameter', ({ read }) => read.others.length > 0, 'it has parameters that the index reads differently'],
  ['Version', ({ read }) => read.version.kind === 'particular', 'it wants one particular state'],
  [
    'Page',
    ({ read }) => read.limit > 0 && read.limit < SMALLEST_WHOLE,
    'it wants a page, and the index’s are no snapshots',
  ],
]

/** Reads of an API server that this index cannot answer. */
const notForThisIndex: readonly Row<[Read, IndexState]>[] = [
  [
    'NoWatch',
    ({ request }, { can }) => request.verb === 'watch' && !can.watch,
    'the index serves no watches',
  ],
  [
    'Informer',
    ({ request, read }, { can }) =>
      request.verb === 'list' && read.version.kind === 'any' && !can.listResourceVersion,
    'a watch will start from this list, and the index cannot say from where',
  ],
  [
    'BeforeWatch',
    ({ request, read }, { can }) => request.verb === 'list' && read.byKubectl && !can.listResourceVersion,
    'kubectl may start a watch from this list, and the index cannot say from where',
  ],
  [
    'NotLossless',
    ({ request }, { can }) => request.verb === 'get' && !can.lossless,
    'the index does not keep objects whole',
  ],
  [
    'VersionUnknown',
    ({ read }, { can }) => read.version.kind === 'notOlderThan' && !can.listResourceVersion,
    'the index cannot say which state it shows',
  ],
]

/** Types and objects of which this index must not answer anything. */
const withheld: readonly Row<[IndexState]>[] = [
  ['NotIndexed', ({ holds }) => holds === 'no', 'the index does not hold this type'],
  ['Denied', ({ access }) => access === 'denied', 'the instance does not let the caller read this'],
  [
    'Aggregated',
    ({ can, aggregated }) => !can.listResourceVersion && aggregated === 'yes',
    'the index loses objects of aggregated APIs without saying so',
  ],
]

/** States of an index that would have served this, and is not in order. */
const fallbacks: readonly Row<[IndexState]>[] = [
  ['Hangs', ({ hangs }) => hangs, 'the index did not answer a moment ago'],
  ['Syncing', ({ holds }) => holds === 'syncing', 'the index is still reading this type for the first time'],
  [
    'Trouble',
    ({ trouble, holds, away }) => !away && (trouble !== undefined || holds === 'paused'),
    'the index says that it may be out of date',
  ],
  ['Stalled', ({ stalled }) => stalled, 'the index is stalled'],
  [
    'AccessUnknown',
    ({ access }) => access === 'unknown',
    'whether the caller may read this could not be found out',
  ],
  [
    'AggregatedUnknown',
    ({ can, aggregated }) => !can.listResourceVersion && aggregated === 'unknown',
    'the instance did not say whether this is an aggregated API, whose objects the index may lose',
  ],
]

/** The index is in order, and this read is ahead of it: that is over in a moment and worth no warning. */
const notYet: readonly Row<[IndexState]>[] = [
  ['OwnWrites', ({ showsOwnWrites }) => !showsOwnWrites, 'the index may not show your own last writes yet'],
  ['NotReached', ({ reached }) => !reached, 'the index has not reached the requested state'],
]

/**
 * Decides by rule: what writes or connects goes to Karmada; a read goes to the index where that answers as Karmada
 * would, is in order, and the caller may read it. The first row that applies decides.
 * @param index absent where there is no index
 */
export function route(request: RequestInfo, read: ReadRequest, index?: IndexState): Route {
  const whole = { request, read }
  const always = firstOf(notForAnyIndex, whole)
  if (always) return karmada(always)
  const here = index && firstOf(notForThisIndex, whole, index)
  return here ? karmada(here) : routeByIndex(index)
}

/** Decides of a read that an index could answer by the state of this one: the rules that all reads have in common. */
export function routeByIndex(index: IndexState | undefined): Route {
  if (!index) return karmada(['NoIndex', () => true, 'there is no index'])
  const here = firstOf(withheld, index)
  if (here) return karmada(here)
  const now = firstOf(fallbacks, index)
  if (now) return { ...karmada(now), fallback: true }
  const later = firstOf(notYet, index)
  if (later) return karmada(later)
  return index.away ? IN_PLACE_OF_INSTANCE : INDEX
}

const INDEX: Route = {
  to: 'index',
  reason: 'Index',
  because: 'the index can answer this',
  fallback: false,
}

const IN_PLACE_OF_INSTANCE: Route = {
  to: 'index',
  reason: 'InstanceAway',
  because: 'the instance cannot be reached, and this is what was last seen of it',
  fallback: true,
}

/** The first row that applies. */
export const firstOf = <Of extends unknown[]>(rows: readonly Row<Of>[], ...of: Of): Row<Of> | undefined =>
  rows.find(([, applies]) => applies(...of))

/** The route of a row that applies. */
export const karmada = ([reason, , because]: Row<never[]>): Route => ({
  to: 'karmada',
  reason,
  because,
  fallback: false,
})
