import {
  type Entry,
  type ExpectedWrite,
  type InstanceCaller,
  newEntry,
  typeKey,
  type WrittenType,
} from './expected-write.js'

/** Callers of an instance that are remembered; beyond that, the one that read least recently counts as new again. */
const MOST = 5_000
/** A caller who has not read here for so long may have written elsewhere meanwhile, milliseconds. */
const AWAY_MS = 3_600_000

interface Arrival {
  lastRead: number
  readonly byType: Map<string, Entry>
}

/**
 * Remembers which callers have come to this replica, and since when. What they wrote before that, through another replica or
 * one that ended, is not known here: of each type they may have written anything, until an index has shown all there was then.
 */
export class Arrivals {
  readonly #known = new Map<string, Arrival>()

  /** @param now milliseconds of a clock that only goes forward */
  constructor(
    readonly now: () => number,
    private readonly most = MOST,
  ) {}

  /** What a caller may have written elsewhere; undefined once the index has shown it. */
  expected(caller: InstanceCaller, type: WrittenType): ExpectedWrite | undefined {
    const { byType } = this.#arrivalOf(JSON.stringify([caller.instance, caller.user]))
    const found = byType.get(typeKey(type))
    if (found) return found.expected && found
    const entry: Entry = {
      ...newEntry({ namespace: '' }),
      expected: { kind: 'unknown' },
      since: this.now(),
      elsewhere: true,
    }
    byType.set(typeKey(type), entry)
    return entry
  }

  #arrivalOf(key: string): Arrival {
    const now = this.now()
    const before = this.#known.get(key)
    const isHere = before !== undefined && now - before.lastRead < AWAY_MS
    const arrival = isHere ? before : { lastRead: now, byType: new Map<string, Entry>() }
    arrival.lastRead = now
    this.#known.delete(key)
    this.#known.set(key, arrival)
    const [oldest] = this.#known.keys()
    if (this.#known.size > this.most && oldest !== undefined) this.#known.delete(oldest)
    return arrival
  }
}
