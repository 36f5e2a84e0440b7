import { describe, expect, it } from 'vitest'
import { unauthenticated } from '../../../http/errors/failure.js'
import { ASK_MS } from '../../../http/live/host-confirmation.js'
import { LOOK_MS } from '../../../http/live/live-calls.js'
import { Code } from '../../../transcoding/code.js'
import { CallsUnderTest, NOON, reasonOf, settled, withAnn } from './calls-under-test.js'

describe('a live call', () => {
  it.each<[string, object]>([
    ['user', { user: 'ann' }],
    ['group', { group: 'dev' }],
    ['token', { tokenId: 'seven' }],
    ['instance', { instance: 'north' }],
    ['all of them', { user: 'ann', group: 'dev', tokenId: 'seven', instance: 'north' }],
  ])('ends at once when its %s is locked, with the message of the lock', async (_, spec) => {
    const { calls, ann } = withAnn()
    const call = calls.open({ caller: ann })
    calls.locks.lock('l', { ...spec, message: 'call security' })
    await settled()
    expect(call.ended).toMatchObject({
      code: Code.PERMISSION_DENIED,
      message: expect.stringContaining('call security'),
    })
  })

  it('is ended once, however long it takes to end', async () => {
    const { calls, ann } = withAnn()
    const reasons: string[] = []
    const call = { caller: ann, instance: 'north', actions: [], isLong: true }
    calls.live.add({ ...call, end: ({ message }) => reasons.push(message) })
    calls.locks.lock('l', { user: 'ann' })
    await calls.pass(5_000)
    expect(reasons).toHaveLength(1)
  })

  it.each<[string, (calls: CallsUnderTest, account: { groups: string[]; isGone: boolean }) => void]>([
    ['its right on the host is taken away', calls => void calls.allowed.delete('ann')],
    ['its account is gone', (_, account) => (account.isGone = true)],
    ['its caller is in other groups', (_, account) => (account.groups = [])],
  ])('ends within a second when %s, while 25 credentials have some', async (_, change) => {
    const calls = new CallsUnderTest()
    const account = { groups: ['dev'], isGone: false }
    const ask = async () => {
      if (account.isGone) throw unauthenticated('unknown')
      return calls.caller('ann', { groups: account.groups })
    }
    for (let others = 0; others < 24; others++) {
      calls.allowed.add(`other-${others}`)
      calls.open({ caller: calls.caller(`other-${others}`) })
    }
    calls.allowed.add('ann')
    const call = calls.open({ caller: calls.caller('ann', { groups: ['dev'] }, { ask }) })
    for (const at of [10_000, 300, 300, 300]) {
      await calls.pass(at)
      expect(call.ended).toBeUndefined()
    }
    change(calls, account)
    await calls.pass(900)
    expect(call.ended).toBeDefined()
  })

  it('ends within a second when its right is taken away, though the host does not say whether the account is there', async () => {
    const { calls } = withAnn()
    let isHanging = false
    const ask = () => (isHanging ? new Promise<never>(() => undefined) : Promise.resolve(calls.caller('ann')))
    const call = calls.open({ caller: calls.caller('ann', {}, { ask }) })
    await calls.pass(10_000)
    isHanging = true
    await calls.pass(10_000)
    expect(call.ended).toBeUndefined()
    calls.allowed.delete('ann')
    await calls.pass(900)
    expect(reasonOf(call)).toBe('AccessWithdrawn')
  })

  it('goes on when others are locked', async () => {
    const { calls, ann } = withAnn()
    const call = calls.open({ caller: ann })
    for (const spec of [
      { user: 'bob' },
      { group: 'ops' },
      { tokenId: 'eight' },
      { user: 'ann', instance: 'south' },
    ])
      calls.locks.lock(JSON.stringify(spec), spec)
    await calls.pass(60_000)
    expect(call.ended).toBeUndefined()
  })

  it('ends when its credential expires', async () => {
    const { calls } = withAnn()
    const ann = calls.caller('ann', { credential: { expiresAt: NOON + 10_000 } })
    const call = calls.open({ caller: ann })
    await calls.pass(9_999)
    expect(call.ended).toBeUndefined()
    await calls.pass(LOOK_MS)
    expect([call.ended?.code, reasonOf(call)]).toEqual([Code.UNAUTHENTICATED, 'CredentialEnded'])
  })

  it('ends when its issuer is taken out of the configuration', async () => {
    const { calls } = withAnn()
    const issuer = { isOver: false }
    const call = calls.open({ caller: calls.caller('ann', {}, { issuer }) })
    await calls.pass(1_000)
    issuer.isOver = true
    await calls.pass(LOOK_MS)
    expect(reasonOf(call)).toBe('CredentialEnded')
  })

  it('ends within five seconds when its account is gone, and so does one whose account has other groups', async () => {
    const { calls } = withAnn()
    let now: 'same' | 'gone' | 'other' = 'same'
    const ask = async () => {
      if (now === 'gone') throw unauthenticated('the bearer token is not accepted')
      return calls.caller('ann', { groups: now === 'same' ? [] : ['other'] })
    }
    const first = calls.open({ caller: calls.caller('ann', {}, { ask }) })
    await calls.pass(20_000)
    expect(first.ended).toBeUndefined()
    now = 'other'
    await calls.pass(5_000)
    expect(first.ended?.message).toContain('other groups')
    const second = calls.open({ caller: calls.caller('ann', { groups: ['other'] }, { ask }) })
    await calls.pass(5_000)
    expect(second.ended).toBeUndefined()
    now = 'gone'
    await calls.pass(5_000)
    expect(reasonOf(second)).toBe('CredentialEnded')
  })

  it('of a ServiceAccount that is seen to be deleted ends at the next look, whatever the host says of its token', async () => {
    const { calls } = withAnn()
    const accounts = ['seven', 'eight'].map(uid => {
      const caller = calls.caller('system:serviceaccount:ci:deployer', { uid }, { key: uid })
      calls.allowed.add(caller.user)
      return calls.open({ caller })
    })
    const person = calls.open({ caller: calls.caller('ann', { uid: 'seven' }) })
    await calls.pass(1_000)
    calls.deletedAccounts.add('seven')
    await calls.pass(LOOK_MS)
    expect([...accounts, person].map(reasonOf)).toEqual(['CredentialEnded', undefined, undefined])
  })

  it('ends within five seconds when its right on the host is gone', async () => {
    const { calls, ann } = withAnn()
    const call = calls.open({ caller: ann })
    await calls.pass(20_000)
    expect(call.ended).toBeUndefined()
    calls.allowed.delete('ann')
    await calls.pass(5_000)
    expect([call.ended?.code, reasonOf(call)]).toEqual([Code.PERMISSION_DENIED, 'AccessWithdrawn'])
  })

  it('that was let in by a remembered verdict is asked about at once', async () => {
    const { calls, ann } = withAnn()
    await calls.decide(ann, { verb: 'get', resource: 'instances/proxy', name: 'north' })
    calls.allowed.delete('ann')
    const call = calls.open({ caller: ann })
    await calls.pass(LOOK_MS)
    expect(reasonOf(call)).toBe('AccessWithdrawn')
  })

  it('goes on when another credential of its caller ends', async () => {
    const { calls } = withAnn()
    const [ending, lasting] = [NOON + 10_000, NOON + 100_000].map(expiresAt =>
      calls.open({ caller: calls.caller('ann', { credential: { expiresAt } }, { key: `${expiresAt}` }) }),
    )
    await calls.pass(10_000 + LOOK_MS)
    expect([ending && reasonOf(ending), lasting?.ended]).toEqual(['CredentialEnded', undefined])
  })

  it('by a token that Kairship verifies itself ends within some minute when its issuer withdraws the key', async () => {
    const { calls } = withAnn()
    let [isWithdrawn, asked] = [false, 0]
    const ask = async () => {
      asked += 1
      if (isWithdrawn) throw unauthenticated('the token is of no key that its issuer has')
      return calls.caller('ann')
    }
    const call = calls.open({ caller: calls.caller('ann', {}, { issuer: { isOver: false }, ask }) })
    await calls.pass(180_000)
    expect([call.ended, asked]).toEqual([undefined, 2])
    isWithdrawn = true
    await calls.pass(65_000)
    expect(reasonOf(call)).toBe('CredentialEnded')
  })

  it('is ended with one line in the log, also where what ended it lasts', async () => {
    const { calls, ann } = withAnn()
    calls.open({ caller: ann })
    await calls.pass(LOOK_MS)
    calls.locks.lock('l', { user: 'ann' })
    await calls.pass(ASK_MS)
    expect(calls.log.lines.map(({ fields }) => fields)).toMatchObject([
      { user: 'ann', calls: 1, reason: 'AccessLocked' },
    ])
  })
})
