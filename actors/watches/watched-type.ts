import { filter, map, type Observable, scan } from 'rxjs'
import type { Failure } from '../../machines/failure.js'
import type { GroupVersionResource, KubeObject } from '../../manifests/kube.js'
import type { KubeApi } from '../../ports/kube-api.js'
import type { Meter } from '../../ports/meter.js'
import { keepWatching } from '../../streams/keep-watching.js'
import { listWatch } from '../../streams/list-watch.js'
import { ObjectStore } from '../../streams/object-store.js'
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

/** The state after one item of the stream. */
interface Taken {
  readonly failure: Failure | undefined
  readonly news: boolean
}

type Reduced<T> = KubeObject & { readonly value: T }

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
  }: {
    readonly reduce: (object: KubeObject) => T
    readonly meter: Meter
    readonly fieldSelector?: string | undefined
  },
): Observable<Sight<readonly T[]>> {
  const store = new ObjectStore<Reduced<T>>()
  const reduced = (object: KubeObject): Reduced<T> => {
    const { name, namespace, uid, resourceVersion } = object.metadata
    return { metadata: { name, namespace, uid, resourceVersion }, value: reduce(object) } as Reduced<T>
  }
  /** Whether it changed anything. */
  const take = (seen: Seen<KubeObject>): boolean => {
    if (seen.type === 'listed') return store.take({ ...seen, objects: seen.objects.map(reduced) }).length > 0
    if (seen.type === 'applied' || seen.type === 'deleted')
      return store.take({ ...seen, object: reduced(seen.object) }).length > 0
    return store.take(seen).length > 0
  }
  const source = listWatch(api, resource, fieldSelector === undefined ? {} : { fieldSelector })
  return keepWatching(source, { relistAfterMs: STALE_AFTER_MS }).pipe(
    meteredWatch(meter, resource.resource),
    scan(
      ({ failure: before }: Taken, seen): Taken => {
        if (seen.type === 'interrupted') {
          const failure = stale(resource, seen) ?? before
          return { failure, news: failure?.message !== before?.message }
        }
        const changed = take(seen)
        // A list that is under way does not show yet that the server is well.
        const failure = seen.type === 'restarted' || seen.type === 'listed' ? before : undefined
        return { failure, news: changed || failure !== before }
      },
      { failure: undefined, news: false },
    ),
    // A bookmark is dropped, because a subscriber that counts after each change must not count once a minute.
    filter(({ failure, news }) => news && (store.synced || failure !== undefined)),
    map(({ failure }) => {
      const value = [...store.values()].map(({ value }) => value)
      return failure ? { value, failure } : { value }
    }),
  )
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
