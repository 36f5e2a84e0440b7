import {
  type FleetPlace,
  WatchFleetObjectsResponse_Type as Type,
  type WatchFleetObjectsResponse,
} from '../../proto/gen/kairship/fleet_pb.js'
import { type Clock, clock } from '../live/clock.js'
import { type Followed, follow } from '../live/follow.js'
import { eventOf, type FleetEvent } from './fleet-event.js'

/** The fleet's events, as the screen shows them. */
export interface FeedView {
  /** The newest first. */
  readonly events: readonly FleetEvent[]
  /** The number of events in all places. */
  readonly total: number
  readonly state: 'loading' | 'live' | 'stale'
  readonly since: number
  readonly problem?: Error
  /** Places that cannot be read now, with the reason. */
  readonly unread: readonly string[]
}

/** The most events of a page: the newest are kept. */
export const MOST_EVENTS = 1_000
/** The shortest time between two calls of subscribers, milliseconds. */
const FRAME_MS = 250

/**
 * The newest events of the whole fleet, from one stream over all places. The page holds a bounded number of them and is rendered at most four times a
 * second.
 */
export class EventFeed {
  readonly #events = new Map<string, FleetEvent>()
  readonly #failed = new Map<string, string>()
  #view: FeedView
  #run: AbortController | undefined
  #cancelFrame: (() => void) | undefined
  readonly #readers = new Set<() => void>()

  constructor(
    private readonly watch: (signal: AbortSignal) => AsyncIterable<WatchFleetObjectsResponse>,
    private readonly time: Clock = clock,
    private readonly most = MOST_EVENTS,
  ) {
    this.#view = { events: [], total: 0, state: 'loading', since: time.now(), unread: [] }
  }

  /** The same object until something changes. */
  readonly view = (): FeedView => this.#view

  readonly subscribe = (reader: () => void): (() => void) => {
    this.#readers.add(reader)
    return () => void this.#readers.delete(reader)
  }

  start(): void {
    if (this.#run) return
    this.#run = new AbortController()
    const stream: Followed = {
      read: (signal, answered) => this.#read(signal, answered),
      broken: problem => this.#broken(problem),
    }
    void follow(stream, this.#run.signal, { time: this.time })
  }

  /** Ends the stream and keeps the events. The stream has no resume tokens: `start` reads everything again. */
  stop(): void {
    this.#run?.abort()
    this.#run = undefined
    this.#cancelFrame?.()
    this.#cancelFrame = undefined
    this.#become('stale')
    this.#show()
  }

  async #read(signal: AbortSignal, answered: () => void): Promise<'again'> {
    for await (const message of this.watch(signal)) {
      answered()
      this.#take(message)
    }
    return 'again'
  }

  #take({ type, object, place, total }: WatchFleetObjectsResponse): void {
    if (type === Type.RESET && !place) {
      this.#events.clear()
      this.#failed.clear()
    } else if (place) this.#place(type, place)
    else if (type === Type.BOOKMARK) this.#become('live')
    else if (object) {
      const event = eventOf(object)
      if (type === Type.DELETED || type === Type.LEFT) this.#events.delete(event.key)
      else this.#events.set(event.key, event)
      if (this.#events.size > 2 * this.most) this.#trim()
    }
    this.#view = { ...this.#view, total }
    this.#showSoon()
  }

  #place(type: Type, place: FleetPlace): void {
    const { instance, cluster, error } = place
    const name = cluster ? `${instance} · ${cluster}` : instance
    if (type === Type.PLACE_FAILED) this.#failed.set(name, `${name}: ${error?.message}`)
    else this.#failed.delete(name)
    if (type !== Type.RESET && type !== Type.PLACE_GONE) return
    for (const [key, event] of this.#events)
      if (event.instance === instance && event.cluster === cluster) this.#events.delete(key)
  }

  /** Keeps the newest. */
  #trim(): readonly FleetEvent[] {
    const newest = [...this.#events.values()].sort((a, b) => b.time - a.time).slice(0, this.most)
    if (this.#events.size > this.most) {
      this.#events.clear()
      for (const event of newest) this.#events.set(event.key, event)
    }
    return newest
  }

  #broken(problem: Error): 'again' {
    this.#become('stale')
    this.#view = { ...this.#view, problem }
    this.#showSoon()
    return 'again'
  }

  #become(state: 'live' | 'stale'): void {
    if (this.#view.state === state || (state === 'stale' && this.#view.state === 'loading')) return
    const { problem: _, ...view } = this.#view
    this.#view = { ...view, state, since: this.time.now() }
  }

  #showSoon(): void {
    this.#cancelFrame ??= this.time.later(() => {
      this.#cancelFrame = undefined
      this.#show()
    }, FRAME_MS)
  }

  #show(): void {
    this.#view = { ...this.#view, events: this.#trim(), unread: [...this.#failed.values()] }
    for (const reader of this.#readers) reader()
  }
}
