import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { WholeList } from '../../../actors/global-management/binding-list.js'
import type { DeliveredBindings } from '../../../actors/global-management/delivered-bindings.js'
import { FullSync } from '../../../actors/global-management/full-sync.js'
import { fakeLog } from '../../http/fakes/log.js'
import { unmetered } from '../../silent.js'

describe('the replica that leads', () => {
  /** A full sync by itself, whose list is asked as a test says; nothing is delivered unless it says so. */
  function running({
    leading = true,
    whole = async (): Promise<WholeList> => ({ sequence: 9, items: [] }),
    bindings = { delivered: async () => [] } as unknown as DeliveredBindings,
  } = {}) {
    vi.useFakeTimers()
    const asked: AbortSignal[] = []
    const log = fakeLog()
    const counted: unknown[] = []
    const term = { leading, signal: new AbortController().signal }
    const sync = new FullSync({
      ...{ everyMs: 1_000, log, leadership: () => term },
      meter: { ...unmetered, count: (_, labels) => void counted.push(labels?.outcome) },
      bindings,
      list: {
        whole: signal => {
          asked.push(signal)
          return whole()
        },
      },
    })
    onTestFinished(() => {
      // A test that fails may have left a comparison that never ends.
      void sync.stop()
      vi.useRealTimers()
    })
    return { sync, asked, log, counted, term }
  }

  it('compares at once and then again and again, and no other replica does', async () => {
    const { sync, asked, counted, term } = running({ leading: false })
    sync.start()
    await vi.advanceTimersByTimeAsync(5_000)
    expect([asked.length, counted]).toEqual([0, []])
    term.leading = true
    sync.start()
    await vi.advanceTimersByTimeAsync(2_500)
    expect([asked.length, counted]).toEqual([3, ['success', 'success', 'success']])
  })

  it('makes one comparison at a time, also when it begins to lead meanwhile', async () => {
    const { promise, resolve } = pending<WholeList>()
    const { sync, asked } = running({ whole: () => promise })
    sync.start()
    await vi.advanceTimersByTimeAsync(10)
    sync.start()
    await vi.advanceTimersByTimeAsync(5_000)
    expect(asked).toHaveLength(1)
    resolve({ sequence: 9, items: [] })
    await vi.advanceTimersByTimeAsync(1_010)
    expect(asked).toHaveLength(2)
  })

  it('takes no list for empty twice in a row of which another replica may have read the one between', async () => {
    const inEffect = { kind: 'InstanceRoleBinding', metadata: { name: 'one' }, spec: {} }
    const end = vi.fn(async () => true)
    const { sync, log, term } = running({
      bindings: { delivered: async () => [inEffect], end } as unknown as DeliveredBindings,
    })
    sync.start()
    await vi.advanceTimersByTimeAsync(10)
    expect(log.lines).toHaveLength(1)
    // The lease was lost, and came back.
    term.signal = new AbortController().signal
    sync.start()
    await vi.advanceTimersByTimeAsync(10)
    expect([log.lines.length, end.mock.calls.length]).toEqual([2, 0])
    await vi.advanceTimersByTimeAsync(1_000)
    expect(end).toHaveBeenCalledOnce()
  })

  it('says and counts what could not be compared, and compares again', async () => {
    const { sync, asked, log, counted } = running({ whole: () => Promise.reject(new Error('status 503')) })
    sync.start()
    await vi.advanceTimersByTimeAsync(1_500)
    expect([asked.length, counted]).toEqual([2, ['failure', 'failure']])
    expect(log.lines[0]).toMatchObject({ level: 'warn', fields: { problem: 'status 503' } })
  })

  it('ends what is under way when it stops, waits for that, and says nothing of it', async () => {
    const { promise, reject } = pending<WholeList>()
    const { sync, asked, log, counted } = running({ whole: () => promise })
    sync.start()
    await vi.advanceTimersByTimeAsync(10)
    let isStopped = false
    const stopped = sync.stop().then(() => {
      isStopped = true
    })
    expect(asked[0]?.aborted).toBe(true)
    await vi.advanceTimersByTimeAsync(10)
    expect(isStopped).toBe(false)
    reject(new Error('aborted'))
    await stopped
    await vi.advanceTimersByTimeAsync(5_000)
    expect([asked.length, log.lines, counted]).toEqual([1, [], []])
  })
})

/** A promise that a test settles. */
function pending<T>() {
  let resolve: (value: T) => void = () => undefined
  let reject: (error: Error) => void = () => undefined
  const promise = new Promise<T>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve, reject }
}
