const COMMA = 44
const OPEN = 123
const CLOSE = 125
const NEWLINE = 10
const ANNOTATIONS = Buffer.from('"annotations":{')
const NOTHING = Buffer.alloc(0)

/**
 * Takes the annotation that an index adds out of JSON as it passes, so that it is not written back into the instance; where
 * it was the only one, the annotations with it. Compact JSON with the mark as it was declared, which API servers in Go
 * and our engine write; within a string its quotes would be escaped, so the mark is found only as a key and its value.
 */
export class MarkRemover {
  readonly #mark: Buffer
  /** The mark from its first byte on that JSON has few of: looking for the whole of it looks at each quote there is. */
  readonly #rare: Buffer
  /** What is before that. */
  readonly #before: Buffer
  /** So many bytes are held back until more come: a mark may begin in them, and what surrounds it decides. */
  readonly #held: number
  #rest: Buffer = NOTHING

  constructor(mark: string) {
    this.#mark = Buffer.from(mark)
    const rare = Math.max(0, this.#mark.indexOf('/'))
    this.#before = this.#mark.subarray(0, rare)
    this.#rare = this.#mark.subarray(rare)
    this.#held = this.#mark.length + ANNOTATIONS.length + 3
  }

  /** What can go on. A line's end lets everything go: marks do not span events of a watch. */
  push(chunk: Uint8Array): Buffer {
    // A copy, in which what stays can move up: a piece of its own for each object was measured at twice the CPU.
    const whole = Buffer.concat([this.#rest, chunk])
    const until = whole.at(-1) === NEWLINE ? whole.length : Math.max(0, whole.length - this.#held)
    return this.#clean(whole, until)
  }

  /** What was held back. */
  end(): Buffer {
    return this.#clean(this.#rest, this.#rest.length)
  }

  /** Cleans everything before `until`, a little more where a mark lies across it, and keeps the rest. */
  #clean(whole: Buffer, until: number): Buffer {
    let [length, done] = [0, 0]
    const keep = (from: number, to: number): void => {
      if (length !== from) whole.copyWithin(length, from, to)
      length += to - from
    }
    for (let at = this.#find(whole, 0); at >= 0; at = this.#find(whole, done)) {
      // What follows the mark must be there to decide; at a real end there is nothing more to come.
      if (until < whole.length && at + this.#mark.length + 2 > whole.length) break
      const [from, to] = this.#cut(whole, at)
      keep(done, Math.max(done, from))
      done = to
    }
    const end = Math.max(until, done)
    keep(done, end)
    this.#rest = whole.subarray(end)
    return whole.subarray(0, length)
  }

  /** Where the next mark is, not before `from`; negative when there is none. */
  #find(whole: Buffer, from: number): number {
    const before = this.#before
    const ahead = before.length
    let at = whole.indexOf(this.#rare, from + ahead)
    while (at >= 0 && !endsWith(whole, at, before)) at = whole.indexOf(this.#rare, at + 1)
    return at < 0 ? at : at - ahead
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

/** Whether these bytes are what is before a place. Compared here: a call of Buffer's costs more than so few bytes do. */
function endsWith(whole: Buffer, at: number, bytes: Buffer): boolean {
  const start = at - bytes.length
  for (let index = bytes.length - 1; index >= 0; index--)
    if (whole[start + index] !== bytes[index]) return false
  return true
}
