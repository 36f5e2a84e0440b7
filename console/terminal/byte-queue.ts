/** Bytes in the pieces that they came in, the oldest first. */
export class ByteQueue {
  #pieces: Uint8Array[] = []
  /** Of `#pieces`: those before it were taken. */
  #first = 0
  length = 0

  add(bytes: Uint8Array): void {
    this.#pieces.push(bytes)
    this.length += bytes.length
  }

  /** The oldest, at most so many; undefined where there are none. */
  take(most: number): Uint8Array | undefined {
    if (this.length === 0) return undefined
    const taken = new Uint8Array(Math.min(most, this.length))
    for (let at = 0; at < taken.length; ) at += this.#move(taken.subarray(at))
    return taken
  }

  /** Drops the oldest pieces that have so many bytes together, or all. @returns how many bytes they had */
  drop(bytes: number): number {
    const before = this.length
    while (before - this.length < bytes && this.length > 0)
      this.#leave(this.#pieces[this.#first]?.length ?? 0)
    return before - this.length
  }

  /** Fills `into` from the oldest piece. @returns how many bytes */
  #move(into: Uint8Array): number {
    const piece = this.#pieces[this.#first]?.subarray(0, into.length) ?? new Uint8Array()
    into.set(piece)
    this.#leave(piece.length)
    return piece.length
  }

  /** Leaves so many bytes of the oldest piece. */
  #leave(bytes: number): void {
    const rest = this.#pieces[this.#first]?.subarray(bytes)
    this.length -= bytes
    if (rest && rest.length > 0) {
      this.#pieces[this.#first] = rest
      return
    }
    this.#first += 1
    // Moving all pieces for each that is taken would cost more than those that are kept a while longer.
    if (this.#first <= this.#pieces.length / 2) return
    this.#pieces = this.#pieces.slice(this.#first)
    this.#first = 0
  }
}
