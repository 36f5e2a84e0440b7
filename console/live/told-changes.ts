/**
 * What the stream of a long list has told of rows that are shown or on their way. Pages may come from an index, which is behind what the stream tells.
 */
export class ToldChanges {
  /** Versions by the keys of rows; undefined for one that was deleted. */
  readonly #told = new Map<string, string | undefined>()
  /** Readings one after the other that were older. */
  #behind = 0

  note(key: string, version: string | undefined): void {
    this.#told.set(key, version)
  }

  /** Forgets what is of no other rows than those. */
  keep(isWanted: (key: string) => boolean): void {
    for (const key of this.#told.keys()) if (!isWanted(key)) this.#told.delete(key)
  }

  clear(): void {
    this.#told.clear()
  }

  /**
   * How many readings in a row were older than what was told, this one of some rows included. A row whose version is unknown counts as older once.
   * @param versionOf of a row; undefined where rows do not show it
   */
  behind<T>(
    rows: readonly T[],
    keyOf: (row: T) => string,
    versionOf: (row: T) => string | undefined,
  ): number {
    const older = rows.filter(row => this.#isBehind(keyOf(row), versionOf(row)))
    this.#behind = older.length > 0 ? this.#behind + 1 : 0
    return this.#behind
  }

  #isBehind(key: string, version: string | undefined): boolean {
    if (!this.#told.has(key)) return false
    const told = this.#told.get(key)
    const isOlder = told === undefined || !version || isOlderVersion(version, told)
    if (!isOlder || !version) this.#told.delete(key)
    return isOlder
  }
}

/** Kubernetes' versions are decimal numbers that JavaScript's do not hold. */
const isOlderVersion = (one: string, other: string): boolean =>
  one.length === other.length ? one < other : one.length < other.length
