import { filter, map, type Observable, scan } from 'rxjs'
import type { Failure } from '../machines/failure.js'
import type { GroupVersionResource, KubeObject } from '../manifests/kube.js'
import type { KubeApi } from '../ports/kube-api.js'
import type { Meter } from '../ports/meter.js'
import { keepWatching } from '../streams/keep-watching.js'
import { listWatch } from '../streams/list-watch.js'
import { ObjectStore } from '../streams/object-store.js'
import type { Interrupted, Seen } from '../streams/seen.js'
import { failureOf } from './failure.js'
import { meteredWatch } from './metered-watch.js'

/** What is seen of something, and why it may be out of date. */
export interface Sight<T> {
  readonly value: T
  readonly failure?: Failure
}

/** How long a watch may fail before the figures it feeds are called out of date; counted in interruptions in a row. */
const STALE_AFTER_INTERRUPTIONS = 4

/** What came of one thing seen. */
interface Taken {
  readonly failure: Failure | undefined
  readonly news: boolean
}

type Reduced<T> = KubeObject & { readonly value: T }

/** One type of one control plane, each object reduced to what is counted. Silent until the first list is complete, and while nothing changes. */
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
  return keepWatching(listWatch(api, resource, fieldSelector === undefined ? {} : { fieldSelector })).pipe(
    meteredWatch(meter, resource.resource),
    scan(
      ({ failure: before }: Taken, seen): Taken => {
        if (seen.type === 'interrupted') {
          const failure = stale(resource, seen) ?? before
          return { failure, news: failure !== before }
        }
        return { failure: undefined, news: take(seen) || before !== undefined }
      },
      { failure: undefined, news: false },
    ),
    // A bookmark is no news: whoever counts when something changed must not count once a minute.
    filter(({ failure, news }) => news && (store.synced || failure !== undefined)),
    map(({ failure }) => {
      const value = [...store.values()].map(({ value }) => value)
      return failure ? { value, failure } : { value }
    }),
  )
}

/** What an interruption means for the figures: nothing, unless it lasts or says that the type does not exist. */
function stale(resource: GroupVersionResource, { error, attempt }: Interrupted): Failure | undefined {
  const failure = uncounted(resource, error)
  return attempt >= STALE_AFTER_INTERRUPTIONS || failure.reason === 'NotServed' ? failure : undefined
}

/** Why one type could not be counted, with its name. */
export function uncounted({ group, resource }: GroupVersionResource, error: unknown): Failure {
  const { reason, message } = failureOf(error, 'statistics')
  return { reason, stage: 'statistics', message: `${group ? `${resource}.${group}` : resource}: ${message}` }
}

/** Asks for the metadata of objects only; a server that cannot do that sends them whole. */
export const metadataOnly = (api: KubeApi): KubeApi => ({
  server: api.server,
  request: request => api.request({ ...request, accept: partial('PartialObjectMetadataList') }),
  watch: request => api.watch({ ...request, accept: partial('PartialObjectMetadata') }),
  close: () => api.close(),
})
const partial = (kind: string): string => `application/json;as=${kind};g=meta.k8s.io;v=v1,application/json`
