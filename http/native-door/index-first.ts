import type { InstanceIndex } from '../../ports/instance-index.js'
import type { RawExchange, RawRequest, RawSink } from '../../ports/kube-api.js'
import { NOBODY, type Showing } from '../read-your-writes/catch-up.js'
import { isAtOrAfter } from '../read-your-writes/expectation.js'
import { instanceShowing } from '../read-your-writes/showing.js'
import { acceptOf } from './accept.js'
import { indexTarget } from './asked.js'
import {
  type Answered,
  type Entrant,
  extentOf,
  type Found,
  HOPED_FOR,
  partyOf,
  type Sources,
  showingOf,
  standing,
} from './entrant.js'
import { BEHIND, IndexAnswer, NOT_FOUND } from './index-answer.js'
import { Named } from './named.js'
import { type Route, route } from './route.js'

/** A read under way to the index, or to Karmada after all. */
export class IndexFirst implements RawExchange {
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
      refusedBy(`it did not answer: ${error.message}`, info.verb),
    )
    if (this.#aborted) return
    const decided = 'to' in found ? found : route(info, asked, standing(info, index, found))
    if (decided.to === 'karmada') this.#karmada(decided)
    else this.#index(decided)
  }

  async #findOut(): Promise<Found> {
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
    return sources.catchUp.shows(read, this.#shown(), instanceShowing(karmada.api))
  }

  #shown(): Showing {
    return showingOf(this.way.index, this.way.sources.ledger)
  }

  #index(decided: Route): void {
    const { entrant, index, sink, request, answered } = this.way
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
    const taken = new Named(sink, decided, lag, () => answered({ source: 'index', reason: decided.reason }))
    const answer = new IndexAnswer(read, taken, because => {
      if (this.#aborted) sink.failed(this.#aborted)
      else this.#karmada(refusedBy(because, info.verb))
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
    this.#current = entrant.karmada.upstream.send(request, new Named(sink, decided))
  }
}

/**
 * An index that does not know an object is no trouble: it may be new, and the instance says whether it is there. Nor is one
 * that is behind what was asked for.
 */
function refusedBy(because: string, verb: string): Route {
  const rule = because === BEHIND ? 'NotReached' : because === NOT_FOUND && verb === 'get' ? 'NotFound' : ''
  if (rule) return { to: 'karmada', reason: rule, because, fallback: false }
  const why = `the index could not be read: ${because}`
  return { to: 'karmada', reason: 'IndexFailed', because: why, fallback: true }
}
