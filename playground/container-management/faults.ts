/** What can be made to go wrong with an index. */
export type IndexFault = Stall | LostObjects

/** Takes in nothing any more and claims to be well: of one cluster, or of all. Undone, it catches up in order. */
export interface Stall {
  readonly kind: 'stall'
  readonly cluster?: string
}

/**
 * Deletes the objects of a type and goes on saying `Syncing` of the type and `Ready` of the cluster. Undone, it reads them
 * again. Clusterpedia does this while an APIService of the cluster is not Available, and for a moment after that, while it
 * stores the objects again one by one (`keep`).
 */
export interface LostObjects {
  readonly kind: 'loseObjects'
  readonly cluster: string
  readonly group: string
  readonly resource: string
  /** How many objects stay; none by default. */
  readonly keep?: number
}

/** Clusters that stall on purpose, for tests. */
export class Stalls {
  readonly #active = new Set<Stall>()
  #heldBack: { readonly cluster: string; readonly takeIn: () => void }[] = []

  /** @returns undoes it */
  start(fault: Stall): () => void {
    this.#active.add(fault)
    return () => {
      this.#active.delete(fault)
      this.#release()
    }
  }

  /** Whether what just came from a cluster has to wait; then `takeIn` is called when that is over, in order of arrival. */
  holdsBack(cluster: string, takeIn: () => void): boolean {
    if (!this.#isStalled(cluster)) return false
    this.#heldBack.push({ cluster, takeIn })
    return true
  }

  #isStalled(cluster: string): boolean {
    if (this.#active.size === 0) return false
    return [...this.#active].some(fault => fault.cluster === undefined || fault.cluster === cluster)
  }

  #release(): void {
    const moving = this.#heldBack.filter(({ cluster }) => !this.#isStalled(cluster))
    this.#heldBack = this.#heldBack.filter(({ cluster }) => this.#isStalled(cluster))
    for (const { takeIn } of moving) takeIn()
  }
}
