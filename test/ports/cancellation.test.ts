import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { DeadlineError, deadline, joined, orAborted } from '../../ports/cancellation.js'

const never = new Promise<never>(() => undefined)

describe('joined signals', () => {
  it('abort with the reason of the first that aborts', () => {
    const [first, second] = [new AbortController(), new AbortController()]
    const { signal } = joined([first.signal, undefined, second.signal])
    second.abort('two')
    first.abort('one')
    expect([signal.aborted, signal.reason]).toEqual([true, 'two'])
  })

  it('are aborted at once when one is aborted already', () => {
    expect(joined([AbortSignal.abort('gone')]).signal.reason).toBe('gone')
  })

  it('remove their listeners when cleared', () => {
    const caller = new AbortController()
    const { signal, clear } = joined([caller.signal])
    clear()
    caller.abort()
    expect(signal.aborted).toBe(false)
  })
})

describe('a deadline', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('aborts when the time is over, with an error that names the duration', () => {
    const { signal } = deadline([], 50)
    vi.advanceTimersByTime(49)
    expect(signal.aborted).toBe(false)
    vi.advanceTimersByTime(1)
    expect(signal.reason).toEqual(new DeadlineError(50))
  })

  it('aborts with the reasons of its callers', () => {
    const reasons = {
      late: (ms: number) => `late after ${ms}`,
      caller: (reason: unknown) => `caller: ${reason}`,
    }
    const late = deadline([], 50, reasons)
    vi.advanceTimersByTime(50)
    expect(late.signal.reason).toBe('late after 50')
    const caller = new AbortController()
    const left = deadline([caller.signal], 50, reasons)
    caller.abort('left')
    expect(left.signal.reason).toBe('caller: left')
  })

  it('beyond the longest timer does not abort at once', () => {
    const { signal } = deadline([], 2 ** 31)
    vi.advanceTimersByTime(60_000)
    expect(signal.aborted).toBe(false)
  })

  it('has no time limit once disarmed, and still aborts with its callers', () => {
    const caller = new AbortController()
    const { signal, disarm } = deadline([caller.signal], 50)
    disarm()
    vi.advanceTimersByTime(60_000)
    expect(signal.aborted).toBe(false)
    caller.abort()
    expect(signal.aborted).toBe(true)
  })

  it.each([50, undefined])('of %s ms leaves no timer and no listener once cleared', timeoutMs => {
    const caller = new AbortController()
    const { signal, clear } = deadline([caller.signal], timeoutMs)
    clear()
    expect(vi.getTimerCount()).toBe(0)
    caller.abort()
    expect(signal.aborted).toBe(false)
  })
})

describe('waiting for a promise or an abort', () => {
  it.each([
    ['a value', () => Promise.resolve(1), { status: 'fulfilled', value: 1 }],
    ['an error', () => Promise.reject(new Error('no')), { status: 'rejected', reason: new Error('no') }],
  ])('settles with %s', async (_what, settled, outcome) => {
    expect(await Promise.allSettled([orAborted(settled(), new AbortController().signal)])).toEqual([outcome])
  })

  it('rejects with the reason of the signal, even when it is already aborted', async () => {
    const caller = new AbortController()
    const waiting = orAborted(never, caller.signal)
    caller.abort('left')
    await expect(waiting).rejects.toBe('left')
    await expect(orAborted(never, caller.signal)).rejects.toBe('left')
  })

  it.each([
    ['a value', () => Promise.resolve(1)],
    ['an error', () => Promise.reject(new Error('no'))],
  ])('leaves no listener once it has settled with %s', async (_what, settled) => {
    const { signal } = new AbortController()
    await Promise.allSettled([orAborted(settled(), signal)])
    await Promise.resolve()
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  it('handles a later rejection of an abandoned promise, so that it does not end the process', async () => {
    const unhandled: unknown[] = []
    const note = (error: unknown) => unhandled.push(error)
    process.on('unhandledRejection', note)
    try {
      let fail: (error: Error) => void = () => undefined
      const work = new Promise<never>((_, reject) => (fail = reject))
      await expect(orAborted(work, AbortSignal.abort('left'))).rejects.toBe('left')
      fail(new Error('too late'))
      await new Promise(resolve => setImmediate(resolve))
      expect(unhandled).toEqual([])
    } finally {
      process.off('unhandledRejection', note)
    }
  })
})
