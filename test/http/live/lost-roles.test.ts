import { describe, expect, it } from 'vitest'
import { LOOK_MS } from '../../../http/live/live-calls.js'
import { SETTLE_MS } from '../../../http/live/lost-roles.js'
import { CallsUnderTest, READ, reasonOf, settled, whole, withAnn } from './calls-under-test.js'

describe('a live call', () => {
  it.each<[string, (calls: CallsUnderTest) => void, boolean]>([
    ['its binding goes', calls => calls.bindings.take('b'), true],
    ['its binding begins to go', calls => calls.bindings.beginToTake('b'), true],
    ['its role becomes less', calls => calls.bindings.give('b', 'Viewer', whole), true],
    [
      'its role covers namespaces only',
      calls => calls.bindings.give('b', 'Editor', { ...whole, namespaces: ['a'] }),
      true,
    ],
    ['its role becomes more', calls => calls.bindings.give('b', 'Admin', whole), false],
    ['another binding comes', calls => calls.bindings.give('c', 'Viewer', whole), false],
    ['another one’s binding goes', calls => calls.bindings.take('bobs'), false],
    ['a binding of another instance goes', calls => calls.bindings.take('south'), false],
    [
      'its binding went while the host was not heard',
      calls => {
        calls.bindings.silentForMs = 1_000
        calls.bindings.take('b')
        calls.bindings.silentForMs = 0
      },
      true,
    ],
  ])('by a role: when %s', async (_, change, ends) => {
    const calls = new CallsUnderTest()
    calls.bindings.give('b', 'Editor', whole)
    calls.bindings.give('bobs', 'Editor', { instance: 'north', subject: { kind: 'User', name: 'bob' } })
    calls.bindings.give('south', 'Editor', { ...whole, instance: 'south' })
    const call = calls.open({ caller: calls.caller('ann') })
    await calls.pass(1_000)
    change(calls)
    await calls.pass(LOOK_MS)
    expect(call.ended !== undefined).toBe(ends)
    if (ends) expect(reasonOf(call)).toBe('AccessWithdrawn')
  })

  it('that began while the RBAC inside may still be as before ends, too', async () => {
    const calls = new CallsUnderTest()
    calls.bindings.give('b', 'Editor', { ...whole, namespaces: ['a', 'b'] })
    const early = calls.open({ caller: calls.caller('ann') })
    await calls.pass(1_000)
    calls.bindings.give('b', 'Editor', { ...whole, namespaces: ['a'] })
    await calls.pass(LOOK_MS)
    expect(early.ended).toBeDefined()
    const late = calls.open({ caller: calls.caller('ann') })
    await calls.pass(SETTLE_MS / 2)
    expect(late.ended).toBeUndefined()
    await calls.pass(SETTLE_MS / 2)
    expect(late.ended).toBeDefined()
    const after = calls.open({ caller: calls.caller('ann') })
    await calls.pass(60_000)
    expect(after.ended).toBeUndefined()
  })

  it('by a role that became more meanwhile ends when it is as before', async () => {
    const calls = new CallsUnderTest()
    calls.bindings.give('b', 'Viewer', whole)
    const call = calls.open({ caller: calls.caller('ann') })
    await calls.pass(LOOK_MS)
    calls.bindings.give('b', 'Editor', whole)
    await calls.pass(LOOK_MS)
    expect(call.ended).toBeUndefined()
    calls.bindings.give('b', 'Viewer', whole)
    await calls.pass(LOOK_MS)
    expect(reasonOf(call)).toBe('AccessWithdrawn')
  })

  it('ends by a role that is taken, also when another call of its caller begins at the same time', async () => {
    const calls = new CallsUnderTest()
    calls.bindings.give('b', 'Editor', whole)
    const call = calls.open({ caller: calls.caller('ann') })
    await calls.pass(LOOK_MS)
    calls.bindings.give('b', 'Viewer', whole)
    calls.open({ caller: calls.caller('ann') })
    await calls.pass(LOOK_MS)
    expect(reasonOf(call)).toBe('AccessWithdrawn')
  })

  it('goes on when its caller loses a role on another instance', async () => {
    const calls = new CallsUnderTest()
    calls.bindings.give('b', 'Editor', whole)
    calls.bindings.give('south', 'Editor', { ...whole, instance: 'south' })
    const ann = calls.caller('ann')
    const north = calls.open({ caller: ann })
    const south = calls.open({ caller: ann, instance: 'south', actions: [{ ...READ, name: 'south' }] })
    await calls.pass(LOOK_MS)
    calls.bindings.take('b')
    await calls.pass(2 * SETTLE_MS)
    expect([north.ended !== undefined, south.ended]).toEqual([true, undefined])
  })

  it('that needs no right goes on when its caller is locked on another instance', async () => {
    const { calls, ann } = withAnn()
    const [north, south] = ['north', 'south'].map(instance =>
      calls.open({ caller: ann, instance, actions: [] }),
    )
    await calls.pass(LOOK_MS)
    calls.locks.lock('l', { user: 'ann', instance: 'north' })
    await settled()
    expect([north?.ended !== undefined, south?.ended]).toEqual([true, undefined])
  })

  it('ends also where its caller had none open when the role was taken', async () => {
    const calls = new CallsUnderTest()
    calls.bindings.give('b', 'Editor', whole)
    const ann = calls.caller('ann')
    const before = calls.open({ caller: ann })
    await calls.pass(LOOK_MS)
    before.close()
    await calls.pass(LOOK_MS)
    calls.bindings.give('b', 'Viewer', whole)
    await calls.pass(LOOK_MS)
    const call = calls.open({ caller: ann })
    await calls.pass(SETTLE_MS)
    expect(reasonOf(call)).toBe('AccessWithdrawn')
  })

  it('ends when one of several rights that it needs is gone, and not with those that another one needs', async () => {
    const calls = new CallsUnderTest()
    calls.bindings.give('b', 'Viewer', whole)
    calls.allowed.add('ann')
    const ann = calls.caller('ann')
    const reads = calls.open({ caller: ann })
    const writes = calls.open({ caller: ann, actions: [READ, { ...READ, verb: 'create' }] })
    await calls.pass(10_000)
    expect(writes.ended).toBeUndefined()
    calls.allowed.delete('ann')
    await calls.pass(5_000)
    expect([reads.ended, reasonOf(writes)]).toEqual([undefined, 'AccessWithdrawn'])
  })
})
