import { Observable } from 'rxjs'
import type { Failure } from '../../machines/failure.js'
import type { GroupVersionResource, KubeObject } from '../../manifests/kube.js'
import type { KubeApi } from '../../ports/kube-api.js'
import type { Meter } from '../../ports/meter.js'
import { keepWatching, type WatchLife } from '../../streams/keep-watching.js'
import { listWatch } from '../../streams/list-watch.js'
import { ObjectStore } from '../../streams/object-store.js'
import { identityOf, projected } from '../../streams/projected.js'
import type { Interrupted, Seen } from '../../streams/seen.js'
import { failureOf } from '../kube/failure.js'
import { meteredWatch } from './metered-watch.js'

/** A value and, when it may be out of date, the reason. */
export interface Sight<T> {
  readonly value: T
  readonly failure?: Failure
}

/** The figures of a watch are out of date when its server was silent for so long, milliseconds. */
const STALE_AFTER_MS = 3_000

type Reduced<T> = KubeObject & ({ readonly value: T } | { readonly unreadable: Failure })

/**
 * The objects of one type of one control plane, each reduced to the value that is counted. Emits after the first complete list
 * and after each change.
 */
export function watchedType<T>(
  api: KubeApi,
  resource: GroupVersionResource,
  {
    reduce,
    meter,
    fieldSelector,
    life,
  }: {
    readonly reduce: (object: KubeObject) => T
    readonly meter: Meter
    readonly fieldSelector?: string | undefined
    readonly life?: () => WatchLife
  },
): Observable<Sight<readonly T[]>> {
  const source = listWatch(api, resource, fieldSelector === undefined ? {} : { fieldSelector })
  const seen$ = keepWatching(source, { relistAfterMs: STALE_AFTER_MS, ...(life && { life }) }).pipe(
    meteredWatch(meter, resource.resource),
  )
  // One subscriber instead of a chain of operators, each of which would cost half a kilobyte for as long as the watch lives.
  return new Observable(subscriber => {
    const objects = new ReducedObjects(resource, reduce)
    return seen$.subscribe(seen => {
      if (objects.take(seen)) subscriber.next(objects.sight)
    })
  })
}

/** The objects of one type as last seen, and whether that is still true. */
class ReducedObjects<T> {
  readonly #store = new ObjectStore<Reduced<T>>()
  #failure: Failure | undefined

  constructor(
    private readonly resource: GroupVersionResource,
    private readonly reduce: (object: KubeObject) => T,
  ) {}

  get sight(): Sight<readonly T[]> {
    const objects = [...this.#store.values()]
    const value = objects.flatMap(object => ('value' in object ? [object.value] : []))
    const [unreadable] = objects.flatMap(object => ('unreadable' in object ? [object.unreadable] : []))
    const failure = this.#failure ?? unreadable
    return failure ? { value, failure } : { value }
  }

  /** Whether there is something new to show. A bookmark is not: who counts after each change must not count once a minute. */
  take(seen: Seen<KubeObject>): boolean {
    const before = this.#failure
    if (seen.type === 'interrupted') {
      this.#failure = stale(this.resource, seen) ?? before
      return this.#failure !== undefined && this.#failure.message !== before?.message
    }
    const changed = this.#store.take(projected(seen, object => this.#reduced(object))).length > 0
    // A list that is under way does not show yet that the server is well.
    if (seen.type !== 'restarted' && seen.type !== 'listed') this.#failure = undefined
    return (changed || this.#failure !== before) && (this.#store.synced || this.#failure !== undefined)
  }

  /** Whoever writes into a control plane must not stop Kairship with an object that cannot be read: it is left out, and said. */
  #reduced(object: KubeObject): Reduced<T> {
    const { metadata } = identityOf(object)
    try {
      return { metadata, value: this.reduce(object) } as Reduced<T>
    } catch (error) {
      const { reason, message } = uncounted(this.resource, error)
      const unreadable = { reason, stage: 'statistics', message: `${metadata.name}: ${message}` }
      return { metadata, unreadable } as Reduced<T>
    }
  }
}

/** The failure that an interruption means for the figures: none, unless it lasts or says that the type is not served. */
function stale(resource: GroupVersionResource, { error, silentMs }: Interrupted): Failure | undefined {
  const failure = uncounted(resource, error)
  return silentMs >= STALE_AFTER_MS || failure.reason === 'NotServed' ? failure : undefined
}

/** The reason why one type could not be counted, with the type's name. */
export function uncounted({ group, resource }: GroupVersionResource, error: unknown): Failure {
  const { reason, message } = failureOf(error, 'statistics')
  return { reason, stage: 'statistics', message: `${group ? `${resource}.${group}` : resource}: ${message}` }
}

/** Requests only the metadata of objects; a server that cannot do that sends whole objects. */
export const metadataOnly = (api: KubeApi): KubeApi => ({
  server: api.server,
  request: request => api.request({ ...request, accept: partial('PartialObjectMetadataList') }),
  watch: request => api.watch({ ...request, accept: partial('PartialObjectMetadata') }),
  close: () => api.close(),
})
const partial = (kind: string): string => `application/json;as=${kind};g=meta.k8s.io;v=v1,application/json`
