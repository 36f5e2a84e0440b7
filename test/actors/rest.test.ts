import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type AnyEventObject, createActor, setup } from 'xstate'
import { rest } from '../../actors/rest.js'

const start = new Date('2026-01-01T00:00:00Z')
beforeEach(() => void vi.useFakeTimers({ now: start }))
afterEach(() => void vi.useRealTimers())

/** Rests, and tells what is heard meanwhile. */
function resting(input: { ms: number; until?: number }) {
  const heard: AnyEventObject[] = []
  const listener = setup({ actors: { rest: rest(() => 0.999_999) } }).createMachine({
    on: { '*': { actions: ({ event }) => void heard.push(event) } },
    invoke: { src: 'rest', input: { task: 'status', told: true, until: undefined, ...input } },
  })
  createActor(listener).start()
  return heard
}
const ended = { type: 'rest.ended', task: 'status' }

it('says until when it rests, and ends then', () => {
  const heard = resting({ ms: 1_000 })
  expect(heard).toEqual([{ type: 'rest.began', task: 'status', until: start.getTime() + 1_000 }])
  vi.advanceTimersByTime(999)
  expect(heard).toHaveLength(1)
  vi.advanceTimersByTime(1)
  expect(heard.at(-1)).toEqual(ended)
})

it('that was under way goes on for what is left', () => {
  const heard = resting({ ms: 1_000, until: start.getTime() + 300 })
  vi.advanceTimersByTime(300)
  expect(heard.at(-1)).toEqual(ended)
})

it.each([
  ['forward', -3_600_000, 0],
  ['backward', 3_600_000, 1_000],
])('is over in time though the wall clock was set an hour %s meanwhile', (_way, shift, takes) => {
  const heard = resting({ ms: 1_000, until: start.getTime() + 500 + shift })
  vi.advanceTimersByTime(takes)
  expect(heard.at(-1)).toEqual(ended)
})
