import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ObjectCall } from '../../../../http/objects/objects.js'
import { askMember, withinPatience } from '../../../../http/rpc/concurrency/within-patience.js'
import { inEachMember } from '../../../../http/rpc/distribution/members-of.js'
import { deferred } from '../../fakes/deferred.js'

/** A call and the controller that ends it. */
function aCall() {
  const caller = new AbortController()
  return { caller, call: { signal: caller.signal, answered: () => undefined } as unknown as ObjectCall }
}

const never = () => new Promise<never>(() => undefined)

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('work with a time of its own', () => {
  it('is over when the time is, also where it does not heed its signal', async () => {
    const { call } = aCall()
    const asked = askMember(call, 3_000, never)
    const failed = expect(asked).rejects.toThrow('the member did not answer within 3 s')
    await vi.advanceTimersByTimeAsync(3_000)
    await failed
  })

  it('has until the last millisecond', async () => {
    const { call } = aCall()
    const { promise, resolve } = deferred<string>()
    const asked = askMember(call, 3_000, () => promise)
    await vi.advanceTimersByTimeAsync(2_999)
    resolve('here')
    expect(await asked).toBe('here')
  })

  it('is over with the call, for the call’s reason', async () => {
    const { caller, call } = aCall()
    const asked = askMember(call, 3_000, never)
    const failed = expect(asked).rejects.toThrow('hung up')
    caller.abort(new Error('hung up'))
    await failed
  })

  it('is not begun for a call that is over', async () => {
    const { caller, call } = aCall()
    caller.abort(new Error('hung up'))
    const work = vi.fn(never)
    await expect(withinPatience(call, 3_000, {}, work)).rejects.toThrow('hung up')
    expect(work).not.toHaveBeenCalled()
  })

  it('leaves neither a timer nor a listener', async () => {
    const { caller, call } = aCall()
    await withinPatience(call, 3_000, {}, async () => 'here')
    expect(vi.getTimerCount()).toBe(0)
    expect(getEventListeners(caller.signal, 'abort')).toEqual([])
  })
})

describe('work in each member', () => {
  it('names a member that hangs and has the results of the others, in their order', async () => {
    const { call } = aCall()
    const done = inEachMember(call, ['a', 'b', 'c'], async cluster => (cluster === 'b' ? never() : cluster))
    await vi.advanceTimersByTimeAsync(5_000)
    expect(await done).toEqual({
      results: ['a', 'c'],
      unread: [{ cluster: 'b', message: 'the member did not answer within 5 s' }],
    })
  })
})
