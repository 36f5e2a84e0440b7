import { describe, expect, it } from 'vitest'
import { unavailable } from '../../../http/errors/failure.js'
import { ASK_MS, UNCONFIRMED_MS } from '../../../http/live/host-confirmation.js'
import { LOOK_MS } from '../../../http/live/live-calls.js'
import { bareStatus, StatusError } from '../../../manifests/status-error.js'
import { UnreachableError } from '../../../ports/kube-api.js'
import { Code } from '../../../transcoding/code.js'
import { CallsUnderTest, whole, withAnn } from './calls-under-test.js'

describe('a live call', () => {
  it('goes on while the host does not answer, for a minute and no longer', async () => {
    const { calls, ann } = withAnn()
    const call = calls.open({ caller: ann })
    await calls.pass(ASK_MS)
    calls.host.script = () => {
      throw new UnreachableError('connect ECONNREFUSED', 'ECONNREFUSED')
    }
    await calls.pass(UNCONFIRMED_MS - ASK_MS)
    expect(call.ended).toBeUndefined()
    await calls.pass(2 * ASK_MS)
    expect([call.ended?.code, call.ended?.message]).toEqual([
      Code.UNAVAILABLE,
      expect.stringContaining('connect ECONNREFUSED'),
    ])
  })

  it('goes on for that time where the host hangs, and no longer for what is asked of it', async () => {
    const { calls, ann } = withAnn()
    const call = calls.open({ caller: ann })
    await calls.pass(ASK_MS)
    calls.host.script = () => new Promise(() => undefined)
    await calls.pass(UNCONFIRMED_MS - 2 * ASK_MS)
    expect(call.ended).toBeUndefined()
    await calls.pass(2 * ASK_MS)
    expect([call.ended?.code, call.ended?.message]).toEqual([
      Code.UNAVAILABLE,
      expect.stringContaining('the host does not answer'),
    ])
  })

  it('goes on by a role for a minute after the host was last heard, and not for another one after the role counts', async () => {
    const calls = new CallsUnderTest()
    calls.bindings.give('b', 'Editor', whole)
    const call = calls.open({ caller: calls.caller('ann') })
    await calls.pass(ASK_MS)
    calls.host.script = () => {
      throw new UnreachableError('connect ECONNREFUSED', 'ECONNREFUSED')
    }
    calls.bindings.silentForMs = 0
    for (let silentMs = 0; silentMs < UNCONFIRMED_MS; silentMs += 1_000) {
      calls.bindings.silentForMs = silentMs
      await calls.pass(1_000)
      expect(call.ended).toBeUndefined()
    }
    calls.bindings.silentForMs = UNCONFIRMED_MS + 1
    await calls.pass(ASK_MS + LOOK_MS)
    expect(call.ended?.code).toBe(Code.UNAVAILABLE)
  })

  it('goes on when the host confirms it late, within two seconds, after its role was nearly forgotten', async () => {
    const calls = new CallsUnderTest()
    calls.bindings.give('b', 'Editor', whole)
    const ann = calls.caller('ann')
    let answered = (): void => undefined
    let isSlow = false
    const ask = async () => {
      if (isSlow) await new Promise<void>(resolve => (answered = resolve))
      return ann
    }
    calls.bindings.silentForMs = UNCONFIRMED_MS - 1_000
    const call = calls.open({ caller: calls.caller('ann', {}, { ask }) })
    await calls.pass(LOOK_MS)
    isSlow = true
    await calls.pass(ASK_MS + 1_000)
    expect(call.ended).toBeUndefined()
    calls.bindings.silentForMs = 0
    answered()
    await calls.pass(1_000)
    expect(call.ended).toBeUndefined()
  })

  it('goes on for a minute after the host itself allowed it, once roles count no more', async () => {
    const { calls, ann } = withAnn()
    calls.bindings.silentForMs = 2 * UNCONFIRMED_MS
    const call = calls.open({ caller: ann })
    await calls.pass(LOOK_MS)
    calls.host.script = () => {
      throw new UnreachableError('connect ECONNREFUSED', 'ECONNREFUSED')
    }
    await calls.pass(UNCONFIRMED_MS - 2 * ASK_MS)
    expect(call.ended).toBeUndefined()
    await calls.pass(3 * ASK_MS)
    expect(call.ended?.code).toBe(Code.UNAVAILABLE)
  })

  it('goes on while the host does not answer for less than a minute, however long it was open before', async () => {
    const { calls, ann } = withAnn()
    const call = calls.open({ caller: ann })
    await calls.pass(2 * UNCONFIRMED_MS)
    calls.host.script = () => {
      throw new UnreachableError('connect ECONNREFUSED', 'ECONNREFUSED')
    }
    await calls.pass(UNCONFIRMED_MS - 2 * ASK_MS)
    expect(call.ended).toBeUndefined()
  })

  it('goes on unconfirmed for as long as the settings say', async () => {
    const calls = new CallsUnderTest({ unconfirmedMs: 10_000 })
    calls.allowed.add('ann')
    const call = calls.open({ caller: calls.caller('ann') })
    await calls.pass(LOOK_MS)
    calls.host.script = () => {
      throw new UnreachableError('connect ECONNREFUSED', 'ECONNREFUSED')
    }
    await calls.pass(2 * ASK_MS)
    expect(call.ended).toBeUndefined()
    await calls.pass(ASK_MS)
    expect(call.ended?.message).toContain('for 10 s nobody could say')
  })

  it('goes on for that time where the host answers with an error, too', async () => {
    const { calls, ann } = withAnn()
    const call = calls.open({ caller: ann })
    await calls.pass(LOOK_MS)
    calls.host.script = () => {
      throw new StatusError({ ...bareStatus(403, 'no right to create reviews'), reason: 'Forbidden' })
    }
    await calls.pass(UNCONFIRMED_MS - 2 * ASK_MS)
    expect(call.ended).toBeUndefined()
    await calls.pass(3 * ASK_MS)
    expect(call.ended?.code).toBe(Code.UNAVAILABLE)
  })

  it.each([
    ['the host', {}],
    ['its issuer', { issuer: { isOver: false } }],
  ])(
    'goes on for that time while %s cannot be asked about its account, though its rights are confirmed',
    async (_, check) => {
      const { calls } = withAnn()
      let isAway = false
      const ask = async () => {
        if (isAway) throw unavailable('nobody answers')
        return ann
      }
      const ann = calls.caller('ann', {}, { ask, ...check } as never)
      const call = calls.open({ caller: ann })
      await calls.pass(UNCONFIRMED_MS - LOOK_MS)
      isAway = true
      await calls.pass(UNCONFIRMED_MS - ASK_MS)
      expect(call.ended).toBeUndefined()
      await calls.pass(2 * ASK_MS)
      expect([call.ended?.code, call.ended?.message]).toEqual([
        Code.UNAVAILABLE,
        expect.stringContaining('nobody answers'),
      ])
    },
  )
})
