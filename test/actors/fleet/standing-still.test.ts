import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import {
  HANGS_MS,
  ROOM_OF_ONE_THAT_HANGS,
  STILL_AT_ONCE,
  StandingStill,
} from '../../../actors/fleet/standing-still.js'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Lets so many silent ones stand still. */
function add(still: StandingStill, count: number): void {
  for (let index = 0; index < count; index++) still.add(`silent-${index}`, false)
}

it('an instance that hung and is gone makes no room', () => {
  const still = new StandingStill()
  still.add('gone', false)
  vi.advanceTimersByTime(HANGS_MS)
  still.delete('gone')
  add(still, STILL_AT_ONCE)
  expect(still.hasRoom(false)).toBe(false)
})

it('an instance that is made again under the name of one that stood still beside a late answer makes room when it hangs', () => {
  const still = new StandingStill()
  for (const name of ['late', 'again']) still.add(name, false)
  vi.advanceTimersByTime(HANGS_MS)
  still.answered('late')
  still.delete('again')
  still.add('again', false)
  vi.advanceTimersByTime(HANGS_MS)
  add(still, STILL_AT_ONCE + ROOM_OF_ONE_THAT_HANGS - 2)
  expect(still.hasRoom(false)).toBe(true)
  still.add('last', false)
  expect(still.hasRoom(false)).toBe(false)
})

it('nothing is kept of those that are cleared', () => {
  const still = new StandingStill()
  still.add('answered', true)
  add(still, STILL_AT_ONCE)
  still.clear()
  expect(vi.getTimerCount()).toBe(0)
  expect([still.hasRoom(true), still.hasRoom(false)]).toEqual([true, true])
})
