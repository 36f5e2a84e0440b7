import {
  combineLatest,
  concatMap,
  defer,
  distinctUntilChanged,
  filter,
  finalize,
  from,
  map,
  type Observable,
  switchMap,
  tap,
  throttleTime,
} from 'rxjs'
import { type AnyEventObject, fromCallback } from 'xstate'
import { canonical } from '../machines/canonical.js'
import type { OwnObserverEvent } from '../machines/events.js'
import { COUNTED_RESOURCES, type CountedResource } from '../manifests/counted-resources.js'
import { type Figures, summaryOf, type TypeFigures } from '../manifests/instance-summary.js'
import { type KubeList, type KubeObject, resourcePath } from '../manifests/kube.js'
import { figuresOf, MEMBER_CLUSTERS, type MemberCluster } from '../manifests/member-cluster.js'
import {
  boundWorkload,
  isBoundReady,
  RESOURCE_BINDINGS,
  type ResourceBinding,
} from '../manifests/resource-binding.js'
import { isNotFound } from '../manifests/status-error.js'
import type { KubeApi } from '../ports/kube-api.js'
import type { Meter } from '../ports/meter.js'
import { failureOf } from './failure.js'
import type { Surroundings } from './surroundings.js'
import { metadataOnly, type Sight, uncounted, watchedType } from './watched-type.js'

type Statistics = Extract<OwnObserverEvent, { type: 'statistics.observed' }>['statistics']

/**
 * The resource-statistics controller: the members of a control plane with their capacity, and how many policies and
 * templates there are. Nothing is asked while nothing changes. Figures are told at most once per interval, the last ones
 * always.
 */
export const gatherStatistics = (surroundings: Surroundings) =>
  fromCallback<AnyEventObject, { name: string }, OwnObserverEvent>(({ input: { name }, sendBack }) => {
    const { paces } = surroundings
    const subscription = surroundings
      .connectionOf(name)
      .changes.pipe(
        filter(connected => connected !== undefined),
        switchMap(({ api }) => inTurn(surroundings, figures(surroundings, api))),
        throttleTime(paces.statusIntervalMs, undefined, { leading: true, trailing: true }),
        map(statisticsOf),
        // Objects change, and nothing that is counted does.
        distinctUntilChanged((one, next) => canonical(one) === canonical(next)),
      )
      .subscribe(statistics => sendBack({ type: 'statistics.observed', statistics }))
    return () => subscription.unsubscribe()
  })

/**
 * A new leader gathers from all instances; a few at a time, or its first lists would keep it from renewing its lease. In a
 * large fleet they come up first: nobody waits for figures as they wait for that.
 */
const inTurn = <T>({ gathering, rush }: Surroundings, source: Observable<T>): Observable<T> =>
  defer(() => {
    const given = new AbortController()
    const turn = rush.over(given.signal).then(() => gathering.enter(given.signal))
    return from(turn).pipe(
      switchMap(leave => source.pipe(tap(leave), finalize(leave))),
      finalize(() => given.abort()),
    )
  })

function statisticsOf({ value, failure }: Sight<Figures>): Statistics {
  if (failure) return { ok: false, failure }
  try {
    return { ok: true, summary: summaryOf(value) }
  } catch (error) {
    // A member may report a quantity that is none.
    return { ok: false, failure: failureOf(error, 'statistics') }
  }
}

/** All figures of one control plane, from the moment on when everything was seen once. */
function figures({ rush, paces, meter }: Surroundings, api: KubeApi): Observable<Sight<Figures>> {
  const members$ = watchedType(api, MEMBER_CLUSTERS, {
    reduce: object => figuresOf(object as MemberCluster),
    meter,
  })
  const counts$ = rush.large ? askedCounts(api, meter, paces.statusIntervalMs) : watchedCounts(api, meter)
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

/** One watch on the bindings. Whenever it shows anything, every type is counted, one small request after the other. */
function askedCounts(api: KubeApi, meter: Meter, intervalMs: number): Observable<Sight<Counts>> {
  const reduce = (object: KubeObject) => {
    const workload = boundWorkload(object as ResourceBinding)
    return workload === undefined ? undefined : { workload, ready: isBoundReady(object as ResourceBinding) }
  }
  const bindings$ = watchedType(api, RESOURCE_BINDINGS, { reduce, meter })
  return bindings$.pipe(
    throttleTime(intervalMs, undefined, { leading: true, trailing: true }),
    concatMap(async ({ value: bindings, failure }) => {
      const all: Counted[] = []
      for (const counted of COUNTED_RESOURCES) {
        const ready = bindings.filter(
          bound => bound?.ready && bound.workload === counted.resource.resource,
        ).length
        const { value, ...sight } = await countOf(api, counted)
        all.push([counted, { ...sight, value: { total: value, ...(counted.isReady && { ready }) } }])
      }
      return failure ? { ...byUse(all), failure } : byUse(all)
    }),
  )
}

/** How many objects there are, from a list of one: the server says how many remain. */
async function countOf(api: KubeApi, { resource, except }: CountedResource): Promise<Sight<number>> {
  try {
    const path = resourcePath(resource)
    const { items, metadata } = await metadataOnly(api).request<KubeList<KubeObject>>({
      method: 'GET',
      path,
      query: { limit: 1 },
    })
    const total = items.length + (metadata.remainingItemCount ?? 0)
    // What remains is not told where a selector is asked for, so that ours is looked up and taken off.
    return { value: except && (await isThere(api, resourcePath(resource, except))) ? total - 1 : total }
  } catch (error) {
    return { value: 0, failure: uncounted(resource, error) }
  }
}

async function isThere(api: KubeApi, path: string): Promise<boolean> {
  try {
    await api.request({ method: 'GET', path })
    return true
  } catch (error) {
    if (isNotFound(error)) return false
    throw error
  }
}

/** Sorts counts by what they are for. A control plane may lack a type; then nothing is wrong, and nothing is counted. */
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
