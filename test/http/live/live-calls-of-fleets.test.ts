import { describe, expect, it } from 'vitest'
import { LOOK_MS } from '../../../http/live/live-calls.js'
import { Code } from '../../../transcoding/code.js'
import { CallsUnderTest, settled, whole, withAnn } from './calls-under-test.js'

describe('a live call', () => {
  it('about many instances is to be resumed when one of them is locked, or a role on one is taken', async () => {
    const calls = new CallsUnderTest()
    calls.bindings.give('b', 'Viewer', whole)
    const ann = calls.caller('ann')
    const first = calls.openFleet(ann)
    first.note('north')
    calls.locks.lock('others', { user: 'bob', instance: 'north' })
    await settled()
    expect(first.ended).toBeUndefined()
    calls.locks.lock('mine', { user: 'ann', instance: 'north' })
    await settled()
    expect([first.ended?.code, first.ended?.message]).toEqual([
      Code.UNAVAILABLE,
      expect.stringContaining('resume with the last token'),
    ])
    const elsewhere = calls.openFleet(calls.caller('eve'))
    elsewhere.note('south')
    calls.locks.lock('everyones', { instance: 'north' })
    await settled()
    expect(elsewhere.ended).toBeUndefined()
    calls.locks.unlock('everyones')
    const second = calls.openFleet(ann)
    second.note('north')
    calls.locks.unlock('others')
    await calls.pass(1_000)
    expect(second.ended).toBeUndefined()
    calls.bindings.take('b')
    await calls.pass(LOOK_MS)
    expect(second.ended?.code).toBe(Code.UNAVAILABLE)
  })

  it('about many instances goes on when one of them is deleted, whose roles go with it; one about that instance ends', async () => {
    const calls = new CallsUnderTest()
    calls.bindings.give('b', 'Viewer', whole)
    const ann = calls.caller('ann')
    const [many, one] = [calls.openFleet(ann), calls.open({ caller: ann })]
    many.note('north')
    calls.leaving.add('north')
    calls.bindings.take('b')
    await calls.pass(60_000)
    expect([many.ended, one.ended?.code]).toEqual([undefined, Code.PERMISSION_DENIED])
  })

  it('about many instances is to be resumed when a lock comes to be for one of them', async () => {
    const { calls, ann } = withAnn()
    const call = calls.openFleet(ann)
    call.note('north')
    calls.locks.lock('moves', { user: 'ann', instance: 'south' })
    await settled()
    expect(call.ended).toBeUndefined()
    calls.locks.lock('moves', { user: 'ann', instance: 'north' })
    await settled()
    expect(call.ended?.message).toContain('an instance was locked')
  })

  it.each<[string, (calls: CallsUnderTest, note: (instance: string) => void) => void]>([
    ['a role on an instance that it came to later is taken', calls => calls.bindings.take('b')],
    [
      'it comes to the instance again just then',
      (calls, note) => {
        calls.bindings.take('b')
        note('north')
      },
    ],
    [
      'a role on another becomes more just then',
      calls => {
        calls.bindings.take('b')
        calls.bindings.give('south', 'Admin', { ...whole, instance: 'south' })
      },
    ],
  ])('about many instances is to be resumed when %s', async (_, change) => {
    const calls = new CallsUnderTest()
    calls.bindings.give('b', 'Viewer', whole)
    calls.bindings.give('south', 'Viewer', { ...whole, instance: 'south' })
    const call = calls.openFleet(calls.caller('ann'))
    await calls.pass(LOOK_MS)
    call.note('north')
    call.note('south')
    await calls.pass(LOOK_MS)
    change(calls, call.note)
    await calls.pass(LOOK_MS)
    expect(call.ended?.code).toBe(Code.UNAVAILABLE)
  })
})
