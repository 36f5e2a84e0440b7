import { type Entry, newEntry, typeKey, type WrittenType } from './expected-write.js'

/** When the last of some writes ended, and until when it may still be executed. */
export interface LastWrite {
  readonly sequence: number
  readonly since: number
  readonly notBefore: number
}

/** Nothing was written. */
export const NO_WRITE: LastWrite = { sequence: 0, since: 0, notBefore: 0 }

/** The later of two in each respect. */
export const latest = (one: LastWrite, other: LastWrite): LastWrite => ({
  sequence: Math.max(one.sequence, other.sequence),
  since: Math.max(one.since, other.since),
  notBefore: Math.max(one.notBefore, other.notBefore),
})

/** Types that are recorded as checked; beyond that, the one checked least recently is checked again. */
const MOST_TYPES = 128

/**
 * Writes of which is known only when the last of them ended: on whatever objects, of whatever types. A read of each type has
 * to find out once that the index shows them. A later write does not undo what was found out, unless it ended later.
 */
export class UnknownWrites {
  #last = NO_WRITE
  readonly #byType = new Map<string, Entry>()

  /** @param namespace where they were; '' for anywhere */
  constructor(readonly namespace = '') {}

  get last(): LastWrite {
    return this.#last
  }

  /** Grows with the last write: what was found out meanwhile does not hold. */
  get sequence(): number {
    return this.#last.sequence
  }

  add(write: LastWrite): void {
    this.#last = latest(this.#last, write)
  }

  /** What is expected of a type; undefined once the index has shown it. */
  expected(type: WrittenType): Entry | undefined {
    const key = typeKey(type)
    const entry = this.#byType.get(key) ?? newEntry({ namespace: this.namespace }, this)
    this.#byType.delete(key)
    this.#byType.set(key, entry)
    const [oldest] = this.#byType.keys()
    if (this.#byType.size > MOST_TYPES && oldest !== undefined) this.#byType.delete(oldest)
    const { sequence, since, notBefore } = this.#last
    const isChecked =
      entry.minimumVersion !== undefined && entry.checkedAt >= sequence && entry.since >= notBefore
    if (!isChecked) {
      entry.minimumVersion = undefined
      entry.expected = { kind: 'unknown' }
      entry.since = since
      entry.notBefore = notBefore
    }
    return entry.expected && entry
  }

  /** What the index has shown of a type. */
  minimumVersion(type: WrittenType): string | undefined {
    return this.#byType.get(typeKey(type))?.minimumVersion
  }

  remove(): void {
    // That it was seen stays remembered.
  }
}
