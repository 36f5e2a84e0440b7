import { type Clock, clock } from '../live/clock.js'

/** Bytes that wait to be drawn: a program that writes faster is ended, because the page would grow without bound. */
export const MOST_WAITING = 16 << 20
/**
 * Bytes that are drawn without a pause. xterm looks at the time after each piece that it is given, and never within one: 10 MB in one piece kept the page
 * from everything for seconds. 8 KiB take some milliseconds.
 */
export const PIECE = 8_192
/**
 * Bytes that are read aloud between two keys, some minutes of speech. xterm holds what it announces until a line feed or a key, and
 * copies it with each frame: a line of 10 MB took minutes.
 */
export const MOST_READ_ALOUD = 16_384
/** A program that writes nothing for so long has paused, milliseconds. */
export const QUIET_MS = 500

/** The part of a terminal that is needed. */
export interface Screen {
  /** Calls `then` when it has drawn them. */
  write(bytes: Uint8Array, then: () => void): void
  /** Whether what is drawn is there for screen readers. */
  readAloud(isOn: boolean): void
}

/** Draws what a program writes, so that the page stays usable however much it is: keys, and the way out, count in between. */
export class Output {
  #waiting = 0
  /** Since a key, or since reading aloud began again: xterm holds a line over pauses as well. */
  #unread = 0
  #isAloud = true
  #stopWaiting: (() => void) | undefined
  #isOver = false

  /** @param flooded called, each time, instead of drawing more than may wait */
  constructor(
    private readonly screen: Screen,
    private readonly flooded: () => void,
    private readonly time: Clock = clock,
  ) {}

  write(bytes: Uint8Array): void {
    if (this.#waiting + bytes.length > MOST_WAITING) {
      this.flooded()
      return
    }
    this.#waiting += bytes.length
    this.#readLess(bytes.length)
    for (let at = 0; at < bytes.length; at += PIECE) {
      const piece = bytes.subarray(at, at + PIECE)
      this.screen.write(piece, () => {
        this.#waiting -= piece.length
        if (this.#waiting === 0) this.#readOnWhenQuiet()
      })
    }
  }

  /** A key was pressed: what is said ends with it. */
  typed(): void {
    this.#unread = 0
  }

  /** The terminal is gone. It may say still that it has drawn what it was given. */
  stop(): void {
    this.#isOver = true
    this.#stopWaiting?.()
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
