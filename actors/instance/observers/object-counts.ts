import { combineLatest, map, Observable } from 'rxjs'
import { COUNTED_RESOURCES, type CountedResource } from '../../../manifests/counted-resources.js'
import type { Figures, TypeFigures } from '../../../manifests/instance-summary.js'
import { type KubeList, type KubeObject, resourcePath } from '../../../manifests/kube.js'
import {
  boundWorkload,
  isBoundReady,
  RESOURCE_BINDINGS,
  type ResourceBinding,
} from '../../../manifests/resource-binding.js'
import { isNotFound } from '../../../manifests/status-error.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import type { Meter } from '../../../ports/meter.js'
import { metadataOnly, type Sight, uncounted, watchedType } from '../../watches/watched-type.js'
import type { InstanceDependencies } from '../dependencies.js'
import { AtMostEvery } from './at-most-every.js'

/** How many objects of each type that is counted a control plane has. */
export type Counts = Pick<Figures, 'policies' | 'resources'>
type Counted = readonly [CountedResource, Sight<TypeFigures>]

/** One watch for each type. The first counts follow when every type was listed once. */
export const watchedCounts = (api: KubeApi, meter: Meter): Observable<Sight<Counts>> =>
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

type Bound = { readonly workload: string; readonly ready: boolean } | undefined

interface CountingOptions extends Pick<InstanceDependencies, 'asking' | 'meter'> {
  /** The shortest time between two counts, milliseconds. */
  readonly intervalMs: number
}

/** One watch on the ResourceBindings. When one has changed, every type is counted, one small request after the other. */
export const countsOnSignal = (api: KubeApi, options: CountingOptions): Observable<Sight<Counts>> =>
  new Observable(subscriber => {
    const counting = new Counting(api, options, counts => subscriber.next(counts))
    subscriber.add(() => counting.stop())
    subscriber.add(
      watchedType(api, RESOURCE_BINDINGS, {
        reduce: boundOf,
        meter: options.meter,
        life: () => options.asking.watchLife(),
      }).subscribe(bindings => counting.changed(bindings)),
    )
  })

function boundOf(object: KubeObject): Bound {
  const workload = boundWorkload(object as ResourceBinding)
  return workload === undefined ? undefined : { workload, ready: isBoundReady(object as ResourceBinding) }
}

/** Counts one control plane. What changes while it counts is counted once more after that, however often it changed. */
class Counting {
  readonly #rounds: AtMostEvery<Sight<readonly Bound[]>>
  readonly #stopped = new AbortController()
  #next: Sight<readonly Bound[]> | undefined
  #busy = false
  #isFirst = true

  constructor(
    private readonly api: KubeApi,
    private readonly options: CountingOptions,
    private readonly show: (counts: Sight<Counts>) => void,
  ) {
    this.#rounds = new AtMostEvery(options.intervalMs, bindings => {
      this.#next = bindings
      void this.#count()
    })
  }

  changed(bindings: Sight<readonly Bound[]>): void {
    this.#rounds.offer(bindings)
  }

  stop(): void {
    this.#rounds.stop()
    this.#stopped.abort()
  }

  /** Never rejects: what a request fails with is in the sight of its type. */
  async #count(): Promise<void> {
    if (this.#busy) return
    this.#busy = true
    const { signal } = this.#stopped
    try {
      while (this.#next && !signal.aborted) {
        const bindings = this.#next
        this.#next = undefined
        this.show(await this.#counts(bindings, signal))
      }
    } catch (error) {
      if (!signal.aborted) throw error
    } finally {
      this.#busy = false
    }
  }

  async #counts(
    { value: bindings, failure }: Sight<readonly Bound[]>,
    signal: AbortSignal,
  ): Promise<Sight<Counts>> {
    // First figures are gathered from a few instances at a time already.
    if (!this.#isFirst) await this.options.asking.turn(signal, 'counts')
    this.#isFirst = false
    const all: Counted[] = []
    for (const counted of COUNTED_RESOURCES) {
      const ready = bindings.filter(
        bound => bound?.ready && bound.workload === counted.resource.resource,
      ).length
      const { value, ...sight } = await countOf(this.api, counted, signal)
      all.push([counted, { ...sight, value: { total: value, ...(counted.isReady && { ready }) } }])
    }
    return failure ? { ...byUse(all), failure } : byUse(all)
  }
}

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
