import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { PageReadings } from '../../console/live/page-readings.js'
import { Pages } from '../../console/live/pages.js'
import { Pause } from '../../console/live/retry.js'
import { settled, TestClock } from './test-clock.js'

interface Row {
  readonly name: string
  readonly state: string
}
const keyOf = ({ name }: Row) => name
const north = { name: 'north', state: 'ready' }

describe('pages that are on their way', () => {
  /** Readings, each of which is answered by `answer`, in their order. */
  function readings() {
    const answers: ((row: Row) => void)[] = []
    const list = () =>
      new Promise<{ items: Row[]; total: number }>(resolve => {
        answers.push(row => resolve({ items: [row], total: 1 }))
      })
    return {
      readings: new PageReadings<Row>({ list, keyOf }, 1),
      answer: (row: Row) => answers.shift()?.(row),
    }
  }

  it('are still so when one comes that was requested before they were forgotten', async () => {
    const { readings: all, answer } = readings()
    const before = all.read(1)
    all.forget()
    const since = all.read(1)
    answer({ ...north, state: 'old' })
    expect(await before).toBeUndefined()
    expect([all.isAny, all.isUnderWay(1)]).toEqual([true, true])
    answer(north)
    expect((await since)?.rows).toEqual([north])
    expect(all.isAny).toBe(false)
  })

  it('have what changed meanwhile, and the next ones what the server says then', async () => {
    const { readings: all, answer } = readings()
    const first = all.read(1)
    all.noteChange({ ...north, state: 'degraded' })
    answer(north)
    expect((await first)?.rows).toEqual([{ ...north, state: 'degraded' }])
    const next = all.read(1)
    answer({ ...north, state: 'mended' })
    expect((await next)?.rows).toEqual([{ ...north, state: 'mended' }])
  })
})

it('a row is known as long as its page is kept', () => {
  const pages = new Pages(keyOf)
  const sight = { from: 1, to: 1 }
  pages.set(1, { rows: [north], readAt: 0 }, sight)
  expect(pages.has('north')).toBe(true)
  pages.set(1, { rows: [{ ...north, name: 'south' }], readAt: 0 }, sight)
  expect([pages.has('north'), pages.has('south')]).toEqual([false, true])
  pages.keepOnly({ from: 2, to: 2 })
  expect(pages.has('south')).toBe(false)
})

it('a pause that is over waits for nothing more, however often its list pauses', async () => {
  const clock = new TestClock()
  const pause = new Pause(clock)
  const { signal } = new AbortController()
  const over = pause.last(1_000, signal)
  expect(getEventListeners(signal, 'abort')).toHaveLength(1)
  await clock.pass(1_000)
  await over
  const ended = pause.last(undefined, signal)
  pause.end()
  await ended
  await settled()
  expect(getEventListeners(signal, 'abort')).toEqual([])
})
