import { type Clock, clock } from '../live/clock.js'
import { ByteQueue } from './byte-queue.js'

/**
 * The most bytes that wait to be drawn; without a limit the page would grow until it fails. In a visible tab a program that exceeds the limit is
 * ended. In a hidden tab it goes on and the oldest bytes are dropped, because browsers draw hidden tabs once a second or once a minute.
 */
export const MOST_WAITING = 16 << 20
/**
 * Bytes that are given to xterm at once. xterm checks the time after each piece and never within one: 10 MB in one piece blocked the page for
 * seconds. 8 KiB take some milliseconds.
 */
export const PIECE = 8_192
/** Bytes that are given to xterm at once in a hidden tab: as many as it draws in half a second. */
export const HIDDEN_PIECE = 4 << 20
/** The pause after which a hidden tab draws waiting bytes while the program writes nothing, milliseconds. */
export const HIDDEN_MS = 1_000
/**
 * The most bytes for screen readers between two keys, some minutes of speech. xterm keeps text for them until a line feed or a key, and copies it in
 * each frame: a line of 10 MB took minutes.
 */
export const MOST_READ_ALOUD = 16_384
/** A program that has written nothing for so long has paused, milliseconds. */
export const QUIET_MS = 500

/** Ends an escape sequence that a dropped byte may have begun, and starts a new line: CAN (ECMA-48, 8.3.6), SGR 0, CR LF. */
const AFTER_A_GAP = '\x18\x1b[0m\r\n'

/** The functions of a terminal that are used. */
export interface Screen {
  /** Draws bytes and calls `drawn` afterwards. */
  write(bytes: Uint8Array, drawn: () => void): void
  /** Turns the text for screen readers on or off. */
  readAloud(isOn: boolean): void
}

/** Draws a program's output without blocking the page: between the pieces the browser handles keys. */
export class Output {
  /** Bytes that were not given to the screen yet, the oldest first. */
  readonly #queue = new ByteQueue()
  /** Bytes of the piece that is being drawn; 0 while none is. */
  #drawing = 0
  /** Bytes dropped since the last piece. */
  #missing = 0
  /** The waiting bytes may have come while the tab was hidden. */
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
      /** Called for each write that exceeds the limit in a visible tab; the write is not drawn. */
      readonly flooded: () => void
      readonly isHidden: () => boolean
      /** The text that says how many bytes are missing. */
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

  /** Called when the tab becomes visible: draws the waiting bytes. */
  shown(): void {
    this.#draw()
  }

  get #waiting(): number {
    return this.#queue.length + this.#drawing
  }

  /** Draws one piece, so that waiting bytes can still be dropped. xterm's callback draws the next piece. */
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
      // Browsers delay nested timers most in hidden tabs, so the program's next bytes draw sooner than this timer.
      else if (this.options.isHidden()) this.#stopLater ??= this.time.later(() => this.#draw(), HIDDEN_MS)
      else this.#draw()
    })
  }

  #notice(): Uint8Array {
    const text = this.options.missing(this.#missing)
    this.#missing = 0
    return new TextEncoder().encode(`${AFTER_A_GAP}${text}\r\n`)
  }

  /** Called for each key: screen readers stop reading at a key. */
  typed(): void {
    this.#unread = 0
  }

  /** Stops timers after the terminal was closed. The callback of the last piece may still come. */
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
    this.#stopWaiting = this.time.later(() => {
      this.#unread = 0
      this.#isAloud = true
      this.screen.readAloud(true)
    }, QUIET_MS)
  }
}
