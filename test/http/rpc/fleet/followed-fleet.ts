import { vi } from 'vitest'
import type { Call } from '../../../../http/call/call.js'
import type { FeedEvent } from '../../../../http/instances/instance-feed.js'
import { pageOfObjects, selects } from '../../../../http/objects/list/select.js'
import type { ListMark } from '../../../../http/objects/list-mark.js'
import type { ListQuery } from '../../../../http/objects/list-query.js'
import type { ObjectType, Place } from '../../../../http/objects/object-type.js'
import type { ChangesQuery, ObjectCall, ObjectEvent, Objects } from '../../../../http/objects/objects.js'
import { fleetHandlers } from '../../../../http/rpc/fleet/handlers.js'
import type { KubeObject } from '../../../../manifests/kube.js'
import {
  FleetScope,
  WatchFleetObjectsResponse_Type as Type,
  type WatchFleetObjectsRequest,
} from '../../../../proto/gen/kairship/fleet_pb.js'
import { fakeLog } from '../../fakes/log.js'
import { instanceNamed } from './fake-fleet.js'

type Event = ObjectEvent<KubeObject>

/** A queue that is read as it is filled; an error in it is thrown. */
class Queue<T> {
  readonly #items: (T | Error)[] = []
  #wake: () => void = () => undefined

  push(...items: readonly (T | Error)[]): void {
    this.#items.push(...items)
    this.#wake()
  }

  async *read(signal: AbortSignal): AsyncGenerator<T, void> {
    for (;;) {
      const item = this.#items.shift()
      if (item instanceof Error) throw item
      if (item !== undefined) yield item
      else
        await new Promise<void>((resolve, reject) => {
          this.#wake = resolve
          signal.addEventListener('abort', () => reject(signal.reason), { once: true })
          if (signal.aborted) reject(signal.reason)
        })
    }
  }
}

/** A watch of one place that was opened. */
export interface Opened {
  readonly place: string
  readonly since: ListMark | undefined
  readonly query: ListQuery | ChangesQuery
  readonly events: Queue<Event>
}

export const configMap = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default' },
})

const nameOf = ({ instance, cluster }: Place) => `${instance}${cluster ? `.${cluster}` : ''}`

/** A fleet that is followed: what its places say is pushed by the test. */
export class FollowedFleet {
  /** Uids of instances by name. */
  readonly instances = new Map<string, string>()
  readonly members = new Map<string, string[]>()
  /** What places hold when they are first listed; an error is thrown instead, and a place that is not here has nothing. */
  readonly lists = new Map<string, readonly string[] | Error | 'hangs'>()
  readonly duplicates = new Set<string>()
  usable: (name: string) => boolean = () => true
  /** Watches that were opened, in order. */
  readonly opened: Opened[] = []
  /** How many are open. */
  open = 0
  readonly log = fakeLog()
  readonly #feeds: Queue<FeedEvent>[] = []
  readonly #over = new AbortController()

  constructor(...instances: readonly string[]) {
    for (const name of instances) this.instances.set(name, `uid of ${name}`)
  }

  /** Instances have come or gone, or can no longer be followed. */
  changed(news: 'ADDED' | 'DELETED' | Error = 'ADDED'): void {
    const event = news instanceof Error ? news : { type: news, view: {} as never, token: '' }
    for (const feed of this.#feeds) feed.push(event)
  }

  /** An older instance was found to manage the control plane of this one, or does no longer. */
  judged(name: string, isDuplicate: boolean): void {
    const view = (is: boolean) => ({ name, instance: instanceNamed(name, is) }) as never
    if (isDuplicate) this.duplicates.add(name)
    else this.duplicates.delete(name)
    for (const feed of this.#feeds)
      feed.push({ type: 'MODIFIED', view: view(isDuplicate), before: view(!isDuplicate), token: '' })
  }

  /** The last watch of a place. */
  last(place: string): Opened {
    return this.opened.filter(one => one.place === place).at(-1)!
  }

  /** What handlers that follow a fleet depend on. */
  parts(): Parameters<typeof fleetHandlers>[0] {
    return {
      objects: { list: this.#list, watch: this.#watch, changes: this.#changes } as unknown as Objects,
      feed: { read: (_, signal) => this.#feed(signal) },
      instances: {
        all: async () =>
          [...this.instances].map(([name, uid]) => ({
            name,
            instance: instanceNamed(name, this.duplicates.has(name), uid),
          })),
      },
    }
  }

  /** Follows the fleet; what its messages say is in `said` as it is read. */
  async follow(request: Partial<WatchFleetObjectsRequest> = {}) {
    const handlers = fleetHandlers(this.parts())
    const call = {
      caller: { user: 'ann', groups: [], extra: {} },
      ...{ signal: this.#over.signal, log: this.log, answered: () => undefined },
      maySee: async (name: string) => this.usable(name),
    } as unknown as Call
    const whole = {
      ...{ group: '', version: 'v1', resource: 'configmaps', scope: FleetScope.CONTROL_PLANES },
      ...{ instances: [], clusters: [], namespace: '', name: '', labelSelector: '', fieldSelector: '' },
      ...{ withData: false, changesOnly: false, ...request },
    } as unknown as WatchFleetObjectsRequest
    const changes = await handlers.watchFleetObjects(whole, call)
    const said: string[] = []
    const ended = (async () => {
      for await (const { type, total, object, place } of changes as AsyncIterable<never>) {
        const at = nameOf(object ?? place ?? { instance: '' })
        const name = (object as { metadata?: KubeObject['metadata'] } | undefined)?.metadata?.name
        const { error } = (place ?? {}) as { error?: { code: number; reason: string } }
        const what = name ?? (error ? `${error.code} ${error.reason}` : '')
        said.push([Type[type], at, what, total].filter(one => one !== '').join(' '))
      }
    })()
    return { said, ended: ended.catch((error: unknown) => error) }
  }

  end(reason = new Error('over')): void {
    this.#over.abort(reason)
  }

  #feed(signal: AbortSignal): AsyncGenerator<FeedEvent, void> {
    const feed = new Queue<FeedEvent>()
    feed.push({ type: 'RESET', token: '' }, { type: 'BOOKMARK', token: '' })
    this.#feeds.push(feed)
    return feed.read(signal)
  }

  #list = async (_: ObjectCall, { instance }: Place, type: ObjectType, query: ListQuery) => {
    if (type.resource !== 'clusters') throw new Error('only clusters are listed')
    const list = this.lists.get(`${instance}.*`)
    if (list instanceof Error) throw list
    const clusters = (this.members.get(instance) ?? []).map(name => ({ metadata: { name } }) as KubeObject)
    return pageOfObjects(clusters.filter(selects(query)), query)
  }

  #watch = async function* (
    this: FollowedFleet,
    { signal }: ObjectCall,
    place: Place,
    _: ObjectType,
    query: ListQuery,
    since?: ListMark,
  ): AsyncGenerator<Event, void> {
    const events = new Queue<Event>()
    this.opened.push({ place: nameOf(place), since, query, events })
    this.open += 1
    try {
      const list = this.lists.get(nameOf(place)) ?? []
      if (list instanceof Error) throw list
      if (list !== 'hangs' && !since) events.push(...listed(list))
      yield* events.read(signal)
    } finally {
      this.open -= 1
    }
  }.bind(this)

  #changes = async function* (
    this: FollowedFleet,
    { signal }: ObjectCall,
    place: Place,
    _: ObjectType,
    query: ChangesQuery,
  ): AsyncGenerator<Event, void> {
    const events = new Queue<Event>()
    this.opened.push({ place: nameOf(place), since: undefined, query, events })
    this.open += 1
    try {
      const list = this.lists.get(nameOf(place))
      if (list instanceof Error) throw list
      events.push({ type: 'RESET', total: 0 }, { type: 'BOOKMARK', total: 0 })
      yield* events.read(signal)
    } finally {
      this.open -= 1
    }
  }.bind(this)
}

/** So much later, by vitest's clock. */
export const soon = (milliseconds = 0) => vi.advanceTimersByTimeAsync(milliseconds)
/** Enough for instances that come and go, and for what is read again from time to time. */
export const [GATHERED, CHECKED] = [600, 31_000] as const

/** Follows a fleet until every place has said what it has. */
export async function followedFrom(fleet: FollowedFleet, ...request: Parameters<FollowedFleet['follow']>) {
  const begun = fleet.follow(...request)
  await soon()
  const { said, ended } = await begun
  await soon()
  return { said, ended, news: () => said.splice(0) }
}

/** The steps of a list of these names. */
export const listed = (names: readonly string[], version = '1'): Event[] => [
  { type: 'RESET', total: 0 },
  ...names.map((name, at): Event => ({ type: 'ADDED', object: configMap(name), total: at + 1 })),
  { type: 'BOOKMARK', total: names.length, mark: markOf(version) },
]

export const markOf = (version: string): ListMark => ({ version, digest: 1n }) as unknown as ListMark
