import { randomBytes } from 'node:crypto'
import { orAborted } from '../../ports/cancellation.js'
import type { RecentEvent } from './recent-event.js'

/** An event with its place among all. */
export interface PlacedEvent {
  /**
   * Microseconds since 1970, later than those of all events before: it orders events of the same millisecond. A number that counted
   * events would tell each reader how many there are that it may not see.
   */
  readonly place: number
  readonly event: RecentEvent
  /** The instance that the event is of had its name when the event was kept. */
  readonly wasInstance: boolean
}

/** What is kept of the past. */
export interface RecentEventsOptions {
  /** How many events. */
  readonly most: number
  /** Whether an instance of this name is there now. */
  readonly isInstance: (name: string) => boolean
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

/** Events are kept for a day. */
const KEPT_MS = 24 * 60 * 60 * 1_000
/** What all events may take, in characters: paths and names are the callers', and a few long ones must not take the memory of many. */
const MOST_CHARACTERS = 16 * 2 ** 20

/** What the events of one user take. */
interface Share {
  count: number
  characters: number
}

/**
 * The audit events of the last hours, in memory. Where there are too many, the oldest of the user with most goes first, and where they take too much
 * memory that of the user who takes most: one caller who is refused again and again, with long names or short ones, cannot make what the others did be
 * forgotten.
 */
export class RecentEvents {
  /** Distinguishes the places of this process from those of another. */
  readonly epoch = randomBytes(6).toString('hex')
  readonly #events: (PlacedEvent & { readonly characters: number })[] = []
  readonly #shares = new Map<string, Share>()
  readonly #now: () => number
  #characters = 0
  #forgotten: number
  /** Of the last event. */
  #last: number
  /** The last that was given, to an event or to a reader. */
  #given: number
  #wake: () => void = () => undefined
  #changed = this.#nextChange()

  constructor(private readonly options: RecentEventsOptions) {
    this.#now = options.now ?? Date.now
    this.#given = this.#last = this.#forgotten = Math.floor(this.#now() * 1_000)
  }

  /** Every event after this place is kept. */
  get forgotten(): number {
    this.#forgetOld()
    return this.#forgotten
  }

  /** Keeps an event. */
  keep(event: RecentEvent): void {
    const text = JSON.stringify(event)
    const place = Math.max(this.#given + 1, Math.floor(event.endedAt * 1_000))
    this.#given = this.#last = place
    const wasInstance = this.options.isInstance(event.instance)
    // Read back: a name that was cut out of a path would keep the whole path in memory.
    this.#events.push({
      ...{ place, wasInstance },
      ...{ event: JSON.parse(text) as RecentEvent, characters: text.length },
    })
    this.#characters += text.length
    const share = this.#shares.get(event.user) ?? { count: 0, characters: 0 }
    share.count += 1
    share.characters += text.length
    this.#shares.set(event.user, share)
    this.#forgetOld()
    while (this.#events.length > this.options.most) this.#forgetOne('count')
    while (this.#characters > MOST_CHARACTERS) this.#forgetOne('characters')
    const wake = this.#wake
    this.#changed = this.#nextChange()
    wake()
  }

  /** The first of those after a place, the oldest first. */
  after(place: number, most = this.options.most): readonly PlacedEvent[] {
    this.#forgetOld()
    let [low, high] = [0, this.#events.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#events[middle]?.place ?? 0) > place) high = middle
      else low = middle + 1
    }
    return this.#events.slice(low, low + most)
  }

  /**
   * A place that all events so far are before and all later ones are after. It says what time it is: the place of the last event would tell a
   * reader when the last of those ended that it may not see.
   */
  passed(): number {
    this.#given = Math.max(this.#given, Math.floor(this.#now()) * 1_000 + 999)
    return this.#given
  }

  /**
   * The instance that an event is of: one that is there, or was when the event was kept. Empty for none, and for a name that is no instance's:
   * callers invent those, and a review of rights on each would make the events of one caller cost all who read them.
   */
  instanceOf({ event, wasInstance }: PlacedEvent): string {
    return wasInstance || this.options.isInstance(event.instance) ? event.instance : ''
  }

  /** Resolves when there is an event after a place. @throws the signal's reason */
  async untilAfter(place: number, signal: AbortSignal): Promise<void> {
    while (this.#last <= place) await orAborted(this.#changed, signal)
  }

  #forgetOld(): void {
    const before = this.#now() - KEPT_MS
    while ((this.#events[0]?.event.endedAt ?? before) < before) this.#forget(0)
  }

  /** Forgets the oldest event of the user who has most of what there is too much of. */
  #forgetOne(of: keyof Share): void {
    let [most, largest] = ['', 0]
    for (const [user, { [of]: own }] of this.#shares) if (own > largest) [most, largest] = [user, own]
    this.#forget(this.#events.findIndex(({ event }) => event.user === most))
  }

  #forget(index: number): void {
    // The oldest is most often the one, and taking the first out of thousands moves none of the others.
    const taken = index === 0 ? this.#events.shift() : this.#events.splice(index, 1)[0]
    if (!taken) return
    const { place, event, characters } = taken
    this.#forgotten = Math.max(this.#forgotten, place)
    this.#characters -= characters
    const share = this.#shares.get(event.user)
    if (!share) return
    share.count -= 1
    share.characters -= characters
    if (share.count === 0) this.#shares.delete(event.user)
  }

  #nextChange(): Promise<void> {
    return new Promise(resolve => {
      this.#wake = resolve
    })
  }
}
