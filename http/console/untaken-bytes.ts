/**
 * Bytes of streams that all pages of one caller may have untaken at once, before they are put into frames, which take up to twice as much. One piece
 * larger than that goes alone.
 */
export const MOST_UNTAKEN = 16 << 20

/** One piece that waits for its turn. */
interface Waiting {
  readonly bytes: number
  readonly go: () => void
}

/** What the pages of one caller have not taken. */
interface Held {
  bytes: number
  /** In the order in which they came. */
  readonly waiting: Set<Waiting>
}

/**
 * Bounds what the server holds for pages that take nothing: a caller has several pages of many streams, and each may be about to send an object of a
 * megabyte. Pieces beyond the bound wait where they are. Other callers are not affected.
 */
export class UntakenBytes {
  readonly #held = new Map<string, Held>()

  constructor(private readonly most = MOST_UNTAKEN) {}

  /**
   * Resolves when a piece may be sent.
   * @returns what says that it was taken (idempotent)
   * @throws the reason of the signal, where it aborts before
   */
  async take(caller: string, bytes: number, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    const held = this.#held.get(caller) ?? { bytes: 0, waiting: new Set() }
    this.#held.set(caller, held)
    if (held.waiting.size > 0 || !this.#hasRoom(held, bytes)) await this.#turn(held, bytes, signal)
    else held.bytes += bytes
    let isTaken = false
    return () => {
      if (isTaken) return
      isTaken = true
      held.bytes -= bytes
      this.#letOthersGo(held)
      if (held.bytes === 0 && held.waiting.size === 0) this.#held.delete(caller)
    }
  }

  #turn(held: Held, bytes: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const one = {
        bytes,
        go: () => {
          signal.removeEventListener('abort', leave)
          resolve()
        },
      }
      const leave = () => {
        held.waiting.delete(one)
        reject(signal.reason)
        this.#letOthersGo(held)
      }
      signal.addEventListener('abort', leave, { once: true })
      held.waiting.add(one)
    })
  }

  #letOthersGo(held: Held): void {
    for (const one of held.waiting) {
      if (!this.#hasRoom(held, one.bytes)) return
      held.waiting.delete(one)
      held.bytes += one.bytes
      one.go()
    }
  }

  #hasRoom(held: Held, bytes: number): boolean {
    return held.bytes === 0 || held.bytes + bytes <= this.most
  }
}
