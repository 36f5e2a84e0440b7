import type { IndexCapabilities, InstanceIndex } from '../../ports/instance-index.js'
import { type Asked, selectsAlike } from './asked.js'
import type { RequestInfo } from './request-info.js'

/** How things stand with the index for one read, right now. */
export interface IndexState {
  readonly can: IndexCapabilities
  /** How far the index is with the type that is read. */
  readonly holds: ReturnType<InstanceIndex['holds']>
  /** Why what it shows may be old, in its owner's words. */
  readonly trouble: string | undefined
  /** The canary is waited for longer than is patient. */
  readonly standsStill: boolean
  /** Whether the instance lets the caller read this: an index lets everybody. */
  readonly access: 'allowed' | 'denied' | 'unknown'
  /** It shows the state that was asked for by its resourceVersion. */
  readonly reached: boolean
  /** It shows everything that this caller has written, deletions too. */
  readonly showsOwnWrites: boolean
}

/** Where a request goes, and why. */
export interface Route {
  readonly to: 'index' | 'karmada'
  /** One word for metrics. */
  readonly reason: string
  /** A sentence's end, for the `Warning` header when it is a fallback. */
  readonly because: string
  /** True when the index would have served this if it were in order. */
  readonly fallback: boolean
}

/** A row of the rules: the first that applies sends a request to Karmada. */
type Row<Of extends unknown[]> = readonly [
  reason: string,
  applies: (...of: Of) => boolean | undefined,
  because: string,
]

interface Read {
  readonly request: RequestInfo
  readonly asked: Asked
}

/**
 * Pages smaller than this are read from the instance. An index's pages are no snapshot, so a limit is left off there, as
 * Kubernetes lets servers do; 500 is what kubectl and informers ask for, who want everything in the end.
 */
export const SMALLEST_WHOLE = 500

const reads = new Set(['get', 'list', 'watch'])

/** What no index is asked, because it would not answer as the instance does. */
const notForAnyIndex: readonly Row<[Read]>[] = [
  ['NoResource', ({ request }) => !request.resource, 'it names no resource'],
  ['NotARead', ({ request }) => !reads.has(request.verb), 'it is not a read'],
  ['HeadOnly', ({ asked }) => asked.method !== 'GET', 'it asks for the head of an answer only'],
  ['DryRun', ({ request }) => request.dryRun, 'it is a dry run'],
  ['Subresource', ({ request }) => request.resource?.subresource !== undefined, 'it reads a subresource'],
  ['Table', ({ asked }) => asked.form === 'table', 'it wants a table, whose columns are the instance’s'],
  ['MediaType', ({ asked }) => asked.form === 'none', 'it wants an encoding that the index lacks'],
  ['ContinueToken', ({ asked }) => asked.continued, 'it continues a list, and the token is the instance’s'],
  [
    'FieldSelector',
    ({ asked, request: { verb, resource } }) =>
      asked.hasFieldSelector || (verb !== 'get' && resource?.name !== undefined),
    'it selects by fields, which the index reads differently',
  ],
  [
    'LabelSelector',
    ({ asked }) => !selectsAlike(asked.labelSelector),
    'it selects by labels that the index reads differently',
  ],
  ['Parameter', ({ asked }) => asked.others.length > 0, 'it has parameters that the index reads differently'],
  ['Version', ({ asked }) => asked.version.kind === 'particular', 'it wants one particular state'],
  [
    'Page',
    ({ asked }) => asked.limit > 0 && asked.limit < SMALLEST_WHOLE,
    'it wants a page, and the index’s are no snapshots',
  ],
]

/** What this index cannot do, or is not for. */
const notForThisIndex: readonly Row<[Read, IndexState]>[] = [
  [
    'NoWatch',
    ({ request }, { can }) => request.verb === 'watch' && !can.watch,
    'the index serves no watches',
  ],
  [
    'Informer',
    ({ request, asked }, { can }) =>
      request.verb === 'list' && asked.version.kind === 'any' && !can.listResourceVersion,
    'a watch will start from this list, and the index cannot say from where',
  ],
  [
    'NotLossless',
    ({ request }, { can }) => request.verb === 'get' && !can.lossless,
    'the index does not keep objects whole',
  ],
  [
    'VersionUnknown',
    ({ asked }, { can }) => asked.version.kind === 'notOlderThan' && !can.listResourceVersion,
    'the index cannot say which state it shows',
  ],
  ['NotIndexed', (_, { holds }) => holds === 'no', 'the index does not hold this type'],
  ['Denied', (_, { access }) => access === 'denied', 'the instance does not let the caller read this'],
]

/** When the index would have served this, and is not in order. */
const fallbacks: readonly Row<[IndexState]>[] = [
  ['Syncing', ({ holds }) => holds === 'syncing', 'the index is still reading this type for the first time'],
  ['Trouble', ({ trouble }) => trouble !== undefined, 'the index says that it may be out of date'],
  ['StandsStill', ({ standsStill }) => standsStill, 'the index stands still'],
  [
    'AccessUnknown',
    ({ access }) => access === 'unknown',
    'nobody could say whether the caller may read this',
  ],
]

/** When the index is in order and this one read is ahead of it, which is over in a moment and worth no warning. */
const notYet: readonly Row<[IndexState]>[] = [
  ['OwnWrites', ({ showsOwnWrites }) => !showsOwnWrites, 'the index may not show your own last writes yet'],
  ['NotReached', ({ reached }) => !reached, 'the index has not reached the state that was asked for'],
]

/**
 * Decides by rule: what writes or connects goes to Karmada; a read goes to the index where that answers as Karmada
 * would, is in order, and the caller may read it. The first row that applies decides.
 * @param index absent where there is no index
 */
export function route(request: RequestInfo, asked: Asked, index?: IndexState): Route {
  const read = { request, asked }
  const always = firstOf(notForAnyIndex, read)
  if (always) return karmada(always)
  if (!index) return karmada(['NoIndex', () => true, 'there is no index'])
  const here = firstOf(notForThisIndex, read, index)
  if (here) return karmada(here)
  const now = firstOf(fallbacks, index)
  if (now) return { ...karmada(now), fallback: true }
  const later = firstOf(notYet, index)
  if (later) return karmada(later)
  return { to: 'index', reason: 'Index', because: 'the index can answer this', fallback: false }
}

const firstOf = <Of extends unknown[]>(rows: readonly Row<Of>[], ...of: Of): Row<Of> | undefined =>
  rows.find(([, applies]) => applies(...of))

const karmada = ([reason, , because]: Row<never[]>): Route => ({
  to: 'karmada',
  reason,
  because,
  fallback: false,
})

/** Every reason there is: the values of a metric's label. */
export const reasons: readonly string[] = [
  ...[...notForAnyIndex, ...notForThisIndex, ...fallbacks, ...notYet].map(([reason]) => reason),
  ...['NoIndex', 'Index'],
]
