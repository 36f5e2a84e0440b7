import { expect, it } from 'vitest'
import { Due } from '../../console/live/due.js'
import { TestClock } from './test-clock.js'

it('what is due is done once, at the soonest time that it was wanted for', async () => {
  const clock = new TestClock()
  const done: number[] = []
  const due = new Due(clock, () => done.push(clock.time))
  due.within(5_000)
  due.within(1_000)
  due.within(3_000)
  await clock.pass(60_000)
  expect([done, due.isSet]).toEqual([[2_000], false])
})

it('what is cancelled is not done, and may be wanted again', async () => {
  const clock = new TestClock()
  const done: number[] = []
  const due = new Due(clock, () => done.push(clock.time))
  due.within(1_000)
  due.cancel()
  due.within(2_000)
  await clock.pass(60_000)
  expect(done).toEqual([3_000])
})
