/** What can be made to go wrong with an index. */
export type IndexFault =
  /** Takes nothing in any more, and claims to be well: of one cluster, or of all. Undone, it catches up in order. */
  { readonly kind: 'standStill'; readonly cluster?: string }

/** Things that go wrong with the index on purpose, for tests. */
export class IndexFaults {
  readonly #active = new Set<IndexFault>()
  #heldBack: { readonly cluster: string; readonly takeIn: () => void }[] = []

  /** @returns undoes it */
  start(fault: IndexFault): () => void {
    this.#active.add(fault)
    return () => {
      this.#active.delete(fault)
      this.#release()
    }
  }

  /** Whether what just came of a cluster has to wait; then `takeIn` is called when that is over, in order of arrival. */
  holdsBack(cluster: string, takeIn: () => void): boolean {
    if (!this.#standsStill(cluster)) return false
    this.#heldBack.push({ cluster, takeIn })
    return true
  }

  #standsStill(cluster: string): boolean {
    if (this.#active.size === 0) return false
    return [...this.#active].some(fault => fault.cluster === undefined || fault.cluster === cluster)
  }

  #release(): void {
    const moving = this.#heldBack.filter(({ cluster }) => !this.#standsStill(cluster))
    this.#heldBack = this.#heldBack.filter(({ cluster }) => this.#standsStill(cluster))
    for (const { takeIn } of moving) takeIn()
  }
}
