import { describe, expect, it } from 'vitest'
import { MOST_READ_ALOUD, MOST_WAITING, Output, PIECE, QUIET_MS } from '../../console/terminal/output.js'
import { TestClock } from './test-clock.js'

/** A screen that draws when a test says so. */
function drawing() {
  const given: { readonly length: number; readonly drawn: () => void }[] = []
  const aloud: boolean[] = []
  let floods = 0
  const clock = new TestClock()
  const output = new Output(
    {
      write: ({ length }, drawn) => given.push({ length, drawn }),
      readAloud: isOn => aloud.push(isOn),
    },
    () => {
      floods += 1
    },
    clock,
  )
  const draw = () => {
    for (const { drawn } of given.splice(0)) drawn()
  }
  return { output, given, aloud, clock, draw, floods: () => floods }
}

describe('what a program in a terminal writes', () => {
  it('is drawn in pieces, between which keys count', () => {
    const { output, given } = drawing()
    output.write(new Uint8Array(10_000_000))
    expect(Math.max(...given.map(({ length }) => length))).toBe(PIECE)
    expect(given.reduce((sum, { length }) => sum + length, 0)).toBe(10_000_000)
  })

  it('is too much when more waits than a page holds, and is drawn again when less does', () => {
    const { output, draw, given, floods } = drawing()
    output.write(new Uint8Array(MOST_WAITING))
    expect(floods()).toBe(0)
    draw()
    output.write(new Uint8Array(MOST_WAITING))
    const before = given.length
    output.write(new Uint8Array(1))
    expect([floods(), given.length]).toEqual([1, before])
  })

  it('is read aloud again once it pauses, where it was too much: lines without an end are copied with each frame', async () => {
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

  it('is read aloud without a pause while keys are pressed, which end what is said', () => {
    const { output, aloud, draw } = drawing()
    for (let key = 0; key < 10; key += 1) {
      output.typed()
      output.write(new Uint8Array(MOST_READ_ALOUD))
      draw()
    }
    expect(aloud).toEqual([])
  })

  it('has nothing done after its end', async () => {
    const { output, aloud, clock, draw } = drawing()
    output.write(new Uint8Array(MOST_READ_ALOUD + 1))
    draw()
    output.stop()
    await clock.pass(QUIET_MS)
    expect(aloud).toEqual([false])
  })

  it('has nothing done after its end, where the terminal draws the last of it then', async () => {
    const { output, aloud, clock, draw } = drawing()
    output.write(new Uint8Array(MOST_READ_ALOUD + 1))
    output.stop()
    draw()
    await clock.pass(QUIET_MS)
    expect(aloud).toEqual([false])
  })
})
