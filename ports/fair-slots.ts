/** Who wants a slot, and what for. */
export interface SlotOwner {
  /** Those of one caller take turns with all other callers. */
  readonly caller: string
  /** What the work depends on, such as an instance: one that is slow must not hold all slots. */
  readonly instance: string
}

/** A slot, or the wait for one. */
export interface Slot {
  /** Gives the slot back, or ends the wait for it. Idempotent. */
  release(): void
}

interface Waiting {
  readonly owner: SlotOwner
  readonly granted: () => void
}

/**
 * A number of slots that callers take in turn. One caller, and one instance, has half of them at most, and always one. A caller who
 * had a slot goes behind those who wait, so that many requests of one do not delay another's; requests of one caller are served in
 * their order. No caller waits for ever as long as slots are given back.
 */
export class FairSlots {
  /** The slots that one caller, or one instance, may have. */
  readonly share: number
  readonly #held = { caller: new Map<string, number>(), instance: new Map<string, number>() }
  /** Who waits, by caller; whose turn is next comes first. */
  readonly #turns = new Map<string, Waiting[]>()
  #free: number

  constructor(readonly most: number) {
    this.#free = most
    this.share = Math.max(1, Math.floor(most / 2))
  }

  /** How many are taken, and how many requests wait. */
  get load(): { readonly taken: number; readonly waiting: number } {
    let waiting = 0
    for (const queue of this.#turns.values()) waiting += queue.length
    return { taken: this.most - this.#free, waiting }
  }

  /** @param granted called once when the slot is there, at once where one is free; never after `release` */
  take(owner: SlotOwner, granted: () => void): Slot {
    let isHeld = false
    const waiting: Waiting = {
      owner,
      granted: () => {
        isHeld = true
        granted()
      },
    }
    const queue = this.#turns.get(owner.caller)
    if (queue) queue.push(waiting)
    else this.#turns.set(owner.caller, [waiting])
    this.#serve()
    let isReleased = false
    return {
      release: () => {
        if (isReleased) return
        isReleased = true
        if (isHeld) this.#giveBack(owner)
        else this.#leave(waiting)
        this.#serve()
      },
    }
  }

  #serve(): void {
    for (let next = this.#next(); next; next = this.#next()) {
      const { owner, granted } = next
      this.#leave(next)
      const others = this.#turns.get(owner.caller)
      if (others) {
        this.#turns.delete(owner.caller)
        this.#turns.set(owner.caller, others)
      }
      this.#free -= 1
      add(this.#held.caller, owner.caller, 1)
      add(this.#held.instance, owner.instance, 1)
      granted()
    }
  }

  /** The first in turn that may have a slot now. */
  #next(): Waiting | undefined {
    if (this.#free === 0) return undefined
    for (const [caller, [first]] of this.#turns)
      if (
        first &&
        this.#has(this.#held.caller, caller) &&
        this.#has(this.#held.instance, first.owner.instance)
      )
        return first
    return undefined
  }

  #has(held: ReadonlyMap<string, number>, name: string): boolean {
    return (held.get(name) ?? 0) < this.share
  }

  #leave(waiting: Waiting): void {
    const { caller } = waiting.owner
    const left = (this.#turns.get(caller) ?? []).filter(one => one !== waiting)
    if (left.length > 0) this.#turns.set(caller, left)
    else this.#turns.delete(caller)
  }

  #giveBack({ caller, instance }: SlotOwner): void {
    this.#free += 1
    add(this.#held.caller, caller, -1)
    add(this.#held.instance, instance, -1)
  }
}

function add(held: Map<string, number>, name: string, by: number): void {
  const now = (held.get(name) ?? 0) + by
  if (now > 0) held.set(name, now)
  else held.delete(name)
}
