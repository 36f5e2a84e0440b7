import type { Fleet } from '../../ports/fleet.js'
import type { InstanceIndex } from '../../ports/instance-index.js'
import type { KubeApi, RawExchange, RawRequest, RawSink, Upstream } from '../../ports/kube-api.js'
import type { Caller } from '../identity/caller.js'
import { type CatchUp, NOBODY, type Showing } from '../read-your-writes/catch-up.js'
import { isAtOrAfter } from '../read-your-writes/expectation.js'
import type { Extent, Party, WriteLedger } from '../read-your-writes/ledger.js'
import { isLongAgo } from '../read-your-writes/long-ago.js'
import { indexShowing, instanceShowing } from '../read-your-writes/showing.js'
import { acceptOf } from './accept.js'
import type { InstanceAccess } from './access.js'
import { type Asked, indexTarget } from './asked.js'
import { BEHIND, IndexAnswer, NOT_FOUND } from './index-answer.js'
import type { RequestInfo } from './request-info.js'
import { type IndexState, type Route, route } from './route.js'
import { Tapped } from './tapped.js'

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

const partyOf = ({ uid, caller }: Entrant): Party => ({ instance: uid, user: caller.user })

/** Where a request was answered from, and why. */
export interface Answered {
  readonly source: Route['to']
  readonly reason: string
}

/**
 * The instance as this entrant is to see it: its own control plane, or its index where that answers as well. Passes for an
 * endpoint, so that the way of a request need not know of it. Only what changes nothing is ever asked twice.
 */
export function sourceOf(sources: Sources, entrant: Entrant, answered: (from: Answered) => void): Upstream {
  const { karmada, info, asked } = entrant
  return {
    open: request => karmada.upstream.open(request),
    send(request, sink) {
      const index = sources.fleet.index?.(entrant.instance)
      const first = route(info, asked, index && { ...standing(info, index), ...HOPED_FOR })
      if (first.to === 'karmada' || !index) {
        answered({ source: 'karmada', reason: first.reason })
        return karmada.upstream.send(request, remembered(sources, entrant, named(sink, first)))
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

/** Deletions that the index is seen to have come to are believed sooner; if it does not answer, later. */
function lookFirst({ fleet, ledger, catchUp }: Sources, entrant: Entrant, type: ResourceInfo): void {
  const index = fleet.index?.(entrant.instance)
  if (index?.holds(type) !== 'synced') return
  const read = { party: partyOf(entrant), type, extent: extentOf(type) }
  catchUp.look(read, showingOf(index, ledger)).catch(() => undefined)
}

const showingOf = (index: InstanceIndex, { now }: WriteLedger): Showing => ({
  ...indexShowing(index.upstream),
  ...(!index.can.listResourceVersion && {
    isLongAgo: since => isLongAgo(index.freshness, now() - since, Date.now()),
  }),
})

type ResourceInfo = NonNullable<RequestInfo['resource']>

const extentOf = ({ namespace = '', name }: ResourceInfo): Extent => ({
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

/** What has to be found out, taken for good to see whether it matters. */
const HOPED_FOR = { access: 'allowed', reached: true, showsOwnWrites: true } as const

const standing = ({ resource }: RequestInfo, { can, holds, trouble, freshness }: InstanceIndex) => ({
  can,
  holds: resource ? holds(resource) : ('no' as const),
  ...(trouble !== undefined && { trouble }),
  standsStill: freshness.state === 'standingStill',
})

/** A read under way to the index, or to Karmada after all. */
class IndexFirst implements RawExchange {
  #current: RawExchange | undefined
  #aborted: Error | undefined

  constructor(
    readonly way: {
      readonly sources: Sources
      readonly entrant: Entrant
      readonly index: InstanceIndex
      readonly request: RawRequest
      readonly sink: RawSink
      readonly answered: (from: Answered) => void
    },
  ) {
    this.#start().catch((error: Error) => this.way.sink.failed(error))
  }

  resume(): void {
    this.#current?.resume()
  }

  abort(reason: Error): void {
    if (this.#aborted) return
    this.#aborted = reason
    if (this.#current) this.#current.abort(reason)
    else this.way.sink.failed(reason)
  }

  async #start(): Promise<void> {
    const { entrant, index } = this.way
    const { info, asked } = entrant
    const found = await this.#findOut().catch((error: Error) =>
      refusedBy(`it did not answer: ${error.message}`),
    )
    if (this.#aborted) return
    const decided = 'to' in found ? found : route(info, asked, { ...standing(info, index), ...found })
    if (decided.to === 'karmada') this.#karmada(decided)
    else this.#index(decided)
  }

  async #findOut(): Promise<Pick<IndexState, 'access' | 'reached' | 'showsOwnWrites'>> {
    const { sources, entrant } = this.way
    const { uid, karmada, caller, info } = entrant
    const access = await sources.access.allows(uid, karmada.api, caller, info).then(
      allowed => (allowed ? ('allowed' as const) : ('denied' as const)),
      // Whatever it was: the instance is asked itself, and says what is wrong.
      () => 'unknown' as const,
    )
    if (access !== 'allowed') return { ...HOPED_FOR, access }
    const reached = await this.#hasReached()
    return { access, reached, showsOwnWrites: !reached || (await this.#showsOwnWrites()) }
  }

  /** A list names what it shows in its answer. */
  async #hasReached(): Promise<boolean> {
    const { info, asked } = this.way.entrant
    const { version } = asked
    if (version.kind !== 'notOlderThan' || info.verb === 'list' || !info.resource) return true
    const shows = await this.#shown().list(info.resource, { names: [NOBODY] })
    return shows.resourceVersion !== undefined && isAtOrAfter(shows.resourceVersion, version.than)
  }

  /** A watch from some version on brings all that was written since, and shows nothing of what was before. */
  async #showsOwnWrites(): Promise<boolean> {
    const { sources, entrant } = this.way
    const { info, asked, karmada } = entrant
    if (!info.resource || (info.verb === 'watch' && asked.version.kind === 'notOlderThan')) return true
    const read = { party: partyOf(entrant), type: info.resource, extent: extentOf(info.resource) }
    return sources.catchUp.shows(read, this.#shown(), instanceShowing(karmada))
  }

  #shown(): Showing {
    return showingOf(this.way.index, this.way.sources.ledger)
  }

  #index({ to, reason }: Route): void {
    const { entrant, index, sink, request } = this.way
    const { info, asked } = entrant
    const read = {
      target: indexTarget(info, asked),
      accept: acceptOf(asked.form, info.verb),
      long: request.long,
      mark: index.mark,
      ...(info.verb === 'list' && index.can.listResourceVersion && { showsAtLeast: this.#isNewEnough() }),
    }
    const { freshness } = index
    const lag = freshness.state === 'current' ? ['Kairship-Index-Lag', String(freshness.lagMs)] : []
    const extra = ['Kairship-Source', to, 'Kairship-Source-Reason', reason, ...lag]
    const taken: RawSink = {
      head: (status, message, headers) => {
        this.way.answered({ source: to, reason })
        sink.head(status, message, [...headers, ...extra])
      },
      data: chunk => sink.data(chunk),
      end: () => sink.end(),
      failed: error => sink.failed(error),
    }
    const answer = new IndexAnswer(read, taken, because => {
      if (this.#aborted) sink.failed(this.#aborted)
      else this.#karmada(refusedBy(because))
    })
    this.#current = answer.askedOf(index.upstream)
  }

  /** What a list that says which state it shows must have reached: what was asked for, and what its caller wrote. */
  #isNewEnough(): (resourceVersion: string) => boolean {
    const { sources, entrant } = this.way
    const { asked, info } = entrant
    const wanted = [
      asked.version.kind === 'notOlderThan' ? asked.version.than : undefined,
      info.resource && sources.ledger.highest(partyOf(entrant), info.resource),
    ]
    return version => wanted.every(least => least === undefined || isAtOrAfter(version, least))
  }

  #karmada(decided: Route): void {
    const { entrant, request, sink, answered } = this.way
    answered({ source: 'karmada', reason: decided.reason })
    this.#current = entrant.karmada.upstream.send(request, named(sink, decided))
  }
}

/** An index that does not know an object is no trouble: it may be new, and the instance says whether it is there. */
const refusedBy = (because: string): Route =>
  because === NOT_FOUND || because === BEHIND
    ? { to: 'karmada', reason: because === BEHIND ? 'NotReached' : 'NotFound', because, fallback: false }
    : {
        to: 'karmada',
        reason: 'IndexFailed',
        because: `the index could not be read: ${because}`,
        fallback: true,
      }

/** The sink, told in the head where the answer is from, and warned where it is from elsewhere than usual. */
const named = (sink: RawSink, { to, reason, because, fallback }: Route): RawSink => ({
  head: (status, message, headers) =>
    sink.head(status, message, [
      ...headers,
      ...['Kairship-Source', to, 'Kairship-Source-Reason', reason],
      ...(fallback ? ['Warning', warning(`answered by Karmada: ${because}`)] : []),
    ]),
  data: chunk => sink.data(chunk),
  end: () => sink.end(),
  failed: error => sink.failed(error),
})

/** A warning as kubectl and client-go show it (RFC 7234, code 299). */
const warning = (text: string): string =>
  `299 kairship ${JSON.stringify(text.replaceAll(/[^ -~]/g, character => (character === '’' ? "'" : '?')))}`
