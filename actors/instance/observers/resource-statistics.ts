import {
  combineLatest,
  concatMap,
  defer,
  distinctUntilChanged,
  filter,
  finalize,
  from,
  map,
  Observable,
  switchMap,
  tap,
  throttleTime,
} from 'rxjs'
import { type AnyEventObject, fromCallback } from 'xstate'
import { canonical } from '../../../machines/canonical.js'
import type { OwnObserverEvent } from '../../../machines/instance/events.js'
import { COUNTED_RESOURCES, type CountedResource } from '../../../manifests/counted-resources.js'
import { type Figures, summaryOf, type TypeFigures } from '../../../manifests/instance-summary.js'
import { type KubeList, type KubeObject, resourcePath } from '../../../manifests/kube.js'
import { figuresOf, MEMBER_CLUSTERS, type MemberCluster } from '../../../manifests/member-cluster.js'
import {
  boundWorkload,
  isBoundReady,
  RESOURCE_BINDINGS,
  type ResourceBinding,
} from '../../../manifests/resource-binding.js'
import { isNotFound } from '../../../manifests/status-error.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import type { Meter } from '../../../ports/meter.js'
import { failureOf } from '../../kube/failure.js'
import { metadataOnly, type Sight, uncounted, watchedType } from '../../watches/watched-type.js'
import type { InstanceDependencies } from '../dependencies.js'

type Statistics = Extract<OwnObserverEvent, { type: 'statistics.observed' }>['statistics']

/**
 * The resource-statistics controller: the members of a control plane with their capacity, and how many policies and
 * templates there are. While nothing changes it sends no request. It reports figures at most once per interval, and always
 * the last ones.
 */
export const gatherStatistics = (dependencies: InstanceDependencies) =>
  fromCallback<AnyEventObject, { name: string }, OwnObserverEvent>(({ input: { name }, sendBack }) => {
    const { paces } = dependencies
    const subscription = dependencies
      .connectionOf(name)
      .changes.pipe(
        filter(connected => connected !== undefined),
        switchMap(({ api }) => inTurn(dependencies, figures(dependencies, api))),
        throttleTime(paces.statusIntervalMs, undefined, { leading: true, trailing: true }),
        map(statisticsOf),
        // An object can change without changing a figure.
        distinctUntilChanged((one, next) => canonical(one) === canonical(next)),
      )
      .subscribe(statistics => sendBack({ type: 'statistics.observed', statistics }))
    return () => subscription.unsubscribe()
  })

/**
 * A new leader gathers from all instances. It gathers first figures from a few at a time, because the lists of all at once
 * would delay the renewal of its lease. In a large fleet it gathers none before the start-up burst is over.
 */
const inTurn = <T>({ gathering, startupBurst }: InstanceDependencies, source: Observable<T>): Observable<T> =>
  new Observable(subscriber => {
    const unsubscribed = new AbortController()
    const { signal } = unsubscribed
    const firstFigures = () =>
      new Promise<void>(resolve => {
        signal.addEventListener('abort', () => resolve(), { once: true })
        subscriber.add(source.pipe(tap(() => resolve())).subscribe(subscriber))
      })
    startupBurst
      .over(signal)
      .then(() => gathering.run(signal, firstFigures))
      .catch((error: unknown) => {
        if (!signal.aborted) subscriber.error(error)
      })
    return () => unsubscribed.abort()
  })

function statisticsOf({ value, failure }: Sight<Figures>): Statistics {
  if (failure) return { ok: false, failure }
  try {
    return { ok: true, summary: summaryOf(value) }
  } catch (error) {
    // A member may report a quantity that cannot be parsed.
    return { ok: false, failure: failureOf(error, 'statistics') }
  }
}

/** All figures of one control plane. The first follow when every type was listed once. */
function figures(
  { startupBurst, paces, meter, asking }: InstanceDependencies,
  api: KubeApi,
): Observable<Sight<Figures>> {
  const members$ = watchedType(api, MEMBER_CLUSTERS, {
    reduce: object => figuresOf(object as MemberCluster),
    meter,
  })
  const counts$ = startupBurst.large
    ? countsOnSignal(api, { asking, meter, intervalMs: paces.statusIntervalMs })
    : watchedCounts(api, meter)
  return combineLatest([members$, counts$]).pipe(
    map(([members, counts]) => {
      const failure = members.failure ?? counts.failure
      const value = { members: members.value, ...counts.value }
      return failure ? { value, failure } : { value }
    }),
  )
}

type Counts = Pick<Figures, 'policies' | 'resources'>
type Counted = readonly [CountedResource, Sight<TypeFigures>]

/** One watch for each type. */
const watchedCounts = (api: KubeApi, meter: Meter): Observable<Sight<Counts>> =>
  combineLatest(
    COUNTED_RESOURCES.map(counted =>
      watchedType(counted.isReady ? api : metadataOnly(api), counted.resource, {
        reduce: object => counted.isReady?.(object),
        meter,
        fieldSelector: counted.except && `metadata.name!=${counted.except.name}`,
      }).pipe(
        map(({ value, ...sight }): Counted => {
          const ready = counted.isReady && { ready: value.filter(Boolean).length }
          return [counted, { ...sight, value: { total: value.length, ...ready } }]
        }),
      ),
    ),
  ).pipe(map(byUse))

/** One watch on the ResourceBindings. Whenever one changes, every type is counted, one small request after the other. */
function countsOnSignal(
  api: KubeApi,
  { asking, meter, intervalMs }: Pick<InstanceDependencies, 'asking' | 'meter'> & { intervalMs: number },
): Observable<Sight<Counts>> {
  const reduce = (object: KubeObject) => {
    const workload = boundWorkload(object as ResourceBinding)
    return workload === undefined ? undefined : { workload, ready: isBoundReady(object as ResourceBinding) }
  }
  const bindings$ = watchedType(api, RESOURCE_BINDINGS, { reduce, meter })
  return bindings$.pipe(
    throttleTime(intervalMs, undefined, { leading: true, trailing: true }),
    concatMap(({ value: bindings, failure }, round) =>
      whileSubscribed(async signal => {
        // First figures are gathered from a few instances at a time already.
        if (round > 0) await asking.turn(signal, 'counts')
        const all: Counted[] = []
        for (const counted of COUNTED_RESOURCES) {
          const ready = bindings.filter(
            bound => bound?.ready && bound.workload === counted.resource.resource,
          ).length
          const { value, ...sight } = await countOf(api, counted, signal)
          all.push([counted, { ...sight, value: { total: value, ...(counted.isReady && { ready }) } }])
        }
        return failure ? { ...byUse(all), failure } : byUse(all)
      }),
    ),
  )
}

/** A promise as an Observable; unsubscribing aborts its signal. */
const whileSubscribed = <T>(work: (signal: AbortSignal) => Promise<T>): Observable<T> =>
  defer(() => {
    const unsubscribed = new AbortController()
    return from(work(unsubscribed.signal)).pipe(finalize(() => unsubscribed.abort()))
  })

/** How many objects there are, from a list of one: the server adds how many remain. */
async function countOf(
  api: KubeApi,
  { resource, except }: CountedResource,
  signal: AbortSignal,
): Promise<Sight<number>> {
  try {
    const path = resourcePath(resource)
    const { items, metadata } = await metadataOnly(api).request<KubeList<KubeObject>>({
      method: 'GET',
      path,
      query: { limit: 1 },
      signal,
    })
    const total = items.length + (metadata.remainingItemCount ?? 0)
    // A server omits remainingItemCount from a list with a selector, so our own object is looked up and subtracted.
    const ours = except && (await exists(api, resourcePath(resource, except), signal))
    return { value: ours ? total - 1 : total }
  } catch (error) {
    signal.throwIfAborted()
    return { value: 0, failure: uncounted(resource, error) }
  }
}

async function exists(api: KubeApi, path: string, signal: AbortSignal): Promise<boolean> {
  try {
    await api.request({ method: 'GET', path, signal })
    return true
  } catch (error) {
    if (isNotFound(error)) return false
    throw error
  }
}

/** Sorts counts by what they are for. A type that the control plane does not serve is no failure and is left out. */
function byUse(all: readonly Counted[]): Sight<Counts> {
  const served = all.filter(([, { failure }]) => failure?.reason !== 'NotServed')
  const named = (as: CountedResource['as']) =>
    served
      .filter(([counted]) => counted.as === as)
      .map(([{ resource }, { value }]) => [resource.resource, value] as const)
  const value = {
    policies: Object.fromEntries(named('policy').map(([name, { total }]) => [name, total])),
    resources: Object.fromEntries(named('template')),
  }
  const failure = served.find(([, { failure }]) => failure)?.[1].failure
  return failure ? { value, failure } : { value }
}
