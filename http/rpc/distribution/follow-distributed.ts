import type { Cluster } from '../../../karmada/objects/cluster.js'
import type { Binding } from '../../../karmada/objects/resource-binding.js'
import type { KubeObject } from '../../../manifests/kube.js'
import { isForbidden, isNotFound } from '../../../manifests/status-error.js'
import { joined } from '../../../ports/cancellation.js'
import { apiVersionOf } from '../../objects/object-type.js'
import type { ObjectCall, ObjectEvent, Objects } from '../../objects/objects.js'
import type { Followed } from '../kind/kind-handlers.js'
import { sideCall } from '../side-call.js'
import { isOf, keyOfObject } from './binding-of.js'
import { type DistributedEvent, DistributedList } from './distributed-list.js'
import type { Distribution } from './distribution.js'
import { endOf, mergeSources } from './merge-sources.js'
import {
  CLUSTER,
  CLUSTER_RESOURCE_BINDING,
  RESOURCE_BINDING,
  readDistributions,
} from './read-distributions.js'

const ALL = { page: 1, pageSize: 0 }

/**
 * Follows a list of templates with where they went. Bindings and clusters are read once and then followed, all as the caller;
 * what the caller may not read is unknown. It ends with the call's signal, whose reason it throws, or with the first of its
 * streams that fails.
 */
export async function* followDistributed<T extends KubeObject>(
  objects: Objects,
  call: ObjectCall,
  { place, type, query, matches = () => true }: Followed<T, Distribution>,
): AsyncGenerator<DistributedEvent<T>, void> {
  const over = new AbortController()
  const { signal, clear } = joined([call.signal, over.signal])
  const quiet = { ...sideCall(call), signal }
  const list = new DistributedList<T>(matches)
  const named = { apiVersion: apiVersionOf(type), kind: type.kind }
  const { namespace = '' } = query
  const bindings = collected(
    objects.watch<Binding>(quiet, place, type.namespaced ? RESOURCE_BINDING : CLUSTER_RESOURCE_BINDING, {
      ...ALL,
      ...(namespace && { namespace }),
      where: binding => isOf(binding, named),
    }),
  )
  const clusters = collected(objects.watch<Cluster>(quiet, place, CLUSTER, ALL))
  try {
    const [firstBindings, firstClusters] = await Promise.all([ifReadable(bindings), ifReadable(clusters)])
    list.bindings(firstBindings?.items)
    list.clusters(firstClusters?.items.values())
    yield* mergeSources<DistributedEvent<T>>([
      stepsOf(objects.watch<T>({ ...call, signal }, place, type, query), event => list.object(event)),
      ...(firstBindings
        ? [
            stepsOf(bindings, ({ items, changed }) =>
              changed ? list.binding(changed) : list.bindings(items),
            ),
          ]
        : []),
      ...(firstClusters ? [stepsOf(clusters, ({ items }) => list.clusters(items.values()))] : []),
    ])
  } finally {
    over.abort(new Error('the list is not followed any more'))
    clear()
    for (const source of [bindings, clusters]) endOf(source)
  }
}

/** The objects of a followed list after each of its changes, once it is whole. */
interface Collection<T> {
  readonly items: ReadonlyMap<string, T>
  /** The one object that has changed; absent where all may have. */
  readonly changed?: T
}

async function* collected<T extends KubeObject>(
  source: AsyncIterable<ObjectEvent<T>>,
): AsyncGenerator<Collection<T>, void> {
  let items = new Map<string, T>()
  let isWhole = false
  for await (const event of source) {
    if ('object' in event) {
      const key = keyOfObject(event.object)
      if (event.type === 'ADDED' || event.type === 'MODIFIED') items.set(key, event.object)
      else items.delete(key)
      if (isWhole) yield { items, changed: event.object }
    } else if (event.type === 'RESET') {
      items = new Map()
      isWhole = false
    } else {
      isWhole = true
      yield { items }
    }
  }
}

/** The first state; undefined where the caller may not read it, or the type is not served. */
async function ifReadable<T>(source: AsyncGenerator<T, void>): Promise<T | undefined> {
  try {
    const { value } = await source.next()
    return value ?? undefined
  } catch (error) {
    if (isForbidden(error) || isNotFound(error)) return undefined
    throw error
  }
}

async function* stepsOf<E, S>(
  source: AsyncIterable<E>,
  step: (event: E) => readonly S[],
): AsyncGenerator<S, void> {
  for await (const event of source) yield* step(event)
}

/** What the row of a kind has whose objects are templates of the control plane. */
export const DISTRIBUTED = { extras: readDistributions, follow: followDistributed } as const
