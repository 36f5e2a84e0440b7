import type { Cluster } from '../../../karmada/objects/cluster.js'
import type { Binding } from '../../../karmada/objects/resource-binding.js'
import type { KubeObject } from '../../../manifests/kube.js'
import { joined } from '../../../ports/cancellation.js'
import type { ListMark } from '../../objects/list-mark.js'
import type { ListQuery } from '../../objects/list-query.js'
import { apiVersionOf, type ObjectType } from '../../objects/object-type.js'
import type { ObjectCall, ObjectEvent, Objects } from '../../objects/objects.js'
import { sideCall } from '../../objects/side-call.js'
import { closeSource, mergeSources } from '../concurrency/live-merge.js'
import type { Followed, FollowedEvent } from '../kind/kind-handlers.js'
import { CLUSTER, CLUSTER_RESOURCE_BINDING, RESOURCE_BINDING } from '../kind/object-types.js'
import { isOf } from './binding-of.js'
import { Collection } from './collection.js'
import { type DistributedEvent, DistributedList } from './distributed-list.js'
import type { Distribution } from './distribution.js'
import { readDistributions } from './read-distributions.js'

const ALL = { page: 1, pageSize: 0 }

/**
 * Follows a list of templates with where they went. Bindings and clusters are read once and then followed, all as the caller;
 * what the caller may not read is unknown. It ends with the call's signal, whose reason it throws, or with the first of its
 * streams that fails. Its marks are those of the templates, the bindings and the clusters, in this order; it goes on after them
 * only where all three can.
 */
export async function* followDistributed<T extends KubeObject>(
  objects: Objects,
  call: ObjectCall,
  { place, type, query, matches = () => true, since }: Followed<T, Distribution>,
): AsyncGenerator<FollowedEvent<T, Distribution>, void> {
  const over = new AbortController()
  const { signal, clear } = joined([call.signal, over.signal])
  const quiet = { ...sideCall(call), signal }
  const named = { apiVersion: apiVersionOf(type), kind: type.kind }
  const { namespace = '' } = query
  const ofBindings = {
    ...ALL,
    ...(namespace && { namespace }),
    where: (binding: Binding) => isOf(binding, named),
  }
  const bindingType = type.namespaced ? RESOURCE_BINDING : CLUSTER_RESOURCE_BINDING
  const [templatesAt, bindingsAt, clustersAt] = since ?? []
  const watch = <U extends KubeObject>(
    of: ObjectType,
    wanted: ListQuery<U>,
    at: ListMark | null | undefined,
  ) => generatorOf(objects.watch<U>(quiet, place, of, wanted, at ?? undefined))
  const bindings = new Collection(watch<Binding>(bindingType, ofBindings, bindingsAt))
  const clusters = new Collection(watch<Cluster>(CLUSTER, ALL, clustersAt))
  let templates: AsyncGenerator<ObjectEvent<T>, void> | undefined
  try {
    await Promise.all([bindings.start(), clusters.start()])
    const list = new DistributedList<T>(matches)
    list.bindings(bindings.items)
    list.clusters(clusters.items?.values())
    const goesOn = templatesAt && bindings.isAt(bindingsAt) && clusters.isAt(clustersAt)
    templates = generatorOf(
      objects.watch<T>({ ...call, signal }, place, type, query, goesOn ? templatesAt : undefined),
    )
    let mark: ListMark | undefined
    /** The last step of a change bears the states after it. */
    const marked = (
      steps: readonly DistributedEvent<T>[],
      known?: true,
    ): FollowedEvent<T, Distribution>[] => {
      const marks = mark && bindings.isMarked && clusters.isMarked && [mark, bindings.mark, clusters.mark]
      return steps.map((step, index) => ({
        ...step,
        ...(known && { known }),
        ...(marks && index === steps.length - 1 && { marks }),
      }))
    }
    const ofTemplate = ({ mark: after, known, ...step }: ObjectEvent<T>) => {
      mark = after
      return marked(list.object(step), known)
    }
    // First the list, then what changes in it: a state to go on after is whole before a change comes.
    for (let isWhole = false; !isWhole; ) {
      const { value: event, done } = await templates.next()
      if (done) return
      yield* ofTemplate(event)
      isWhole = event.type === 'BOOKMARK'
    }
    // One at a time, so that what a step shows and its marks agree.
    const changes = mergeSources<() => readonly FollowedEvent<T, Distribution>[]>([
      stepsOf(templates, event => () => ofTemplate(event)),
      stepsOf(bindings.rest(), event => () => {
        const { items, changed } = bindings.fold(event)
        return marked(changed ? list.binding(changed) : items ? list.bindings(items) : [])
      }),
      stepsOf(clusters.rest(), event => () => {
        const { items } = clusters.fold(event)
        return marked(items ? list.clusters(items.values()) : [])
      }),
    ])
    for await (const stepsAfter of changes) yield* stepsAfter()
  } finally {
    over.abort(new Error('the list is not followed any more'))
    clear()
    for (const source of [bindings.source, clusters.source, ...(templates ? [templates] : [])])
      closeSource(source)
  }
}

async function* generatorOf<E>(source: AsyncIterable<E>): AsyncGenerator<E, void> {
  yield* source
}

async function* stepsOf<E, S>(source: AsyncIterable<E>, step: (event: E) => S): AsyncGenerator<S, void> {
  for await (const event of source) yield step(event)
}

/** What the row of a kind has whose objects are templates of the control plane. */
export const DISTRIBUTED = { extras: readDistributions, follow: followDistributed } as const
