import { type Clock, clock } from '../live/clock.js'

/**
 * Bytes that wait to be drawn, because the page would grow without bound. A program that writes faster before its reader's eyes is ended. In a hidden tab
 * it goes on, and the oldest bytes are dropped: there a browser draws once a second, or once a minute.
 */
export const MOST_WAITING = 16 << 20
/**
 * Bytes that are drawn without a pause. xterm looks at the time after each piece that it is given, and never within one: 10 MB in one piece kept the page
 * from everything for seconds. 8 KiB take some milliseconds.
 */
export const PIECE = 8_192
/** Bytes that are drawn without a pause in a hidden tab: as many as half a second draws, for each time that the browser lets the page draw. */
export const HIDDEN_PIECE = 4 << 20
/** What waits in a hidden tab while the program writes nothing more is drawn after so long, milliseconds. */
export const HIDDEN_MS = 1_000
/**
 * Bytes that are read aloud between two keys, some minutes of speech. xterm holds what it announces until a line feed or a key, and
 * copies it with each frame: a line of 10 MB took minutes.
 */
export const MOST_READ_ALOUD = 16_384
/** A program that writes nothing for so long has paused, milliseconds. */
export const QUIET_MS = 500

/** Ends what a dropped byte may have begun, and gives a line of its own: CAN (ECMA-48, 8.3.6), SGR 0, a new line. */
const AFTER_A_GAP = '\x18\x1b[0m\r\n'

/** The part of a terminal that is needed. */
export interface Screen {
  /** Calls `then` when it has drawn them. */
  write(bytes: Uint8Array, then: () => void): void
  /** Whether what is drawn is there for screen readers. */
  readAloud(isOn: boolean): void
}

/** Draws what a program writes, so that the page stays usable however much it is: keys, and the way out, count in between. */
export class Output {
  /** Not given to the screen yet, the oldest first. */
  readonly #queue = new ByteQueue()
  /** Bytes of the piece that the screen draws; 0 while it draws none. */
  #drawing = 0
  /** Dropped since the last piece. */
  #missing = 0
  /** Whether what waits may have come while the tab was hidden. */
  #wasHidden = false
  #stopLater: (() => void) | undefined
  /** Since a key, or since reading aloud began again: xterm holds a line over pauses as well. */
  #unread = 0
  #isAloud = true
  #stopWaiting: (() => void) | undefined
  #isOver = false

  constructor(
    private readonly screen: Screen,
    private readonly options: {
      /** Called, each time, instead of drawing more than may wait. */
      readonly flooded: () => void
      readonly isHidden: () => boolean
      /** Says that so many bytes are missing. */
      readonly missing: (bytes: number) => string
    },
    private readonly time: Clock = clock,
  ) {}

  write(bytes: Uint8Array): void {
    if (this.options.isHidden()) this.#wasHidden = true
    else if (this.#waiting === 0) this.#wasHidden = false
    const tooMany = this.#waiting + bytes.length - MOST_WAITING
    if (tooMany > 0) {
      if (!this.#wasHidden) {
        this.options.flooded()
        return
      }
      this.#missing += this.#queue.drop(tooMany)
    }
    this.#queue.add(bytes)
    this.#readLess(bytes.length)
    this.#draw()
  }

  /** The tab is shown again: it draws what waits. */
  shown(): void {
    this.#draw()
  }

  get #waiting(): number {
    return this.#queue.length + this.#drawing
  }

  /** One piece at a time, so that what waits can be dropped. xterm goes on with the next in the same turn. */
  #draw(): void {
    if (this.#drawing > 0 || this.#isOver) return
    this.#stopLater?.()
    this.#stopLater = undefined
    const isHidden = this.options.isHidden()
    const piece = this.#queue.take(isHidden ? HIDDEN_PIECE : PIECE)
    if (!piece) return
    if (this.#missing > 0) this.screen.write(this.#notice(), () => undefined)
    this.#drawing = piece.length
    this.screen.write(piece, () => {
      this.#drawing = 0
      if (this.#queue.length === 0) this.#readOnWhenQuiet()
      // A timer that a timer sets waits longest in a hidden tab: the next bytes of the program are the better cause to draw.
      else if (this.options.isHidden()) this.#stopLater ??= this.time.later(() => this.#draw(), HIDDEN_MS)
      else this.#draw()
    })
  }

  #notice(): Uint8Array {
    const text = this.options.missing(this.#missing)
    this.#missing = 0
    return new TextEncoder().encode(`${AFTER_A_GAP}${text}\r\n`)
  }

  /** A key was pressed: what is said ends with it. */
  typed(): void {
    this.#unread = 0
  }

  /** The terminal is gone. It may say still that it has drawn what it was given. */
  stop(): void {
    this.#isOver = true
    this.#stopWaiting?.()
    this.#stopLater?.()
  }

  #readLess(bytes: number): void {
    this.#stopWaiting?.()
    this.#unread += bytes
    if (this.#unread <= MOST_READ_ALOUD || !this.#isAloud) return
    this.#isAloud = false
    this.screen.readAloud(false)
  }

  #readOnWhenQuiet(): void {
    if (this.#isAloud || this.#isOver) return
    this.#stopWaiting?.()
    this.#stopWaiting = this.time.later(() => {
      this.#unread = 0
      this.#isAloud = true
      this.screen.readAloud(true)
    }, QUIET_MS)
  }
}

/** Bytes in the pieces that they came in, the oldest first. */
class ByteQueue {
  #pieces: Uint8Array[] = []
  /** Of `#pieces`: those before it were taken. */
  #first = 0
  length = 0

  add(bytes: Uint8Array): void {
    if (bytes.length === 0) return
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
