import { getEventListeners } from 'node:events'
import { expect, it } from 'vitest'
import { Pause } from '../../console/live/retry.js'
import { settled, TestClock } from './test-clock.js'

it.each(['by itself', 'before its time', 'with its signal'])(
  'a pause that ended %s leaves no timer and no listener',
  async how => {
    const clock = new TestClock()
    const run = new AbortController()
    const pause = new Pause(clock)
    let isOver = false
    void pause.wait(1_000, run.signal).then(() => {
      isOver = true
    })
    await clock.pass(999)
    expect(isOver).toBe(false)
    if (how === 'by itself') await clock.pass(1)
    else if (how === 'before its time') pause.end()
    else run.abort()
    await settled()
    expect([isOver, clock.timers, getEventListeners(run.signal, 'abort')]).toEqual([true, 0, []])
  },
)

it('a pause without an end lasts until it is ended', async () => {
  const clock = new TestClock()
  const pause = new Pause(clock)
  const over = pause.wait(undefined, new AbortController().signal)
  expect(clock.timers).toBe(0)
  pause.end()
  await over
})
