import type { ListQuery } from '../../../../http/objects/list-query.js'
import type { ObjectType, Place } from '../../../../http/objects/object-type.js'
import type { ObjectCall, Objects } from '../../../../http/objects/objects.js'
import type { pauseFor } from '../../../../http/objects/watch/changes-since.js'
import { type EventsRequest, watchedEvents } from '../../../../http/rpc/workload-pods/watched-events.js'
import type { KubeObject } from '../../../../manifests/kube.js'
import { WatchWorkloadEventsResponse_Type as Type } from '../../../../proto/gen/kairship/workload_pods_pb.js'
import { aloneAnswers } from '../../fakes/answers.js'
import { notFound } from '../recording-objects.js'

/** An Event about something of the DaemonSet `agent`: of a pod unless another kind is given. */
export const eventOf = (name: string, uid: string, more: object = {}): KubeObject => ({
  ...{ apiVersion: 'v1', kind: 'Event' },
  metadata: { name, namespace: 'shop', uid: name, resourceVersion: '1' },
  ...{ involvedObject: { kind: 'Pod', name: uid, uid }, type: 'Normal', reason: name, ...more },
})

/** Live lists of one type in one place. */
interface Live {
  readonly query: ListQuery<never>
  readonly tell: (change: 'ADDED' | 'MODIFIED' | 'DELETED', object: KubeObject) => Promise<void>
  readonly fail: (error: unknown) => void
  /** Begins the list anew, with what is there by then. */
  readonly startOver: () => void
}

/** What a place has, by resource; a place that is refused has an error instead. */
export type PlaceWorld = Record<string, KubeObject[]> | Error

/**
 * Places by the name of their cluster, the control plane by none. Their watches begin with what is there, and then have what they are
 * told, as `learn` and `where` of their query let it through.
 */
export function watching(
  places: Record<string, PlaceWorld>,
  request: Partial<EventsRequest> = {},
  pause: typeof pauseFor = (_, { signal }) => aborted(signal),
  beforeGet: (cluster?: string) => Promise<unknown> = async () => undefined,
) {
  const open = new Map<symbol, string>()
  const live = new Map<string, Live>()
  const asked: string[] = []
  const gone = new AbortController()
  const inPlace = ({ cluster = '' }: Place, { resource }: ObjectType): KubeObject[] => {
    const place = places[cluster] ?? {}
    if (place instanceof Error) throw place
    return place[resource] ?? []
  }
  const objects = {
    async get(_: ObjectCall, place: Place, type: ObjectType, { name }: { name: string }) {
      await beforeGet(place.cluster)
      const found = inPlace(place, type).find(({ metadata }) => metadata.name === name)
      if (!found) throw notFound()
      return found
    },
    async list(_: ObjectCall, place: Place, type: ObjectType, query: ListQuery) {
      asked.push(`${type.resource} ${place.cluster ?? ''} ${query.fieldSelector ?? ''}`)
      const named = /^metadata\.name=(.*)$/.exec(query.fieldSelector ?? '')?.[1]
      const items = inPlace(place, type).filter(
        object => (query.where?.(object) ?? true) && (named === undefined || object.metadata.name === named),
      )
      return { items }
    },
    async *watch(call: ObjectCall, place: Place, type: ObjectType, query: ListQuery) {
      const id = `${type.resource} ${place.cluster ?? ''}`.trim()
      const { where = () => true } = query
      const told: { type: string; object: KubeObject }[] = []
      let wake: () => void = () => undefined
      let failure: { readonly error: unknown } | undefined
      const own = Symbol(id)
      open.set(own, id)
      let isNew = false
      function* whole() {
        yield { type: 'RESET', total: 0 }
        for (const object of inPlace(place, type))
          if (where(object)) yield { type: 'ADDED', object, total: 1 }
      }
      try {
        yield* whole()
        live.set(id, {
          query: query as never,
          async tell(change, object) {
            if (change !== 'DELETED') await query.learn?.(object)
            if (change === 'DELETED' || where(object)) told.push({ type: change, object })
            wake()
          },
          fail(error) {
            failure = { error }
            wake()
          },
          startOver() {
            isNew = true
            wake()
          },
        })
        yield { type: 'BOOKMARK', total: 1 }
        for (;;) {
          call.signal.throwIfAborted()
          if (failure) throw failure.error
          if (isNew) {
            isNew = false
            yield* whole()
            yield { type: 'BOOKMARK', total: 1 }
            continue
          }
          const step = told.shift()
          if (step) yield { ...step, total: 1 }
          else await Promise.race([new Promise<void>(resolve => (wake = resolve)), aborted(call.signal)])
        }
      } finally {
        open.delete(own)
      }
    },
  } as unknown as Objects
  const call: ObjectCall = {
    ...{ caller: { user: 'me', groups: [], extra: {} }, signal: gone.signal, answered: () => undefined },
    answers: aloneAnswers(true),
  }
  const workload = { instance: 'i', namespace: 'shop', kind: 'DaemonSet', name: 'agent' }
  const messages = watchedEvents(objects, call, { workload, types: new Set(), ...request }, pause)
  /** The next messages: type, and the place and reason of the event, or the cluster and the message; and the total. */
  const next = async (count: number) => {
    const found: unknown[][] = []
    for (let n = 0; n < count; n += 1) {
      const { type = 0, event, cluster, message, total } = (await messages.next()).value ?? {}
      found.push([Type[type], event ? `${event.cluster}/${event.reason}` : (cluster ?? ''), message ?? total])
    }
    return found
  }
  return { messages, next, live, open, asked, gone }
}

const aborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })

/** A member that has the DaemonSet `agent`, with these pods and events. */
export const member = (pods: KubeObject[], events: KubeObject[], uid = 'set') => ({
  daemonsets: [
    { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name: 'agent', namespace: 'shop', uid } },
  ] as KubeObject[],
  ...{ pods, events },
})

/** The binding of the DaemonSet `agent` to clusters. */
export const bindingTo = (...clusters: string[]): KubeObject =>
  ({
    ...{ apiVersion: 'work.karmada.io/v1alpha2', kind: 'ResourceBinding' },
    metadata: { name: 'agent-daemonset', namespace: 'shop', uid: 'binding' },
    spec: {
      resource: { apiVersion: 'apps/v1', kind: 'DaemonSet', namespace: 'shop', name: 'agent' },
      clusters: clusters.map(name => ({ name })),
    },
  }) as KubeObject
