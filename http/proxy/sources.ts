import type { RawRequest, RawSink, Sender } from '../../ports/kube-api.js'
import { SourceHeaders } from './exchange/source-headers.js'
import { IndexedRead } from './index/indexed-read.js'
import {
  type Answered,
  BEST_CASE,
  type GuardedIndex,
  indexOf,
  indexSource,
  indexState,
  instanceCallerOf,
  type ProxyRequest,
  routeOf,
  type Sources,
} from './proxy-request.js'
import type { ResourceInfo } from './route/request-info.js'
import type { Route } from './route/route.js'
import { scopeOf, WriteObserver, writeOf } from './write-observer.js'

/** Verbs that change nothing. */
const READS: ReadonlySet<string> = new Set(['get', 'list', 'watch'])

/** The best case while the instance is away. */
const IF_AWAY = { ...BEST_CASE, away: true }

/**
 * The instance as this caller is to see it: its own control plane, or its index where that answers as well. It looks like an
 * endpoint, so that an exchange treats both alike. Only reads are ever sent twice.
 */
export function sourceOf(sources: Sources, admitted: ProxyRequest, told: (from: Answered) => void): Sender {
  const { karmada, info } = admitted
  const isWrite = !READS.has(info.verb)
  const answered = (from: Answered) => {
    sources.activity.count(admitted.instance, from, isWrite)
    told(from)
  }
  return {
    send(request, sink) {
      const index = indexOf(sources, admitted.instance)
      const { first, byIndex } = firstRoute(index, admitted)
      if (!index || !byIndex) {
        answered({ source: 'karmada', reason: first.reason })
        return karmada.upstream.send(
          request,
          remembered(sources, admitted, request, new SourceHeaders(sink, first)),
        )
      }
      return new IndexedRead({ sources, admitted, index, request, sink, first, answered })
    },
  }
}

/** Where a request goes by what is known at once, and whether its index may answer it. */
export function firstRoute(
  index: GuardedIndex | undefined,
  read: Pick<ProxyRequest, 'info' | 'read' | 'rules'>,
): { readonly first: Route; readonly byIndex: boolean } {
  const first = routeOf(read, index && indexState(read.info, index, BEST_CASE))
  const ifAway = index && first.fallback ? routeOf(read, indexState(read.info, index, IF_AWAY)) : first
  return { first, byIndex: index !== undefined && ifAway.to !== 'karmada' }
}

/** The sink of a request. The outcome of a write is remembered as its answer passes. */
function remembered(sources: Sources, admitted: ProxyRequest, { body }: RawRequest, sink: RawSink): RawSink {
  const write = writeOf(admitted.info, body !== undefined)
  if (!write) return sink
  const pending = sources.ledger.begin(instanceCallerOf(admitted), write.type, write.request)
  if (write.request.verb === 'delete') lookFirst(sources, admitted, write.type)
  return new WriteObserver(write.request, pending, sink)
}

/** Looks at the index before a deletion: of an object that it showed then, the index later shows that it is gone. */
function lookFirst(sources: Sources, admitted: ProxyRequest, type: ResourceInfo): void {
  const { ledger, catchUp } = sources
  const guarded = indexOf(sources, admitted.instance)
  if (guarded?.index.holds(type) !== 'synced') return
  const read = { caller: instanceCallerOf(admitted), type, scope: scopeOf(type) }
  catchUp.look(read, indexSource(guarded, ledger)).catch(() => undefined)
}
