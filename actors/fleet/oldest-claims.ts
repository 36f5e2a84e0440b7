import type { Instance } from '../../manifests/instance.js'

/** Whether `a` comes before `b`: the older CR, and of two of the same second the one whose name sorts first. */
export const isFirstClaim = (a: Instance, b: Instance): boolean => {
  const [first, second] = [a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? '']
  return first === second ? a.metadata.name < b.metadata.name : first < second
}

/**
 * Instances of which the oldest is asked for, again and again while they come and go: a binary heap. What was deleted stays in it until it would
 * be the oldest, so that every operation takes logarithmic time: instances come up oldest first, and ten thousand of them would else be
 * compared ten thousand times.
 */
export class OldestClaims {
  /** By name, as last set. */
  readonly #present = new Map<string, Instance>()
  readonly #heap: Instance[] = []

  get oldest(): Instance | undefined {
    for (let [first] = this.#heap; first; [first] = this.#heap) {
      if (this.#present.get(first.metadata.name) === first) return first
      this.#removeFirst()
    }
    return undefined
  }

  has(name: string): boolean {
    return this.#present.has(name)
  }

  set(instance: Instance): void {
    const { name } = instance.metadata
    if (this.#present.get(name) === instance) return
    this.#present.set(name, instance)
    this.#heap.push(instance)
    this.#rise(this.#heap.length - 1)
    // Each new version of an Instance is another entry; those that it replaced are dropped once they are most of the heap.
    if (this.#heap.length > 2 * this.#present.size + 64) this.#rebuild()
  }

  /** @returns whether it was there */
  delete(name: string): boolean {
    return this.#present.delete(name)
  }

  #rebuild(): void {
    this.#heap.length = 0
    this.#heap.push(...[...this.#present.values()].sort((a, b) => (isFirstClaim(a, b) ? -1 : 1)))
  }

  #removeFirst(): void {
    const last = this.#heap.pop()
    if (last === undefined || this.#heap.length === 0) return
    this.#heap[0] = last
    this.#sink(0)
  }

  #rise(from: number): void {
    for (let at = from; at > 0; ) {
      const parent = (at - 1) >> 1
      if (!this.#swapIfBefore(at, parent)) return
      at = parent
    }
  }

  #sink(from: number): void {
    for (let at = from; ; ) {
      const [left, right] = [2 * at + 1, 2 * at + 2]
      const child = this.#isBefore(right, left) ? right : left
      if (!this.#swapIfBefore(child, at)) return
      at = child
    }
  }

  #isBefore(a: number, b: number): boolean {
    const [one, other] = [this.#heap[a], this.#heap[b]]
    return one !== undefined && other !== undefined && isFirstClaim(one, other)
  }

  #swapIfBefore(child: number, parent: number): boolean {
    const [one, other] = [this.#heap[child], this.#heap[parent]]
    if (!one || !other || !isFirstClaim(one, other)) return false
    this.#heap[child] = other
    this.#heap[parent] = one
    return true
  }
}
