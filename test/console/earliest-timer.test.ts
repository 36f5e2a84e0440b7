import { expect, it } from 'vitest'
import { EarliestTimer } from '../../console/live/earliest-timer.js'
import { TestClock } from './test-clock.js'

it('the timer fires once, at the earliest time that it was set to', async () => {
  const clock = new TestClock()
  const done: number[] = []
  const timer = new EarliestTimer(clock, () => done.push(clock.time))
  timer.fireWithin(5_000)
  timer.fireWithin(1_000)
  timer.fireWithin(3_000)
  await clock.pass(60_000)
  expect([done, timer.isSet]).toEqual([[2_000], false])
})

it('a cancelled timer does not fire, and can be set again', async () => {
  const clock = new TestClock()
  const done: number[] = []
  const timer = new EarliestTimer(clock, () => done.push(clock.time))
  timer.fireWithin(1_000)
  timer.cancel()
  timer.fireWithin(2_000)
  await clock.pass(60_000)
  expect(done).toEqual([3_000])
})
