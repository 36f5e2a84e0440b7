import type { Bounds } from './in-turns.js'

/**
 * Lets a few places be read at once, and of one instance fewer, so that its places cannot keep the others waiting. The place that has waited
 * longest is next, except where its instance has as many under way as it may.
 */
export class PlaceGate {
  readonly #waiting = new Set<Waiter>()
  readonly #underWay = new Map<string, number>()
  #all = 0

  constructor(readonly bounds: Bounds) {}

  /** Resolves with what gives the turn back (idempotent). @throws the signal's reason */
  enter(instance: string, signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason)
      const onAbort = () => {
        this.#waiting.delete(waiter)
        reject(signal.reason)
      }
      const waiter: Waiter = {
        instance,
        grant: () => {
          signal.removeEventListener('abort', onAbort)
          resolve(this.#taken(instance))
        },
      }
      signal.addEventListener('abort', onAbort, { once: true })
      this.#waiting.add(waiter)
      this.#next()
    })
  }

  #taken(instance: string): () => void {
    this.#count(instance, 1)
    let given = false
    return () => {
      if (given) return
      given = true
      this.#count(instance, -1)
      this.#next()
    }
  }

  #count(instance: string, more: number): void {
    this.#all += more
    const held = (this.#underWay.get(instance) ?? 0) + more
    if (held > 0) this.#underWay.set(instance, held)
    else this.#underWay.delete(instance)
  }

  #next(): void {
    const { atOnce, ofOne } = this.bounds
    for (const waiter of this.#waiting) {
      if (this.#all >= atOnce) return
      if ((this.#underWay.get(waiter.instance) ?? 0) >= ofOne) continue
      this.#waiting.delete(waiter)
      waiter.grant()
    }
  }
}

interface Waiter {
  readonly instance: string
  readonly grant: () => void
}
