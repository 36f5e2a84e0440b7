import { describe, expect, it } from 'vitest'
import { LOOK_MS } from '../../../http/live/live-calls.js'
import { CallsUnderTest, reasonOf, settled, whole, withAnn } from './calls-under-test.js'

describe('a live call', () => {
  it('that is short ends when its role is taken, however little of its second is over', async () => {
    const calls = new CallsUnderTest()
    calls.bindings.give('b', 'Editor', whole)
    const call = calls.open({ caller: calls.caller('ann'), isLong: false })
    await calls.pass(LOOK_MS)
    calls.bindings.take('b')
    await calls.pass(LOOK_MS)
    expect(reasonOf(call)).toBe('AccessWithdrawn')
  })

  it('that was to be short is asked about like any other once it took a second', async () => {
    const { calls, ann } = withAnn()
    const call = calls.open({ caller: ann, isLong: false })
    await calls.pass(900)
    expect(calls.reviews).toBe(0)
    calls.allowed.delete('ann')
    await calls.pass(100)
    expect([calls.reviews, reasonOf(call)]).toEqual([1, 'AccessWithdrawn'])
  })

  it('that is short is left to end, and ended when it takes long', async () => {
    const { calls, ann } = withAnn()
    const short = calls.open({ caller: ann, isLong: false })
    await calls.pass(500)
    short.close()
    const slow = calls.open({ caller: ann, isLong: false })
    await calls.pass(900)
    expect(calls.reviews).toBe(0)
    calls.locks.lock('l', { user: 'ann' })
    await settled()
    expect([short.ended, reasonOf(slow)]).toEqual([undefined, 'AccessLocked'])
  })
})
