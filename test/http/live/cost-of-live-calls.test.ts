import { describe, expect, it } from 'vitest'
import { ASK_MS, SOONEST_MS } from '../../../http/live/host-confirmation.js'
import { LOOK_MS } from '../../../http/live/live-calls.js'
import { CallsUnderTest, READ, whole, withAnn } from './calls-under-test.js'

describe('what live calls cost', () => {
  it('is nothing while there are none', async () => {
    const { calls, ann } = withAnn()
    expect(calls.isLooking).toBe(false)
    calls.open({ caller: ann }).close()
    await calls.pass(2 * ASK_MS)
    expect([calls.isLooking, calls.reviews]).toEqual([false, 0])
  })

  it('is one review for a thousand of one caller', async () => {
    const { calls, ann } = withAnn()
    for (let count = 0; count < 1_000; count++) calls.open({ caller: ann })
    await calls.pass(LOOK_MS)
    expect(calls.reviews).toBe(1)
    await calls.pass(10 * SOONEST_MS)
    expect(calls.reviews).toBe(11)
  })

  it('is no more for a caller who opens them again and again', async () => {
    const { calls, ann } = withAnn()
    for (let count = 0; count < 40; count++) {
      const opened = Array.from({ length: 10 }, () => calls.open({ caller: ann }))
      await calls.pass(LOOK_MS)
      for (const call of opened) call.close()
    }
    expect(calls.reviews).toBeLessThanOrEqual(1 + Math.ceil((40 * LOOK_MS) / SOONEST_MS))
  })

  it('is one question about a credential that several of them show', async () => {
    const { calls } = withAnn()
    let asked = 0
    const ask = async () => {
      asked += 1
      return calls.caller('ann')
    }
    const ann = calls.caller('ann', {}, { ask })
    for (const instance of ['north', 'south', 'east'])
      calls.open({ caller: ann, instance, actions: [{ ...READ, name: instance }] })
    await calls.pass(LOOK_MS)
    expect([asked, calls.reviews]).toEqual([1, 3])
  })

  it.each([
    { callers: 10, aSecond: 20 },
    { callers: 25, aSecond: 50 },
    { callers: 100, aSecond: 50 },
    { callers: 200, aSecond: 50 },
    { callers: 1_000, aSecond: 250 },
  ])(
    'is $aSecond questions of each kind a second for $callers callers with a thousand of them',
    async given => {
      const calls = new CallsUnderTest()
      let accounts = 0
      for (let count = 0; count < 1_000; count++) {
        const user = `user-${count % given.callers}`
        calls.allowed.add(user)
        const ask = async () => {
          accounts += 1
          return calls.caller(user)
        }
        calls.open({ caller: calls.caller(user, {}, { ask }) })
      }
      await calls.pass(2 * ASK_MS)
      const [reviews, before] = [calls.reviews, accounts]
      await calls.pass(20_000)
      expect([(calls.reviews - reviews) / 20, (accounts - before) / 20]).toEqual([
        given.aSecond,
        given.aSecond,
      ])
    },
  )

  it('is no review where a role allows them', async () => {
    const calls = new CallsUnderTest()
    calls.bindings.give('b', 'Viewer', whole)
    calls.open({ caller: calls.caller('ann') })
    await calls.pass(60_000)
    expect(calls.reviews).toBe(0)
  })
})
