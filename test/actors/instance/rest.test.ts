import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type AnyEventObject, createActor, setup } from 'xstate'
import { rest } from '../../../actors/instance/rest.js'

const start = new Date('2026-01-01T00:00:00Z')
beforeEach(() => void vi.useFakeTimers({ now: start }))
afterEach(() => void vi.useRealTimers())

/** Rests, and tells what is heard meanwhile. */
function resting(input: { ms: number }) {
  const heard: AnyEventObject[] = []
  const listener = setup({ actors: { rest: rest(() => 0.999_999) } }).createMachine({
    on: { '*': { actions: ({ event }) => void heard.push(event) } },
    invoke: { src: 'rest', input: { task: 'status', announce: true, ...input } },
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

it('reports until when it rests, and ends then', () => {
  const heard = resting({ ms: 1_000 })
  expect(heard).toEqual([{ type: 'rest.began', task: 'status', until: start.getTime() + 1_000 }])
  expect(lasting(heard)).toBe(1_000)
  expect(heard.at(-1)).toEqual({ type: 'rest.ended', task: 'status' })
})

it.each([
  ['forward', 3_600_000],
  ['backward', -3_600_000],
])('ends in time although the wall clock is set an hour %s meanwhile', (_way, shift) => {
  const heard = resting({ ms: 1_000 })
  vi.setSystemTime(start.getTime() + shift)
  expect(lasting(heard)).toBe(1_000)
})
