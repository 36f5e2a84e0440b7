/**
 * The most bytes of streams that all pages of one caller may leave untaken. They are counted before they are put into frames, which take up to twice
 * as much. A larger single piece is sent alone.
 */
export const MOST_UNTAKEN = 16 << 20

/** A piece that waits for room. */
interface Waiting {
  readonly bytes: number
  readonly go: () => void
}

/** The untaken bytes of one caller. */
interface CallerBytes {
  bytes: number
  /** Waiting pieces, in their order. */
  readonly waiting: Set<Waiting>
}

/**
 * Bounds the memory that the server holds for pages that take nothing: a caller may have several pages with many streams, and each stream may send an
 * object of a megabyte. Pieces beyond the limit wait at their source. Other callers are not affected.
 */
export class UntakenBytes {
  readonly #callers = new Map<string, CallerBytes>()

  constructor(private readonly most = MOST_UNTAKEN) {}

  /**
   * Resolves when a piece may be sent.
   * @returns a function that reports that it was taken; it may be called twice
   * @throws the reason of the signal, where it aborts before
   */
  async take(caller: string, bytes: number, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    const held = this.#callers.get(caller) ?? { bytes: 0, waiting: new Set() }
    this.#callers.set(caller, held)
    if (held.waiting.size > 0 || !this.#hasRoom(held, bytes)) await this.#waitForRoom(held, bytes, signal)
    else held.bytes += bytes
    let isTaken = false
    return () => {
      if (isTaken) return
      isTaken = true
      held.bytes -= bytes
      this.#releaseWaiting(held)
      if (held.bytes === 0 && held.waiting.size === 0) this.#callers.delete(caller)
    }
  }

  #waitForRoom(held: CallerBytes, bytes: number, signal: AbortSignal): Promise<void> {
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
        this.#releaseWaiting(held)
      }
      signal.addEventListener('abort', leave, { once: true })
      held.waiting.add(one)
    })
  }

  #releaseWaiting(held: CallerBytes): void {
    for (const one of held.waiting) {
      if (!this.#hasRoom(held, one.bytes)) return
      held.waiting.delete(one)
      held.bytes += one.bytes
      one.go()
    }
  }

  #hasRoom(held: CallerBytes, bytes: number): boolean {
    return held.bytes === 0 || held.bytes + bytes <= this.most
  }
}
