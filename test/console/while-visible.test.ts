import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { runWhileVisible, whileVisible } from '../../console/live/while-visible.js'

let state: 'visible' | 'hidden'
let calls: string[]
let over: () => void

/** The tab is shown or hidden. */
function turn(next: typeof state): void {
  state = next
  document.dispatchEvent(new Event('visibilitychange'))
}

beforeEach(() => {
  vi.useFakeTimers()
  state = 'visible'
  calls = []
  const page = new EventTarget()
  Object.defineProperty(page, 'visibilityState', { get: () => state })
  vi.stubGlobal('document', page)
  over = whileVisible(
    () => calls.push('start'),
    () => calls.push('stop'),
  )
})

afterEach(() => {
  over()
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

it('stops when a tab has been hidden for a quarter of a minute, and starts when it is shown', () => {
  turn('hidden')
  vi.advanceTimersByTime(14_999)
  expect(calls).toEqual(['start'])
  vi.advanceTimersByTime(1)
  expect(calls).toEqual(['start', 'stop'])
  vi.advanceTimersByTime(3_600_000)
  turn('visible')
  expect(calls).toEqual(['start', 'stop', 'start'])
})

it('does not stop when a tab was hidden for a moment only', () => {
  turn('hidden')
  vi.advanceTimersByTime(10_000)
  turn('visible')
  vi.advanceTimersByTime(60_000)
  expect(calls).toEqual(['start', 'start'])
})

it('stops for good once, whatever happens to the tab', () => {
  turn('hidden')
  over()
  vi.advanceTimersByTime(60_000)
  turn('visible')
  expect(calls).toEqual(['start', 'stop'])
})

it('does not start in a tab that is hidden from the beginning, until it is shown', () => {
  state = 'hidden'
  const later: string[] = []
  const end = whileVisible(
    () => later.push('start'),
    () => later.push('stop'),
  )
  expect(later).toEqual([])
  turn('visible')
  expect(later).toEqual(['start'])
  end()
})

it('runs work once at a time: it ends with the tab’s streams, and begins anew when the tab is shown', () => {
  const runs: AbortSignal[] = []
  const end = runWhileVisible(async signal => void runs.push(signal))
  const ended = () => runs.map(({ aborted }) => aborted)
  turn('hidden')
  turn('visible')
  expect(ended()).toEqual([false])
  turn('hidden')
  vi.advanceTimersByTime(15_000)
  expect(ended()).toEqual([true])
  turn('visible')
  expect(ended()).toEqual([true, false])
  end()
  expect(ended()).toEqual([true, true])
})
