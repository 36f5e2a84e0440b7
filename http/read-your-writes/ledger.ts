/** Who wrote or reads, and where. */
export interface Party {
  /** The instance's uid. */
  readonly instance: string
  readonly user: string
}

/** A type of objects; its versions show the same objects. */
export interface WrittenType {
  readonly group: string
  readonly resource: string
}

/** Remembers which types were written through this replica, by whom. */
export class WriteLedger {
  readonly #written = new Set<string>()

  begin(party: Party, type: WrittenType): void {
    this.#written.add(keyOf(party, type))
  }

  mayMiss(party: Party, type: WrittenType): boolean {
    return this.#written.has(keyOf(party, type))
  }
}

const keyOf = ({ instance, user }: Party, { group, resource }: WrittenType): string =>
  JSON.stringify([instance, user, group, resource])
