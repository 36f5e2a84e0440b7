import { type Due, type Entry, entryOf, type Party, partyKey, typeKey, type WrittenType } from './due.js'

/** Callers of an instance that are remembered; of more, who was here least recently comes anew. */
const MOST = 5_000
/** Who has not read here for so long may have written elsewhere meanwhile, milliseconds. */
const AWAY_MS = 3_600_000

interface Arrival {
  seen: number
  readonly byType: Map<string, Entry>
}

/**
 * Remembers which callers have come to this replica, and since when. What they wrote before that, through another replica or
 * one that ended, nobody here knows: anything may be due of each type, until an index was seen to show all there was then.
 */
export class Arrivals {
  readonly #known = new Map<string, Arrival>()

  /** @param now milliseconds of a clock that only goes forward */
  constructor(
    readonly now: () => number,
    private readonly most = MOST,
  ) {}

  /** What a caller may have written elsewhere; undefined once that was seen. */
  due(party: Party, type: WrittenType): Due | undefined {
    const { byType } = this.#arrivalOf(partyKey(party))
    const found = byType.get(typeKey(type))
    if (found) return found.expected && found
    const entry = entryOf({ entries: new Map(), highest: undefined }, { namespace: '' })
    Object.assign(entry, { expected: { kind: 'unknown' }, since: this.now(), elsewhere: true })
    byType.set(typeKey(type), entry)
    return entry
  }

  #arrivalOf(key: string): Arrival {
    const now = this.now()
    const before = this.#known.get(key)
    const isHere = before !== undefined && now - before.seen < AWAY_MS
    const arrival = isHere ? before : { seen: now, byType: new Map<string, Entry>() }
    arrival.seen = now
    this.#known.delete(key)
    this.#known.set(key, arrival)
    const [oldest] = this.#known.keys()
    if (this.#known.size > this.most && oldest !== undefined) this.#known.delete(oldest)
    return arrival
  }
}
