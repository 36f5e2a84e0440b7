import type { RawExchange, RawRequest, RawSink } from '../../../ports/kube-api.js'
import { isAway } from '../../errors/is-away.js'
import { NO_OBJECT, type ObjectSource } from '../../read-your-writes/catch-up.js'
import { isAtOrAfter } from '../../read-your-writes/expectation.js'
import { instanceObjects } from '../../read-your-writes/object-source.js'
import { isOfTransport } from '../circuit/transport-error.js'
import { SourceHeaders } from '../exchange/source-headers.js'
import {
  type Answered,
  apiOf,
  BEST_CASE,
  type Found,
  type GuardedIndex,
  indexSource,
  indexState,
  instanceCallerOf,
  type ProxyRequest,
  routeOf,
  type Sources,
  targetAtIndex,
} from '../proxy-request.js'
import { acceptOf } from '../route/accept.js'
import type { Route, RouteReason } from '../route/route.js'
import { scopeOf } from '../write-observer.js'
import type { AccessVerdict } from './access.js'
import { BEHIND, EMPTY, IndexAnswer, NOT_FOUND } from './index-answer.js'
import { UntilHead } from './until-head.js'

/** A read that the index can answer, and what it needs. */
export interface IndexedReadOptions {
  readonly sources: Sources
  readonly admitted: ProxyRequest
  readonly index: GuardedIndex
  readonly request: RawRequest
  readonly sink: RawSink
  /** The route as far as it is known without a request. */
  readonly first: Route
  readonly answered: (from: Answered) => void
}

/**
 * A read under way that both the index and Karmada could answer. It goes to one of them, and to the other when that one does
 * not answer: from the index to Karmada for any reason, from Karmada to the index only when Karmada cannot be reached.
 */
export class IndexedRead implements RawExchange {
  #current: RawExchange | undefined
  #aborted: Error | undefined

  constructor(readonly options: IndexedReadOptions) {
    const { first, sink, index } = options
    index.index.noteRead()
    if (first.to === 'karmada') this.#karmadaOrIndex(first)
    else this.#start().catch((error: Error) => sink.failed(error))
  }

  resume(): void {
    this.#current?.resume()
  }

  abort(reason: Error): void {
    if (this.#aborted) return
    this.#aborted = reason
    if (this.#current) this.#current.abort(reason)
    else this.options.sink.failed(reason)
  }

  async #start(): Promise<void> {
    const decided = await this.#decide(false)
    if (this.#aborted) return
    if (decided.to === 'karmada') this.#karmada(decided)
    else this.#index(decided)
  }

  /** @param away whether the instance is known to be away; else that is found out */
  async #decide(away: boolean): Promise<Route> {
    const { admitted, index } = this.options
    const { info } = admitted
    const found = await this.#findOut(away).catch((error: Error) =>
      refusedBy(`it did not answer: ${error.message}`, info.verb),
    )
    return 'to' in found ? found : routeOf(admitted, indexState(info, index, found))
  }

  async #findOut(isAway: boolean): Promise<Found> {
    const [verdict, aggregated] = await Promise.all([
      this.#access().catch(() => undefined),
      this.#isAggregated(),
    ])
    // Whatever failed here: the read goes to the instance, which says what is wrong.
    const access = verdict === undefined ? 'unknown' : verdict.allowed ? 'allowed' : 'denied'
    const away = isAway || verdict?.old === true
    if (access !== 'allowed' || aggregated !== 'no') return { ...BEST_CASE, access, aggregated, away }
    const reached = await this.#hasReached()
    return { access, aggregated, away, reached, showsOwnWrites: !reached || (await this.#showsOwnWrites()) }
  }

  /** Whether the caller may read all that the index is to show. */
  async #access(): Promise<AccessVerdict> {
    const { sources, admitted, index } = this.options
    const { uid, caller, info, rules } = admitted
    const rights = () => index.index.rights
    const { verb, resource } = info
    if (!rules?.namespaces) return sources.access.verdict(uid, apiOf(admitted), caller, info, rights)
    const verdicts = await Promise.all(
      rules.namespaces.map(namespace =>
        sources.access.verdictOfAll(
          uid,
          apiOf(admitted),
          caller,
          { verb, resource: { ...resource, namespace } },
          rights,
        ),
      ),
    )
    return { allowed: verdicts.every(one => one.allowed), old: verdicts.some(one => one.old) }
  }

  /** Only matters of an index whose lists do not say what they show. */
  async #isAggregated(): Promise<Found['aggregated']> {
    const { sources, admitted, index } = this.options
    const { uid, info } = admitted
    if (index.index.can.listResourceVersion || !info.resource) return 'no'
    return sources.aggregatedApis.isAggregated(uid, apiOf(admitted), info.resource).then(
      aggregated => (aggregated ? 'yes' : 'no'),
      () => 'unknown',
    )
  }

  /** A list names what it shows in its answer. */
  async #hasReached(): Promise<boolean> {
    const { info, read } = this.options.admitted
    const { version } = read
    if (version.kind !== 'notOlderThan' || info.verb === 'list' || !info.resource) return true
    const shows = await this.#shown().list(info.resource, { names: [NO_OBJECT] })
    return shows.resourceVersion !== undefined && isAtOrAfter(shows.resourceVersion, version.than)
  }

  /** A watch from some version on brings all that was written since, and shows nothing of what was before. */
  async #showsOwnWrites(): Promise<boolean> {
    const { sources, admitted } = this.options
    const { info, read } = admitted
    if (!info.resource || (info.verb === 'watch' && read.version.kind === 'notOlderThan')) return true
    const ownWrites = {
      caller: instanceCallerOf(admitted),
      type: info.resource,
      scope: scopeOf(info.resource),
    }
    return sources.catchUp.shows(ownWrites, this.#shown(), instanceObjects(apiOf(admitted)))
  }

  #shown(): ObjectSource {
    return indexSource(this.options.index, this.options.sources.ledger)
  }

  #index(decided: Route): void {
    const { admitted, index, sink, request, answered } = this.options
    const { info, read } = admitted
    const { can, mark, freshness } = index.index
    const inPlaceOfInstance = decided.fallback
    const indexRead = {
      target: targetAtIndex(admitted),
      accept: acceptOf(read.form, info.verb),
      long: request.long,
      mark,
      mayBeOld: inPlaceOfInstance,
      ...(info.verb === 'list' &&
        (can.listResourceVersion ? { showsAtLeast: this.#isNewEnough() } : { refuseEmpty: true })),
    }
    const measured = freshness.state === 'current' && !inPlaceOfInstance
    const lag = measured
      ? ['Kairship-Index-Lag', String(freshness.lagMs), 'Kairship-Index-Measured', freshness.measuredAt]
      : []
    const taken = new SourceHeaders(sink, decided, lag, () =>
      answered({ source: 'index', reason: decided.reason }),
    )
    const answer = new IndexAnswer(indexRead, taken, because => {
      if (this.#aborted) sink.failed(this.#aborted)
      else this.#karmada(refusedBy(because, info.verb))
    })
    this.#current = answer.readFrom(index.upstream)
  }

  /** A list that names its state must have reached the requested state and what its caller wrote. */
  #isNewEnough(): (resourceVersion: string) => boolean {
    const { sources, admitted } = this.options
    const { read, info } = admitted
    const wanted = [
      read.version.kind === 'notOlderThan' ? read.version.than : undefined,
      info.resource && sources.ledger.highest(instanceCallerOf(admitted), info.resource),
    ]
    return version => wanted.every(least => least === undefined || isAtOrAfter(version, least))
  }

  #karmada(decided: Route, sink: RawSink = this.options.sink): void {
    const { admitted, request, answered } = this.options
    answered({ source: 'karmada', reason: decided.reason })
    this.#current = admitted.karmada.upstream.send(request, new SourceHeaders(sink, decided))
  }

  /** The index is not in order, perhaps just because the instance is away, so that Karmada will not answer either. */
  #karmadaOrIndex(decided: Route): void {
    const { sink } = this.options
    const failed = (error: Error) => {
      this.#current = undefined
      if (this.#aborted) sink.failed(this.#aborted)
      else if (!isOfTransport(error) && !isAway(error)) sink.failed(error)
      else this.#inPlaceOfInstance(error).catch((cause: Error) => sink.failed(cause))
    }
    this.#karmada(decided, new UntilHead(sink, failed))
  }

  async #inPlaceOfInstance(error: Error): Promise<void> {
    const decided = await this.#decide(true)
    if (this.#aborted) return
    if (decided.to === 'index') this.#index(decided)
    else this.options.sink.failed(error)
  }
}

const WITHOUT_WARNING: Readonly<Record<string, RouteReason>> = { [BEHIND]: 'NotReached', [EMPTY]: 'Empty' }

/**
 * An index that does not know an object is no trouble: it may be new, and the instance says whether it is there. Nor is one
 * that is behind the requested state, or that shows no objects where there may be none.
 */
function refusedBy(because: string, verb: string): Route {
  const rule = because === NOT_FOUND && verb === 'get' ? 'NotFound' : WITHOUT_WARNING[because]
  if (rule) return { to: 'karmada', reason: rule, because, fallback: false }
  const why = `the index could not be read: ${because}`
  return { to: 'karmada', reason: 'IndexFailed', because: why, fallback: true }
}
