import type { RequestInfo } from './request-info.js'

/** What an index can do, declared by its adapter. */
export interface IndexCapabilities {
  /** Objects come out as they went in. Clusterpedia takes managedFields and last-applied away, which breaks `apply`. */
  readonly lossless: boolean
  /** Lists carry a resourceVersion that a watch can start from, and watches are served. */
  readonly watch: boolean
}

/** How things stand with the index for one instance and one resource type, right now. */
export interface IndexState {
  readonly holdsType: boolean
  /** The first sync of this type is over. */
  readonly synced: boolean
  /** The control plane behind it is healthy, so that what the index shows can be current. */
  readonly healthy: boolean
  /** Everything that this caller has written is in it, deletions too. */
  readonly hasCallersWrites: boolean
}

/** Where a request goes, and why, in the words of the `Warning` header when it is a fallback. */
export interface Route {
  readonly to: 'index' | 'karmada'
  readonly because: string
  /** True when the index would have served this if it were in order. */
  readonly fallback: boolean
}

/**
 * Decides by rule: writes and whatever else changes or connects go to Karmada; lists go to the index where it can answer
 * as Karmada would; a single object and a watch only where it loses nothing by it.
 * @param index absent where there is no index
 */
export function route(
  request: RequestInfo,
  index?: { readonly can: IndexCapabilities; readonly state: IndexState },
): Route {
  const karmada = (because: string, fallback = false): Route => ({ to: 'karmada', because, fallback })
  const { verb, resource } = request
  if (!resource) return karmada('it names no resource')
  if (!reads.has(verb)) return karmada('it is not a read')
  if (request.dryRun) return karmada('it is a dry run')
  if (resource.subresource) return karmada('it reads a subresource')
  if (!index) return karmada('there is no index')
  const { can, state } = index
  if (verb === 'watch' && !can.watch) return karmada('the index serves no watches')
  if (verb === 'list' && request.startsInformer && !can.watch)
    return karmada('a watch will start from this list, and the index serves none')
  if (verb === 'get' && !can.lossless) return karmada('the index does not keep objects whole')
  if (!state.holdsType) return karmada('the index does not hold this type')
  if (!state.synced) return karmada('the index is still reading this type for the first time', true)
  if (!state.healthy) return karmada('the index cannot be current: the control plane is not healthy', true)
  if (!state.hasCallersWrites)
    return karmada('the index has not caught up with the caller’s own writes', true)
  return { to: 'index', because: 'the index can answer this', fallback: false }
}

const reads = new Set(['get', 'list', 'watch'])
