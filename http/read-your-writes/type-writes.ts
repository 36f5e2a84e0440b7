import { later } from './expectation.js'
import { type Entry, newEntry, type Scope, scopeKey } from './expected-write.js'

/** What one caller wrote of one type. */
export class TypeWrites {
  readonly entries = new Map<string, Entry>()
  /** Writes under way. */
  underWay = 0
  /** The last version that is known to be written, seen or not. */
  highest: string | undefined
  /** Of entries in a type, only each one's own sequence counts. */
  readonly sequence = 0

  /** @param resized called with the number of entries added, or removed (negative) */
  constructor(
    readonly key: string,
    private readonly resized: (by: number) => void,
  ) {}

  /** Nothing is worth remembering. */
  get isEmpty(): boolean {
    return this.entries.size === 0 && this.highest === undefined && this.underWay === 0
  }

  /** What is expected of one object, or of all in a namespace; begun if need be. */
  entryOf(scope: Scope): Entry {
    const key = scopeKey(scope)
    const found = this.entries.get(key)
    if (found) return found
    const entry = newEntry(scope, this)
    this.entries.set(key, entry)
    this.resized(1)
    return entry
  }

  remove(entry: Entry): void {
    if (this.entries.get(scopeKey(entry)) !== entry) return
    this.entries.delete(scopeKey(entry))
    this.resized(-1)
  }

  /** With more entries than this, all are made one of all objects of the type. Returns that one if it changed. */
  merge(most: number): Entry | undefined {
    if (this.entries.size < most + this.underWay) return undefined
    const merged = [...this.entries.values()].filter(
      ({ namespace, name, underWay }) => (namespace !== '' || name !== undefined) && underWay === 0,
    )
    if (merged.length <= most) return undefined
    const all = this.entryOf({ namespace: '' })
    const versions = merged.map(({ expected, minimumVersion }) =>
      expected?.kind === 'present' ? expected.resourceVersion : minimumVersion,
    )
    const isKnown =
      versions.every(version => version !== undefined) &&
      (all.expected === undefined || all.minimumVersion !== undefined)
    all.minimumVersion = isKnown ? versions.reduce(later, all.minimumVersion) : undefined
    all.notBefore = Math.max(all.notBefore, ...merged.map(({ notBefore }) => notBefore))
    for (const entry of merged) this.remove(entry)
    return all
  }
}
