import { expect, it } from 'vitest'
import { Alarm } from '../../../actors/election/lease-clock.js'
import { ManualClock } from '../manual-clock.js'

/** A clock whose timers ring a millisecond early, as Node's do at times: they count whole milliseconds. */
class EarlyClock extends ManualClock {
  override setTimeout(callback: () => void, ms: number): number {
    return super.setTimeout(callback, ms > 1 ? ms - 1 : ms)
  }
}

it('an alarm whose timer fired early can be set to the same time again', () => {
  const clock = new EarlyClock()
  const rang: number[] = []
  const alarm = new Alarm(clock, () => {
    rang.push(clock.now())
    if (clock.now() < 100) alarm.set(100)
  })
  alarm.set(100)
  clock.advance(200)
  expect(rang).toEqual([99, 100])
})
