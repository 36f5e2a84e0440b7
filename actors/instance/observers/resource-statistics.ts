import { Subscription } from 'rxjs'
import { type AnyEventObject, fromCallback } from 'xstate'
import { canonical } from '../../../machines/canonical.js'
import type { OwnObserverEvent } from '../../../machines/instance/events.js'
import { type Figures, summaryOf } from '../../../manifests/instance-summary.js'
import { figuresOf, MEMBER_CLUSTERS, type MemberCluster } from '../../../manifests/member-cluster.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import { failureOf } from '../../kube/failure.js'
import { type Sight, watchedType } from '../../watches/watched-type.js'
import type { InstanceDependencies } from '../dependencies.js'
import { AtMostEvery } from './at-most-every.js'
import { type Counts, countsOnSignal, watchedCounts } from './object-counts.js'

type Statistics = Extract<OwnObserverEvent, { type: 'statistics.observed' }>['statistics']

/**
 * The resource-statistics controller: the members of a control plane with their capacity, and how many policies and
 * templates there are. While nothing changes it sends no request. It reports figures at most once per interval, and always
 * the last ones.
 */
export const gatherStatistics = (dependencies: InstanceDependencies) =>
  fromCallback<AnyEventObject, { name: string }, OwnObserverEvent>(({ input: { name }, sendBack }) => {
    const observer = new StatisticsObserver(dependencies, name, statistics =>
      sendBack({ type: 'statistics.observed', statistics }),
    )
    return () => observer.stop()
  })

/** Subscriptions of its own instead of a chain of operators, for the reason that `Collection.follow` has. */
class StatisticsObserver {
  readonly #connection: Subscription
  readonly #reports: AtMostEvery<Sight<Figures>>
  /** Of the connection whose figures are gathered: aborted when another takes its place. */
  #gathering = new AbortController()
  /** The watches under it. */
  #watches = Subscription.EMPTY
  #members: Sight<Figures['members']> | undefined
  #counts: Sight<Counts> | undefined
  #reported: Statistics | undefined

  constructor(
    private readonly dependencies: InstanceDependencies,
    name: string,
    private readonly report: (statistics: Statistics) => void,
  ) {
    this.#reports = new AtMostEvery(dependencies.paces.statusIntervalMs, sight => this.#report(sight))
    // While there is no connection, the figures stay as they were.
    this.#connection = dependencies
      .connectionOf(name)
      .changes.subscribe(connected => connected && this.#gather(connected.api))
  }

  stop(): void {
    this.#connection.unsubscribe()
    this.#end()
    this.#reports.stop()
  }

  #end(): void {
    this.#gathering.abort()
    this.#watches.unsubscribe()
    this.#members = undefined
    this.#counts = undefined
  }

  /**
   * A new leader gathers from all instances. It gathers first figures from a few at a time, because the lists of all at once
   * would delay the renewal of its lease. In a large fleet it gathers none before the start-up burst is over.
   */
  #gather(api: KubeApi): void {
    this.#end()
    const { gathering, startupBurst } = this.dependencies
    this.#gathering = new AbortController()
    const { signal } = this.#gathering
    startupBurst
      .over(signal)
      .then(() => gathering.run(signal, () => this.#firstFigures(api, signal)))
      .catch((error: unknown) => {
        if (!signal.aborted) this.report({ ok: false, failure: failureOf(error, 'statistics') })
      })
  }

  /** Begins to follow the figures; resolves when the first are there, or when they are not gathered any more. */
  #firstFigures(api: KubeApi, signal: AbortSignal): Promise<void> {
    const { startupBurst, paces, meter, asking } = this.dependencies
    return new Promise(resolve => {
      const over = (): void => {
        signal.removeEventListener('abort', over)
        resolve()
      }
      signal.addEventListener('abort', over)
      const show = (): void => {
        if (this.#show()) over()
      }
      this.#watches = new Subscription()
      this.#watches.add(
        watchedType(api, MEMBER_CLUSTERS, {
          reduce: object => figuresOf(object as MemberCluster),
          meter,
          life: () => asking.watchLife(),
        }).subscribe(members => {
          this.#members = members
          show()
        }),
      )
      const counts$ = startupBurst.large
        ? countsOnSignal(api, { asking, meter, intervalMs: paces.statusIntervalMs })
        : watchedCounts(api, meter)
      this.#watches.add(
        counts$.subscribe(counts => {
          this.#counts = counts
          show()
        }),
      )
    })
  }

  /** @returns whether every type was listed once */
  #show(): boolean {
    const [members, counts] = [this.#members, this.#counts]
    if (!members || !counts) return false
    const failure = members.failure ?? counts.failure
    const value = { members: members.value, ...counts.value }
    this.#reports.offer(failure ? { value, failure } : { value })
    return true
  }

  /** An object can change without changing a figure. */
  #report(sight: Sight<Figures>): void {
    const statistics = statisticsOf(sight)
    if (this.#reported && canonical(this.#reported) === canonical(statistics)) return
    this.#reported = statistics
    this.report(statistics)
  }
}

function statisticsOf({ value, failure }: Sight<Figures>): Statistics {
  if (failure) return { ok: false, failure }
  try {
    return { ok: true, summary: summaryOf(value) }
  } catch (error) {
    // A member may report a quantity that cannot be parsed.
    return { ok: false, failure: failureOf(error, 'statistics') }
  }
}
