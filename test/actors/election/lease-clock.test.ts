import { describe, expect, it } from 'vitest'
import { Alarm, Moments } from '../../../actors/election/lease-clock.js'
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

it('an alarm that is set to the time it has keeps its timer', () => {
  const clock = new ManualClock()
  let timers = 0
  clock.setTimeout = (...timer) => {
    timers += 1
    return ManualClock.prototype.setTimeout.apply(clock, timer)
  }
  const alarm = new Alarm(clock, () => undefined)
  for (const at of [100, 100, 200, 200, undefined, undefined]) alarm.set(at)
  expect([timers, clock.pending]).toEqual([2, 0])
})

describe('a moment', () => {
  it('counts no sleep while the clocks differ by the rounding of milliseconds only, however often they are read', () => {
    const clock = new ManualClock()
    const moments = new Moments(clock)
    for (let read = 0; read < 1_000; read += 1) {
      clock.sleep(read % 2 === 0 ? -3 : 3)
      moments.read()
    }
    expect(moments.read().slept).toBe(0)
  })

  it('counts a sleep in full that follows a setting back of the wall clock', () => {
    const clock = new ManualClock()
    const moments = new Moments(clock)
    clock.sleep(-60_000)
    moments.read()
    clock.sleep(5_000)
    expect(moments.read()).toEqual({ now: 0, slept: 5_000 })
  })
})
