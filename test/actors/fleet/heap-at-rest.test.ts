import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { HeapAtRest, type HeapManner, keepHeap } from '../../../actors/fleet/heap-at-rest.js'

const setFlags = vi.hoisted(() => vi.fn())
vi.mock('node:v8', async original => ({
  ...(await original<typeof import('node:v8')>()),
  setFlagsFromString: setFlags,
}))

describe('the heap of a controller manager', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  /** Its changes, as they happen, while the event loop is as busy as it says and so much of the heap is in use. */
  function keeping({ usedBytes = 100 << 20 } = {}) {
    const kept = { changes: [] as HeapManner[], busyness: 0 }
    const counting = new Set<() => void>()
    const heap = new HeapAtRest(
      manner => kept.changes.push(manner),
      () => () => kept.busyness,
      {
        usedBytes: () => usedBytes,
        collections(then) {
          counting.add(then)
          return () => void counting.delete(then)
        },
      },
    )
    const collect = (times: number): void => {
      for (let time = 0; time < times; time++) for (const collected of [...counting]) collected()
    }
    return { kept, heap, collect, counting }
  }

  it('is moved by two full collections after a start-up burst, and then kept compact to the beginning of the next', () => {
    const { kept, heap, collect, counting } = keeping()
    heap.burst(true)
    expect(kept.changes).toEqual([])
    heap.burst(false)
    expect(kept.changes).toEqual(['moving'])
    collect(1)
    expect(kept.changes).toEqual(['moving'])
    collect(1)
    expect(kept.changes).toEqual(['moving', 'compact'])
    expect(counting.size).toBe(0)
    heap.burst(true)
    vi.advanceTimersByTime(60_000)
    expect(kept.changes).toEqual(['moving', 'compact', 'fast'])
    heap.stop()
  })

  it('is not moved where that would stop the process for long', () => {
    const { kept, heap, counting } = keeping({ usedBytes: (1_536 << 20) + 1 })
    heap.burst(false)
    expect([kept.changes, counting.size]).toEqual([['compact'], 0])
    heap.stop()
  })

  it('is neither moved nor kept compact from a second after the event loop is busy until it was idle for half a minute', () => {
    const { kept, heap, collect } = keeping()
    heap.burst(false)
    kept.busyness = 0.31
    vi.advanceTimersByTime(1_000)
    expect(kept.changes).toEqual(['moving', 'fast'])
    collect(2)
    vi.advanceTimersByTime(20_000)
    expect(kept.changes).toEqual(['moving', 'fast'])
    kept.busyness = 0.3
    vi.advanceTimersByTime(29_000)
    kept.busyness = 0.31
    vi.advanceTimersByTime(1_000)
    kept.busyness = 0.3
    vi.advanceTimersByTime(29_000)
    expect(kept.changes).toEqual(['moving', 'fast'])
    vi.advanceTimersByTime(1_000)
    expect(kept.changes).toEqual(['moving', 'fast', 'moving'])
    collect(2)
    expect(kept.changes).toEqual(['moving', 'fast', 'moving', 'compact'])
    heap.stop()
  })

  it('measures the event loop anew each time', () => {
    let begun = 0
    const changes: HeapManner[] = []
    const heap = new HeapAtRest(
      manner => changes.push(manner),
      () => {
        const mine = ++begun
        return () => (mine === begun ? 0 : 1)
      },
    )
    heap.burst(false)
    vi.advanceTimersByTime(3_000)
    expect({ begun, changes: changes.filter(manner => manner === 'fast') }).toEqual({ begun: 4, changes: [] })
    heap.stop()
  })

  it('is left to V8 when the controller manager stops', () => {
    const { kept, heap, counting } = keeping()
    heap.burst(false)
    heap.stop()
    vi.advanceTimersByTime(60_000)
    expect(kept.changes).toEqual(['moving', 'fast'])
    expect([vi.getTimerCount(), counting.size]).toEqual([0, 0])
  })
})

/**
 * Scatters half of what it allocates over the old space, and says how many bytes V8 holds for that space, before and after. New space
 * is not counted: its size depends on what was allocated last.
 */
const program = `
import { getHeapSpaceStatistics } from 'node:v8'
import { keepHeap } from ${JSON.stringify(new URL('../../../dist/actors/fleet/heap-at-rest.js', import.meta.url).href)}
const collected = async times => {
  for (let time = 0; time < times; time++) {
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
const scattered = await collected(4)
keepHeap(process.argv[1])
const compact = await collected(Number(process.argv[2]))
console.log(JSON.stringify({ scattered, compact, kept: kept.length }))
`

describe('a heap', () => {
  it.each([
    ['compact', 4, 0.8],
    ['moving', 1, 0.7],
  ] as const)(
    'that is kept %s has given back pages of which only a part is in use after %i full collections',
    async (manner, times, most) => {
      const args = ['--expose-gc', '--input-type=module', '--eval', program, manner, String(times)]
      const { stdout } = await promisify(execFile)(process.execPath, args)
      const { scattered, compact } = JSON.parse(stdout) as { scattered: number; compact: number }
      expect(compact).toBeLessThan(most * scattered)
    },
  )
})

/** Collects a heap that is kept in some manner. V8 says then at which size it will collect it next, and by which factor that is larger. */
const collectedOnce = `
import { keepHeap } from ${JSON.stringify(new URL('../../../dist/actors/fleet/heap-at-rest.js', import.meta.url).href)}
keepHeap(process.argv[1])
console.log('kept')
globalThis.gc()
`

it('a compact heap grows by a fifth until it is collected, whatever V8 takes by itself', async () => {
  const args = [
    '--expose-gc',
    '--trace-gc-verbose',
    '--input-type=module',
    '--eval',
    collectedOnce,
    'compact',
  ]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  const [, afterwards = ''] = stdout.split('kept')
  // Node.js 20 writes the factor behind the limit, and 24 and 26 before it.
  expect(afterwards).toMatch(/\[HeapController\] (factor 1\.2 |Limit: .* \(1\.2\))/)
})

it.each([
  ['fast', ['--no-optimize-for-size', '--heap-growing-percent=0', '--no-compact-on-every-full-gc']],
  ['compact', ['--optimize-for-size', '--heap-growing-percent=20', '--no-compact-on-every-full-gc']],
  ['moving', ['--optimize-for-size', '--heap-growing-percent=0', '--compact-on-every-full-gc']],
] as const)(
  'a heap that is kept %s grows by a fifth only where it is at rest and not moved',
  (manner, flags) => {
    setFlags.mockClear()
    keepHeap(manner)
    expect(setFlags.mock.calls).toEqual(flags.map(flag => [flag]))
  },
)
