import { describe, expect, it } from 'vitest'
import {
  HIDDEN_MS,
  HIDDEN_PIECE,
  MOST_READ_ALOUD,
  MOST_WAITING,
  Output,
  PIECE,
  QUIET_MS,
} from '../../console/terminal/output.js'
import { TestClock } from './test-clock.js'

/** A screen that draws when a test says so, in a tab that is hidden when it says so. */
function drawing() {
  const given: Uint8Array[] = []
  const undrawn: (() => void)[] = []
  const aloud: boolean[] = []
  const tab = { isHidden: false }
  let floods = 0
  const clock = new TestClock()
  const output = new Output(
    {
      write(bytes, drawn) {
        given.push(bytes)
        undrawn.push(drawn)
      },
      readAloud: isOn => aloud.push(isOn),
    },
    {
      flooded: () => {
        floods += 1
      },
      isHidden: () => tab.isHidden,
      missing: bytes => `[${bytes} missing]`,
    },
    clock,
  )
  /** Draws what was given, and what is given then. */
  const draw = () => {
    for (let next = undrawn.shift(); next; next = undrawn.shift()) next()
  }
  /** Draws what was given, once: as a hidden tab does. */
  const drawOnce = () => {
    for (const drawn of undrawn.splice(0)) drawn()
  }
  const sizes = () => given.map(({ length }) => length)
  const total = () => sizes().reduce((sum, length) => sum + length, 0)
  return { output, given, sizes, total, aloud, clock, draw, drawOnce, tab, floods: () => floods }
}

/** Bytes that count up, so that a gap shows. */
const counting = (length: number, from = 0) => Uint8Array.from({ length }, (_, at) => (from + at) % 251)

describe('the output of a program in a terminal', () => {
  it('is drawn in pieces, with key events in between', () => {
    const { output, sizes, total, draw } = drawing()
    output.write(new Uint8Array(10_000_000))
    draw()
    expect(Math.max(...sizes())).toBe(PIECE)
    expect(total()).toBe(10_000_000)
  })

  it('is drawn in order, whatever the sizes of its frames', () => {
    const { output, given, draw } = drawing()
    let sent = 0
    for (const length of [1, PIECE - 1, 3, PIECE, 2 * PIECE + 1, 7, 0, 500]) {
      output.write(counting(length, sent))
      sent += length
    }
    draw()
    expect(Buffer.concat(given).equals(counting(sent))).toBe(true)
  })

  it('is not drawn while more waits than the limit, and is drawn again when less does', () => {
    const { output, draw, total, floods } = drawing()
    output.write(new Uint8Array(MOST_WAITING))
    expect(floods()).toBe(0)
    draw()
    output.write(new Uint8Array(MOST_WAITING))
    output.write(new Uint8Array(1))
    expect(floods()).toBe(1)
    draw()
    expect(total()).toBe(2 * MOST_WAITING)
  })

  it('is drawn in large pieces in a hidden tab, where the browser draws seldom', () => {
    const { output, total, tab, drawOnce } = drawing()
    tab.isHidden = true
    for (let frame = 0; frame < 1_000; frame += 1) output.write(new Uint8Array(1_000))
    drawOnce()
    output.write(new Uint8Array(1_000))
    drawOnce()
    expect(total()).toBe(1_001_000)
  })

  it('is drawn in a hidden tab also when the program writes nothing more', async () => {
    const { output, total, tab, drawOnce, clock } = drawing()
    tab.isHidden = true
    output.write(new Uint8Array(1))
    output.write(new Uint8Array(1_000))
    drawOnce()
    expect(total()).toBe(1)
    await clock.pass(HIDDEN_MS)
    expect(total()).toBe(1_001)
  })

  it('continues in a hidden tab that draws nothing: the oldest bytes are dropped, and a notice has their number', () => {
    const { output, given, tab, floods, drawOnce } = drawing()
    tab.isHidden = true
    const frame = HIDDEN_PIECE
    for (let n = 0; n <= (2 * MOST_WAITING) / frame; n += 1) output.write(new Uint8Array(frame).fill(n))
    expect(floods()).toBe(0)
    drawOnce()
    output.write(new Uint8Array(1))
    drawOnce()
    const [first, notice, next] = given
    expect([first?.[0], next?.[0]]).toEqual([0, 6])
    // Nine frames were sent. The first is drawn, three wait, and five are dropped.
    expect(new TextDecoder().decode(notice)).toBe(`\x18\x1b[0m\r\n[${5 * frame} missing]\r\n`)
  })

  it('that waits when its tab is shown again is drawn, and is a flood only when all of it came after that', () => {
    const { output, tab, floods, draw } = drawing()
    tab.isHidden = true
    output.write(new Uint8Array(MOST_WAITING))
    tab.isHidden = false
    output.write(new Uint8Array(1))
    expect(floods()).toBe(0)
    output.shown()
    draw()
    output.write(new Uint8Array(MOST_WAITING))
    output.write(new Uint8Array(1))
    expect(floods()).toBe(1)
  })

  it('is read aloud again after a pause, when there was too much of it', async () => {
    const { output, aloud, clock, draw } = drawing()
    for (let written = 0; written <= MOST_READ_ALOUD; written += 512) {
      output.write(new Uint8Array(512))
      draw()
    }
    expect(aloud).toEqual([false])
    await clock.pass(QUIET_MS - 1)
    output.write(new Uint8Array(1))
    await clock.pass(QUIET_MS)
    expect(aloud).toEqual([false])
    draw()
    await clock.pass(QUIET_MS)
    expect(aloud).toEqual([false, true])
    output.write(new Uint8Array(512))
    expect(aloud).toEqual([false, true])
  })

  it('is read aloud without a break while keys are pressed', () => {
    const { output, aloud, draw } = drawing()
    for (let key = 0; key < 10; key += 1) {
      output.typed()
      output.write(new Uint8Array(MOST_READ_ALOUD))
      draw()
    }
    expect(aloud).toEqual([])
  })

  it('is drawn in a hidden tab piece by piece, and what is missing is said once', async () => {
    const { output, given, total, tab, drawOnce, clock } = drawing()
    tab.isHidden = true
    for (let n = 0; n <= MOST_WAITING / HIDDEN_PIECE; n += 1) output.write(new Uint8Array(HIDDEN_PIECE))
    output.write(new Uint8Array(1))
    for (let turn = 0; turn < 10; turn += 1) {
      drawOnce()
      await clock.pass(HIDDEN_MS)
    }
    const notices = given.filter(bytes => bytes[0] === 0x18)
    const missing = `[${2 * HIDDEN_PIECE} missing]`
    expect(notices.map(bytes => new TextDecoder().decode(bytes))).toEqual([expect.stringContaining(missing)])
    expect(total() - (notices[0]?.length ?? 0)).toBe(MOST_WAITING - HIDDEN_PIECE + 1)
    expect(clock.timers).toBe(0)
  })

  it('has no timer left where its next bytes came before it', async () => {
    const { output, tab, drawOnce, clock } = drawing()
    tab.isHidden = true
    for (const length of [1, 1, 1]) output.write(new Uint8Array(length))
    drawOnce()
    expect(clock.timers).toBe(1)
    output.write(new Uint8Array(1))
    expect(clock.timers).toBe(0)
  })

  it('is nothing to draw where a tab is shown of which nothing waits', () => {
    const { output, given } = drawing()
    output.shown()
    expect(given).toEqual([])
  })

  it('is not drawn after its end, and leaves no timer', () => {
    const { output, total, draw, clock } = drawing()
    output.write(new Uint8Array(2 * PIECE))
    output.stop()
    draw()
    expect([total(), clock.timers]).toEqual([PIECE, 0])
    const hidden = drawing()
    hidden.tab.isHidden = true
    for (const length of [1, 1]) hidden.output.write(new Uint8Array(length))
    hidden.drawOnce()
    expect(hidden.clock.timers).toBe(1)
    hidden.output.stop()
    expect(hidden.clock.timers).toBe(0)
  })

  it('has no effect after `stop`', async () => {
    const { output, aloud, clock, draw } = drawing()
    output.write(new Uint8Array(MOST_READ_ALOUD + 1))
    draw()
    output.stop()
    await clock.pass(QUIET_MS)
    expect(aloud).toEqual([false])
  })

  it('has no effect after `stop`, when the terminal draws the last piece then', async () => {
    const { output, aloud, clock, draw } = drawing()
    output.write(new Uint8Array(MOST_READ_ALOUD))
    draw()
    output.write(new Uint8Array(1))
    output.stop()
    draw()
    await clock.pass(QUIET_MS)
    expect(aloud).toEqual([false])
  })
})
