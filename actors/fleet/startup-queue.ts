import type { Instance } from '../../manifests/instance.js'
import { measureBusyness } from '../instance/busyness.js'
import { TURNS, type Turns } from '../kube/turns.js'
import { recordedConditions } from './instance-view.js'
import { isFirstClaim } from './oldest-claims.js'
import { StandingStill } from './standing-still.js'

/**
 * So many instances come up at once. Sixteen keep three quarters of a core busy, and the first is ready after 0.8 s (bench/README.md);
 * with more, each takes longer.
 */
export const COMING_UP_AT_ONCE = 16
/**
 * An instance of which nothing was observed for so long waits for something outside (a slow line, an unreachable control plane, a first
 * sync), and leaves its place to the next, milliseconds: where nothing answers at all, 32 a second are begun. With 100 or 250 so many are begun that
 * a healthy fleet of 1,000 takes 55 and 60 s instead of 34 on two slow cores (bench/README.md).
 */
export const STILL_MS = 500
/**
 * An instance leaves its place after so long although something is observed of it all the time, milliseconds: its status is written each moment while
 * a first sync lasts, or two controllers undo each other's changes. Sixteen such instances kept all others from coming up. It is
 * as long as one that stands still is counted; on two slow cores one of a thousand takes 0.7 s.
 */
export const HELD_MS = 10_000
/** Where the event loop was at work for so large a part of the time, nothing was observed because of us: no more are begun. */
const BUSY = 0.75

/** The order in which instances come up. Within a group the oldest is first, because younger ones wait for its identity. */
type Group = 'hurried' | 'ordinary' | 'broken'
const GROUPS: readonly Group[] = ['hurried', 'ordinary', 'broken']

/** The event loop that the queue runs in; a test replaces it. */
export interface StartupQueueOptions {
  /** Begins to measure how busy the event loop is. */
  readonly measure?: () => () => number
  /** What the starts are divided over: one reads certificates and keys, which takes 2 to 5 ms, and sixteen at once keep callers waiting. */
  readonly turns?: Pick<Turns, 'isOver' | 'mine'> | undefined
}

/** The place of one that comes up. */
interface Place {
  /** Whether its control plane has answered. */
  answered: boolean
  /** Fires when nothing was observed of it for a while. */
  readonly timer: NodeJS.Timeout
  /** Fires when the place has been held for `HELD_MS`: what is observed from then on does not keep it. */
  readonly held: NodeJS.Timeout
  isOverdue: boolean
  /** Which part of the time since the last observation the event loop was at work. */
  busyness: () => number
}

/**
 * Lets instances come up a few at a time, so that those under way finish before others begin: the first of any number is ready
 * as soon as the first of ten. What waits has no actor yet, and costs neither a request nor a timer.
 *
 * Those that callers ask for come first, and those that were broken when last seen come last.
 */
export class StartupQueue {
  readonly #waiting: Record<Group, Map<string, Instance>> = {
    hurried: new Map(),
    ordinary: new Map(),
    broken: new Map(),
  }
  /** Whether instances have entered since a group was last sorted. */
  #sorted = true
  /** Who comes up now. */
  readonly #underWay = new Map<string, Place>()
  /** Who waits for something outside. */
  readonly #standing = new StandingStill()
  #open = false
  /** Whether instances are being started now, or will be in a later turn of the event loop. */
  #filling = false
  readonly #measure: () => () => number
  readonly #turns: Pick<Turns, 'isOver' | 'mine'>

  /** @param comeUp starts an instance; called once for each, in order, and never for one that has left. It throws nothing */
  constructor(
    private readonly comeUp: (name: string) => void,
    { measure = measureBusyness, turns = TURNS }: StartupQueueOptions = {},
  ) {
    this.#measure = measure
    this.#turns = turns
  }

  /** How many wait. */
  get length(): number {
    return GROUPS.reduce((sum, group) => sum + this.#waiting[group].size, 0)
  }

  /** From now on instances come up. Before it, all that are known enter, so that the oldest can be first. */
  open(): void {
    this.#open = true
    void this.#fill()
  }

  /** The instance comes up when it is its turn, which may be at once. */
  enter(instance: Instance): void {
    this.#put(groupOf(instance), instance)
    void this.#fill()
  }

  /** A caller needs this one. Without effect unless it waits among those that no caller has asked for. */
  hurry(name: string): void {
    // A caller who asks again does not lose its turn.
    if (this.#waiting.hurried.has(name)) return
    const instance = this.#take(name)
    if (!instance) return
    this.#waiting.hurried.set(name, instance)
    void this.#fill()
  }

  /** Whether the instance waits for its turn. */
  has(name: string): boolean {
    return GROUPS.some(group => this.#waiting[group].has(name))
  }

  /**
   * Something was observed of an instance: it keeps its place, if it has one, for `HELD_MS` in all.
   * @param answered whether its control plane has answered by now
   */
  progressed(name: string, answered: boolean): void {
    const place = this.#underWay.get(name)
    if (place) {
      place.answered = answered
      if (!place.isOverdue) this.#observed(place)
    } else if (answered) this.#standing.answered(name)
  }

  /** It is up, cannot go on by itself, or is gone: its place is free, and it does not wait any more. */
  leave(name: string): void {
    this.#take(name)
    this.#standing.delete(name)
    if (this.#free(name)) void this.#fill()
  }

  /** No instance comes up any more. */
  close(): void {
    this.#open = false
    for (const name of [...this.#underWay.keys()]) this.#free(name)
    this.#standing.clear()
    for (const group of GROUPS) this.#waiting[group].clear()
  }

  /** @returns whether it had a place */
  #free(name: string): boolean {
    const place = this.#underWay.get(name)
    clearTimeout(place?.timer)
    clearTimeout(place?.held)
    return this.#underWay.delete(name)
  }

  #observed(place: Place): void {
    place.timer.refresh()
    place.busyness = this.#measure()
  }

  /** Nothing was observed of it for a while. It keeps its place where that is our doing, or where too many stand still already. */
  #stand(name: string, place: Place): void {
    if (!this.#standing.hasRoom(place.answered) || place.busyness() > BUSY) {
      this.#observed(place)
      return
    }
    this.#free(name)
    this.#standing.add(name, place.answered)
    void this.#fill()
  }

  /** Never rejects, as `comeUp` throws nothing. A start may end at once and leave, so this is a loop and no recursion. */
  async #fill(): Promise<void> {
    if (this.#filling) return
    this.#filling = true
    try {
      while (this.#hasNext) {
        if (this.#turns.isOver()) await this.#turns.mine()
        if (this.#hasNext) this.#begin()
      }
    } finally {
      this.#filling = false
    }
  }

  get #hasNext(): boolean {
    return this.#open && this.#underWay.size < COMING_UP_AT_ONCE && this.length > 0
  }

  #begin(): void {
    const name = this.#next()
    if (name === undefined) return
    const place: Place = {
      answered: false,
      timer: setTimeout(() => this.#stand(name, place), STILL_MS).unref(),
      held: setTimeout(() => {
        place.isOverdue = true
      }, HELD_MS).unref(),
      isOverdue: false,
      busyness: this.#measure(),
    }
    this.#underWay.set(name, place)
    this.comeUp(name)
  }

  #next(): string | undefined {
    this.#sort()
    for (const group of GROUPS) {
      const [name] = this.#waiting[group].keys()
      if (name === undefined) continue
      this.#waiting[group].delete(name)
      return name
    }
    return undefined
  }

  #put(group: Group, instance: Instance): void {
    this.#waiting[group].set(instance.metadata.name, instance)
    if (group !== 'hurried') this.#sorted = false
  }

  #take(name: string): Instance | undefined {
    for (const group of GROUPS) {
      const instance = this.#waiting[group].get(name)
      if (this.#waiting[group].delete(name)) return instance
    }
    return undefined
  }

  /** Who is hurried is served in the order of asking, all others by age. */
  #sort(): void {
    if (this.#sorted) return
    this.#sorted = true
    for (const group of ['ordinary', 'broken'] as const) {
      const byAge = [...this.#waiting[group].values()].sort((a, b) => (isFirstClaim(a, b) ? -1 : 1))
      this.#waiting[group] = new Map(byAge.map(instance => [instance.metadata.name, instance]))
    }
  }
}

/** What stands in the way of an instance while it is not reached. */
const reaching: ReadonlySet<string> = new Set(['CredentialsResolved', 'ControlPlaneHealthy'])

function groupOf(instance: Instance): Group {
  if (instance.metadata.deletionTimestamp !== undefined) return 'hurried'
  const wasBroken = recordedConditions(instance).some(
    ({ type, status }) => reaching.has(type) && status === 'False',
  )
  return wasBroken ? 'broken' : 'ordinary'
}
