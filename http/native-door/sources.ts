import type { RawSink, Upstream } from '../../ports/kube-api.js'
import {
  type Answered,
  type Entrant,
  extentOf,
  HOPED_FOR,
  partyOf,
  type Sources,
  showingOf,
  standing,
} from './entrant.js'
import { IndexFirst } from './index-first.js'
import { Named } from './named.js'
import type { ResourceInfo } from './request-info.js'
import { route } from './route.js'
import { Tapped } from './tapped.js'

/**
 * The instance as this entrant is to see it: its own control plane, or its index where that answers as well. Passes for an
 * endpoint, so that the way of a request need not know of it. Only what changes nothing is ever asked twice.
 */
export function sourceOf(sources: Sources, entrant: Entrant, answered: (from: Answered) => void): Upstream {
  const { karmada, info, asked } = entrant
  return {
    open: request => karmada.upstream.open(request),
    send(request, sink) {
      const index = sources.fleet.index(entrant.instance)
      const first = route(info, asked, index && standing(info, index, HOPED_FOR))
      if (first.to === 'karmada' || !index) {
        answered({ source: 'karmada', reason: first.reason })
        return karmada.upstream.send(request, remembered(sources, entrant, new Named(sink, first)))
      }
      return new IndexFirst({ sources, entrant, index, request, sink, answered })
    },
  }
}

const writes = new Set(['create', 'update', 'patch', 'delete', 'deletecollection'])
/** Subresources that reach beyond the instance's store: what happens behind them is written elsewhere. */
const CONNECTS = /^(proxy|exec|attach|portforward)(\/|$)/

/** The sink of a request; what a write turns out to be is remembered on the way. */
function remembered(sources: Sources, entrant: Entrant, sink: RawSink): RawSink {
  const { ledger } = sources
  const { verb, resource, dryRun } = entrant.info
  if (!resource || !writes.has(verb) || dryRun || CONNECTS.test(resource.subresource ?? '')) return sink
  const request = { verb, ...extentOf(resource) }
  const pending = ledger.begin(partyOf(entrant), resource, request)
  if (verb === 'delete') lookFirst(sources, entrant, resource)
  return new Tapped(request, pending, sink)
}

/** What the index was seen to have before it was deleted is soon believed to be gone; if it does not answer, later. */
function lookFirst({ fleet, ledger, catchUp }: Sources, entrant: Entrant, type: ResourceInfo): void {
  const index = fleet.index(entrant.instance)
  if (index?.holds(type) !== 'synced') return
  const read = { party: partyOf(entrant), type, extent: extentOf(type) }
  catchUp.look(read, showingOf(index, ledger)).catch(() => undefined)
}
