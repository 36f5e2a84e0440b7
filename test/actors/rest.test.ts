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

/** After how many milliseconds it says that it has ended; undefined when it does not within twice the longest rest here. */
function lasting(heard: readonly AnyEventObject[]): number | undefined {
  for (let ms = 0; ms <= 2_000; ms++) {
    vi.advanceTimersByTime(ms && 1)
    if (heard.some(({ type }) => type === 'rest.ended')) return ms
  }
  return undefined
}

it('says until when it rests, and ends then', () => {
  const heard = resting({ ms: 1_000 })
  expect(heard).toEqual([{ type: 'rest.began', task: 'status', until: start.getTime() + 1_000 }])
  expect(lasting(heard)).toBe(1_000)
  expect(heard.at(-1)).toEqual({ type: 'rest.ended', task: 'status' })
})

it('that was under way goes on for what is left', () => {
  expect(lasting(resting({ ms: 1_000, until: start.getTime() + 300 }))).toBe(300)
})

it.each([
  ['forward', -3_600_000, 0],
  ['backward', 3_600_000, 1_000],
])('is over in time though the wall clock was set an hour %s meanwhile', (_way, shift, takes) => {
  expect(lasting(resting({ ms: 1_000, until: start.getTime() + 500 + shift }))).toBe(takes)
})
