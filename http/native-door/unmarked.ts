const COMMA = 44
const OPEN = 123
const CLOSE = 125
const NEWLINE = 10
const ANNOTATIONS = Buffer.from('"annotations":{')

/**
 * Takes the annotation that an index adds out of JSON as it passes, so that nobody writes it back into the instance; where
 * it was the only one, the annotations with it. Compact JSON with the mark as it was declared, which API servers in Go
 * and our engine write; within a string its quotes would be escaped, so the mark is found only as a key and its value.
 */
export class Unmarked {
  readonly #mark: Buffer
  /** So many bytes are held back until more come: a mark may begin in them, and what surrounds it decides. */
  readonly #held: number
  #rest: Buffer = Buffer.alloc(0)

  constructor(mark: string) {
    this.#mark = Buffer.from(mark)
    this.#held = this.#mark.length + ANNOTATIONS.length + 3
  }

  /** What can go on. A line's end lets everything go: marks do not span events of a watch. */
  push(chunk: Uint8Array): Buffer {
    const whole = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : asBuffer(chunk)
    const until = whole.at(-1) === NEWLINE ? whole.length : Math.max(0, whole.length - this.#held)
    return this.#clean(whole, until)
  }

  /** What was held back. */
  end(): Buffer {
    return this.#clean(this.#rest, this.#rest.length)
  }

  /** Cleans everything before `until`, a little more where a mark lies across it, and keeps the rest. */
  #clean(whole: Buffer, until: number): Buffer {
    const pieces: Buffer[] = []
    let done = 0
    for (let at = whole.indexOf(this.#mark); at >= 0; at = whole.indexOf(this.#mark, done)) {
      // What follows the mark must be there to decide; at a real end there is nothing more to come.
      if (until < whole.length && at + this.#mark.length + 2 > whole.length) break
      const [from, to] = this.#cut(whole, at)
      pieces.push(whole.subarray(done, from))
      done = to
    }
    const end = Math.max(until, done)
    if (end > done) pieces.push(whole.subarray(done, end))
    this.#rest = whole.subarray(end)
    return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces)
  }

  /** What goes with the mark: a comma, or annotations that would be left empty. */
  #cut(whole: Buffer, at: number): readonly [from: number, to: number] {
    const after = at + this.#mark.length
    if (whole[at - 1] === COMMA) return [at - 1, after]
    if (whole[after] === COMMA) return [at, after + 1]
    const opening = at - ANNOTATIONS.length
    const alone =
      whole[at - 1] === OPEN &&
      whole[after] === CLOSE &&
      opening >= 0 &&
      ANNOTATIONS.equals(whole.subarray(opening, at))
    if (!alone) return [at, after]
    if (whole[opening - 1] === COMMA) return [opening - 1, after + 1]
    return whole[after + 1] === COMMA ? [opening, after + 2] : [opening, after + 1]
  }
}

const asBuffer = (chunk: Uint8Array): Buffer =>
  Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
