import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { HeapAtRest } from '../../../actors/fleet/heap-at-rest.js'

describe('the heap of a controller manager', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  /** Its changes, as they happen, while the event loop is as busy as it says. */
  function keeping() {
    const kept = { changes: [] as boolean[], busyness: 0 }
    const heap = new HeapAtRest(
      compact => kept.changes.push(compact),
      () => () => kept.busyness,
    )
    return { kept, heap }
  }

  it('is kept compact from the end of a start-up burst to the beginning of the next', () => {
    const { kept, heap } = keeping()
    heap.burst(true)
    expect(kept.changes).toEqual([])
    heap.burst(false)
    expect(kept.changes).toEqual([true])
    heap.burst(true)
    expect(kept.changes).toEqual([true, false])
    vi.advanceTimersByTime(60_000)
    expect(kept.changes).toEqual([true, false])
    heap.stop()
  })

  it('is not kept compact while the event loop is busy, and is again when it is idle', () => {
    const { kept, heap } = keeping()
    heap.burst(false)
    kept.busyness = 0.51
    vi.advanceTimersByTime(5_000)
    expect(kept.changes).toEqual([true, false])
    vi.advanceTimersByTime(20_000)
    expect(kept.changes).toEqual([true, false])
    kept.busyness = 0.5
    vi.advanceTimersByTime(5_000)
    expect(kept.changes).toEqual([true, false, true])
    heap.stop()
  })

  it('measures the event loop anew each time', () => {
    let begun = 0
    const changes: boolean[] = []
    const heap = new HeapAtRest(
      compact => changes.push(compact),
      () => {
        const mine = ++begun
        return () => (mine === begun ? 0 : 1)
      },
    )
    heap.burst(false)
    vi.advanceTimersByTime(15_000)
    expect({ begun, changes }).toEqual({ begun: 4, changes: [true] })
    heap.stop()
  })

  it('is left to V8 when the controller manager stops', () => {
    const { kept, heap } = keeping()
    heap.burst(false)
    heap.stop()
    vi.advanceTimersByTime(60_000)
    expect(kept.changes).toEqual([true, false])
    expect(vi.getTimerCount()).toBe(0)
  })
})

/**
 * Scatters half of what it allocates over the old space, and says how many bytes V8 holds for that space, before and after. New space
 * is not counted: its size depends on what was allocated last.
 */
const program = `
import { getHeapSpaceStatistics } from 'node:v8'
import { compactHeap } from ${JSON.stringify(new URL('../../../dist/actors/fleet/heap-at-rest.js', import.meta.url).href)}
const collected = async () => {
  for (let time = 0; time < 4; time++) {
    globalThis.gc()
    await new Promise(resolve => setTimeout(resolve, 20))
  }
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space').space_size
}
const kept = []
let all = Array.from({ length: 600_000 }, (_, index) => ({ index, text: 'of ' + index }))
globalThis.gc()
for (const each of all) if (each.index % 2 === 0) kept.push(each)
all = undefined
const scattered = await collected()
compactHeap(true)
const compact = await collected()
console.log(JSON.stringify({ scattered, compact, kept: kept.length }))
`

describe('a compact heap', () => {
  it('gives back pages of which only a part is in use', async () => {
    const args = ['--expose-gc', '--input-type=module', '--eval', program]
    const { stdout } = await promisify(execFile)(process.execPath, args)
    const { scattered, compact } = JSON.parse(stdout) as { scattered: number; compact: number }
    expect(compact).toBeLessThan(0.8 * scattered)
  })
})
