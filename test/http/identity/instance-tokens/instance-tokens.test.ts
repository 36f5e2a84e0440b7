import { decodeJwt, generateKeyPair, importJWK, SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { checkedBy } from '../../../../http/identity/credential.js'
import { INSTANCE_TOKEN_ISSUER } from '../../../../http/identity/instance-tokens/instance-tokens.js'
import { LockedCallers } from '../../../../http/identity/locked-callers.js'
import { fakeAccessLocks } from '../../fakes/access-locks.js'
import { ada, HOUR, NORTH, one } from './tokens-under-test.js'

describe('a token of an instance', () => {
  it('shows its user at the instance, and can be named by its id', async () => {
    const { tokens, time } = one()
    const issued = await tokens.issue(ada, NORTH, 600)
    expect(tokens.isOne(issued.token)).toBe(true)
    expect(await tokens.check(issued.token)).toEqual({
      caller: { ...ada, credential: { id: issued.id, expiresAt: time.ms + 600_000, instance: 'north' } },
      validMs: 600_000,
    })
    expect(decodeJwt(issued.token)).toMatchObject({
      iss: INSTANCE_TOKEN_ISSUER,
      aud: 'kairship.io/instances/north',
      sub: 'ada',
      jti: issued.id,
    })
  })

  it('is valid for an hour unless less is asked for, and no longer than the credential behind it', async () => {
    const { tokens, time } = one()
    expect((await tokens.issue(ada, NORTH, 0)).expiresAt).toBe(time.ms + HOUR)
    const ending = { ...ada, credential: { expiresAt: time.ms + 90_000 } }
    expect((await tokens.issue(ending, NORTH, 0)).expiresAt).toBe(time.ms + 90_000)
  })

  it('says which credential it was requested with, so that a lock on that one is for both', async () => {
    const { tokens } = one()
    const { token, id } = await tokens.issue({ ...ada, credential: { id: 'JTI=stolen' } }, NORTH, 0)
    const checked = await tokens.check(token)
    if ('refused' in checked) throw new Error(checked.refused)
    for (const [tokenId, refuses] of [
      ['stolen', true],
      [id, true],
      ['other', false],
    ] as const) {
      const locks = fakeAccessLocks()
      locks.lock('l', { tokenId })
      expect(new LockedCallers(locks).refusal(checked.caller, 'north') !== undefined).toBe(refuses)
    }
  })

  it.each([1, 59, 3_601, -5])('is not issued for %d seconds', async seconds => {
    await expect(one().tokens.issue(ada, NORTH, seconds)).rejects.toMatchObject({ code: 3 })
  })

  it('is not issued by a credential that is over within this second', async () => {
    const { tokens, time } = one()
    const ending = { ...ada, credential: { expiresAt: time.ms + 999 } }
    await expect(tokens.issue(ending, NORTH, 0)).rejects.toMatchObject({ code: 16 })
  })

  it('is not issued by a token whose issuer is not configured, or not as it was', async () => {
    const { tokens, configured } = one()
    const caller = { ...ada, credential: { issuer: 'https://login' } }
    await expect(tokens.issue(caller, NORTH, 0)).rejects.toMatchObject({ code: 16 })
    configured.set('https://login', 'rules')
    const issuer = { isOver: false }
    checkedBy(caller, { key: 'one', issuer })
    expect(await tokens.issue(caller, NORTH, 0)).toHaveProperty('token')
    issuer.isOver = true
    await expect(tokens.issue(caller, NORTH, 0)).rejects.toMatchObject({ code: 16 })
  })

  it('of a ServiceAccount ends with the account, for replicas that started after that too', async () => {
    const { tokens, there, time } = one()
    const account = { ...ada, user: 'system:serviceaccount:ci:deployer', uid: 'seven' }
    const { token } = await tokens.issue(account, NORTH, 0)
    const isRefused = async () => 'refused' in (await tokens.check(token))
    // A watch may be behind by a moment.
    there.set('seven', false)
    expect(await isRefused()).toBe(false)
    time.ms += 60_000
    expect(await tokens.check(token)).toEqual({ refused: 'the ServiceAccount of the token was deleted' })
    for (const known of [true, undefined]) {
      there.set('seven', known)
      expect(await isRefused()).toBe(false)
    }
  })

  it('is not issued to a caller of more groups than a token can have', async () => {
    const groups = Array.from({ length: 1_000 }, (_, n) => `https://groups.example/${n}`)
    const issued = one().tokens.issue({ ...ada, groups }, NORTH, 0)
    await expect(issued).rejects.toThrow('too many groups')
  })

  it.each<[string, object]>([
    ['of another issuer', { iss: 'https://login' }],
    ['for another instance than it names', { aud: 'kairship.io/instances/south' }],
    ['for several', { aud: ['kairship.io/instances/north', 'kairship.io/instances/south'] }],
    ['without an end', { exp: undefined }],
    ['without an id', { jti: undefined }],
    ['without a user', { sub: '' }],
    ['without an instance', { kairship: { groups: [], extra: {} } }],
  ])('is not accepted %s, whoever signed it', async (_, change) => {
    const { tokens, secret } = one()
    const claims = decodeJwt((await tokens.issue(ada, NORTH, 0)).token)
    const [stored] = JSON.parse(Buffer.from(secret.data?.keys ?? '', 'base64').toString())
    const signed = (payload: object) =>
      new SignJWT({ ...payload }).setProtectedHeader({ alg: 'ES256', kid: stored.kid }).sign(stored.key)
    stored.key = await importJWK(stored.jwk, 'ES256')
    expect(await tokens.check(await signed(claims))).toHaveProperty('caller')
    expect(await tokens.check(await signed({ ...claims, ...change }))).toHaveProperty('refused')
  })

  it('makes no other token', async () => {
    const { tokens } = one()
    const checked = await tokens.check((await tokens.issue(ada, NORTH, 0)).token)
    if ('refused' in checked) throw new Error(checked.refused)
    await expect(tokens.issue(checked.caller, NORTH, 0)).rejects.toThrow('cannot be used to make another one')
  })

  it('ends at its time', async () => {
    const { tokens, time } = one()
    const { token } = await tokens.issue(ada, NORTH, 60)
    time.ms += 60_000
    expect(await tokens.check(token)).toEqual({ refused: 'the token of the instance has expired' })
  })

  it('ends with its instance, and is not of a successor of the same name', async () => {
    const { tokens, uids } = one()
    const { token } = await tokens.issue(ada, NORTH, 0)
    uids.set('north', 'another')
    expect(await tokens.check(token)).toEqual({ refused: 'the instance north of the token is gone' })
    uids.delete('north')
    expect(await tokens.check(token)).toEqual({ refused: 'the instance north of the token is gone' })
  })

  it.each([
    ['is taken out of the configuration', undefined],
    ['is configured otherwise', 'other rules'],
  ])('ends when the issuer of the token behind it %s', async (_, after) => {
    const { tokens, configured } = one()
    configured.set('https://login', 'rules')
    const { token } = await tokens.issue({ ...ada, credential: { issuer: 'https://login' } }, NORTH, 0)
    expect(await tokens.check(token)).toMatchObject({
      caller: { credential: { issuer: 'https://login' } },
      issuer: { isOver: false },
    })
    if (after === undefined) configured.delete('https://login')
    else configured.set('https://login', after)
    expect(await tokens.check(token)).toMatchObject({
      refused: expect.stringContaining('not configured any more'),
    })
  })

  it('is accepted only as Kairship signed it', async () => {
    const { tokens } = one()
    const { token } = await tokens.issue(ada, NORTH, 0)
    const [head = '', body = '', signature = ''] = token.split('.')
    const other = (change: object) =>
      Buffer.from(JSON.stringify({ ...decodeJwt(token), ...change })).toString('base64url')
    const none = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url')
    const { privateKey } = await generateKeyPair('ES256')
    const forged = await new SignJWT(decodeJwt(token))
      .setProtectedHeader({ alg: 'ES256', kid: JSON.parse(Buffer.from(head, 'base64url').toString()).kid })
      .sign(privateKey)
    for (const wrong of [
      `${head}.${other({ sub: 'root' })}.${signature}`,
      `${head}.${other({ aud: 'kairship.io/instances/south' })}.${signature}`,
      `${none}.${body}.`,
      `${head}.${body}.`,
      forged,
    ])
      expect(await tokens.check(wrong)).toEqual({
        refused: 'the token of the instance is not accepted: Kairship did not sign it',
      })
  })

  it('is no token that says nothing of the kind', () => {
    const { tokens } = one()
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const foreign = `${part({ alg: 'ES256' })}.${part({ iss: 'https://login' })}.c2ln`
    for (const other of ['', 'opaque', 'a.b.c', foreign]) expect(tokens.isOne(other)).toBe(false)
  })
})
