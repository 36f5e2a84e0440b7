import { decodeJwt, exportJWK, generateKeyPair, importJWK, SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import type { Caller } from '../../../../http/identity/caller.js'
import { checkedBy } from '../../../../http/identity/credential.js'
import { confined } from '../../../../http/identity/instance-tokens/confined.js'
import {
  INSTANCE_TOKEN_ISSUER,
  InstanceTokens,
} from '../../../../http/identity/instance-tokens/instance-tokens.js'
import { SigningKeys } from '../../../../http/identity/instance-tokens/signing-keys.js'
import { LockedCallers } from '../../../../http/identity/locked-callers.js'
import type { KubeRequest } from '../../../../ports/kube-api.js'
import { fakeAccessLocks } from '../../fakes/access-locks.js'
import { viewOf } from '../../fakes/fleet.js'
import { refusal } from '../../fakes/host.js'

const HOUR = 3_600_000
const ada: Caller = { user: 'ada', uid: '7', groups: ['ops', 'system:authenticated'], extra: { a: ['b'] } }
const NORTH = { name: 'north', uid: 'uid-north' }

/** One Secret on a host, as its API server keeps it. */
function hostSecret() {
  const secret = {
    version: 1,
    data: undefined as Record<string, string> | undefined,
    present: true,
    silent: false,
    isReadOnly: false,
    reads: 0,
  }
  const writes: KubeRequest[] = []
  const shown = () => ({
    metadata: { name: 'x', resourceVersion: `${secret.version}` },
    ...(secret.data && { data: secret.data }),
  })
  const host = {
    async request<T>(request: KubeRequest): Promise<T> {
      if (secret.silent) throw new Error('the host is silent')
      if (!secret.present) throw refusal(404, 'NotFound', 'no such Secret')
      if (request.method === 'GET') secret.reads++
      else if (secret.isReadOnly) throw refusal(403, 'Forbidden', 'no right to update')
      const body = request.body as ReturnType<typeof shown>
      if (request.method === 'PUT') {
        writes.push(request)
        if (body.metadata.resourceVersion !== `${secret.version}`) throw refusal(409, 'Conflict', 'changed')
        secret.version++
        secret.data = body.data
      }
      return shown() as T
    },
  }
  return { secret, writes, host }
}

/** Replicas over one host, whose time a test moves. */
function replicas(count = 1, on = hostSecret()) {
  const time = { ms: 1_800_000_000_000 }
  const configured = new Map<string, string>()
  const uids = new Map([
    ['north', 'uid-north'],
    ['south', 'uid-south'],
  ])
  const make = () =>
    new InstanceTokens({
      keys: new SigningKeys({
        ...{ host: on.host, namespace: 'kairship-system' },
        ...{ now: () => time.ms, wallClock: () => time.ms },
      }),
      fleet: {
        get(name) {
          const uid = uids.get(name)
          const view = viewOf(name)
          return uid === undefined
            ? undefined
            : { ...view, instance: { ...view.instance, metadata: { ...view.instance.metadata, uid } } }
        },
      },
      issuers: {
        configured: url => {
          const fingerprint = configured.get(url)
          return fingerprint === undefined ? undefined : { fingerprint, vouching: { isOver: false } }
        },
      },
      wallClock: () => time.ms,
    })
  return { tokens: Array.from({ length: count }, make), time, configured, uids, ...on }
}

const one = () => {
  const found = replicas()
  return { ...found, tokens: found.tokens[0]! }
}

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

describe('the keys of instance tokens', () => {
  it('are the same for all replicas, however they come to the first one', async () => {
    const { tokens, writes, secret } = replicas(3)
    const issued = await Promise.all(tokens.map(each => each.issue(ada, NORTH, 0)))
    for (const { token } of issued)
      for (const each of tokens) expect(await each.check(token)).toHaveProperty('caller')
    expect(secret.version).toBe(2)
    expect(writes.length).toBeLessThanOrEqual(3)
  })

  it('are replaced after a week, and the last tokens of the old one stay good', async () => {
    const { tokens, time, secret } = one()
    await tokens.issue(ada, NORTH, 0)
    time.ms += 7 * 24 * HOUR - 1_000
    const last = await tokens.issue(ada, NORTH, 0)
    time.ms += 2_000
    const next = await tokens.issue(ada, NORTH, 0)
    expect(secret.version).toBe(3)
    for (const { token } of [last, next]) expect(await tokens.check(token)).toHaveProperty('caller')
    await tokens.issue(ada, NORTH, 0)
    expect(secret.version).toBe(3)
  })

  it('that another replica has just made are known with their first token', async () => {
    const {
      tokens: [first, second],
      time,
    } = replicas(2)
    const old = await first!.issue(ada, NORTH, 0)
    time.ms += 7 * 24 * HOUR - 5_000
    expect(await second!.check(old.token)).toHaveProperty('refused')
    time.ms += 5_000
    const { token } = await first!.issue(ada, NORTH, 0)
    expect(await second!.check(token)).toHaveProperty('caller')
  })

  it('are read once a second at most, whatever keys tokens name', async () => {
    const { tokens, secret, time } = one()
    const { token } = await tokens.issue(ada, NORTH, 0)
    const [, ...rest] = token.split('.')
    const naming = (kid: string) =>
      [Buffer.from(JSON.stringify({ alg: 'ES256', kid })).toString('base64url'), ...rest].join('.')
    const before = secret.reads
    for (let at = 0; at < 20; at++) {
      time.ms += 100
      expect(await tokens.check(naming(`key-${at}`))).toHaveProperty('refused')
    }
    expect(secret.reads - before).toBe(2)
  })

  it('are read once for all tokens that come together', async () => {
    const {
      tokens: [first, second],
      secret,
    } = replicas(2)
    const { token } = await first!.issue(ada, NORTH, 0)
    const before = secret.reads
    await Promise.all(Array.from({ length: 20 }, () => second!.check(token)))
    expect(secret.reads - before).toBe(1)
  })

  it('that cannot be stored sign nothing', async () => {
    const { tokens, secret } = one()
    secret.isReadOnly = true
    await expect(tokens.issue(ada, NORTH, 0)).rejects.toMatchObject({ status: { code: 403 } })
  })

  it('leave the Secret when nothing that they signed can be valid', async () => {
    const { tokens, time, secret } = one()
    for (let week = 0; week < 3; week++) {
      await tokens.issue(ada, NORTH, 0)
      time.ms += 7 * 24 * HOUR
    }
    await tokens.issue(ada, NORTH, 0)
    expect(JSON.parse(Buffer.from(secret.data?.keys ?? '', 'base64').toString())).toHaveLength(2)
  })

  it('that are taken out of the Secret end their tokens within half a minute', async () => {
    const { tokens, time, secret } = one()
    const { token } = await tokens.issue(ada, NORTH, 0)
    secret.data = undefined
    secret.version++
    time.ms += 30_000
    expect(await tokens.check(token)).toHaveProperty('refused')
  })

  it('count for an hour while the host is silent', async () => {
    const { tokens, time, secret } = one()
    const { token } = await tokens.issue(ada, NORTH, 3_600)
    secret.silent = true
    time.ms += HOUR - 60_000
    expect(await tokens.check(token)).toHaveProperty('caller')
  })

  it('count for no longer than an hour while the host is silent', async () => {
    const {
      tokens: [first, second],
      time,
      secret,
    } = replicas(2)
    expect(await second!.check((await first!.issue(ada, NORTH, 0)).token)).toHaveProperty('caller')
    time.ms += HOUR / 2
    const { token } = await first!.issue(ada, NORTH, 0)
    secret.silent = true
    time.ms += HOUR / 2
    expect(await second!.check(token)).toHaveProperty('caller')
    time.ms += 1_000
    await expect(second!.check(token)).rejects.toMatchObject({ code: 14 })
  })

  it('that were never read refuse no token, while the host is silent: nothing is known of it', async () => {
    const {
      tokens: [first, second],
      secret,
    } = replicas(2)
    const { token } = await first!.issue(ada, NORTH, 0)
    secret.silent = true
    await expect(second!.check(token)).rejects.toMatchObject({ code: 14 })
  })

  it.each([
    ['is missing', { present: false }, /apply manifests\/install/],
    ['holds something else', { data: { keys: 'e30=' } }, /empty its data/],
  ])('say what to do where the Secret %s', async (_, change, words) => {
    const { tokens, secret } = one()
    Object.assign(secret, change)
    await expect(tokens.issue(ada, NORTH, 0)).rejects.toThrow(words)
  })

  it('are no key of somebody else’s with the same id', async () => {
    const { tokens } = one()
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
    const token = await new SignJWT({})
      .setIssuer(INSTANCE_TOKEN_ISSUER)
      .setProtectedHeader({ alg: 'ES256', kid: 'unknown', jwk: await exportJWK(publicKey) })
      .sign(privateKey)
    expect(await tokens.check(token)).toHaveProperty('refused')
  })
})

describe('the holder of a token of an instance', () => {
  it.each([undefined, { anew: true }])('is decided about as asked, %j', async how => {
    const asked: unknown[] = []
    const { decide } = confined({
      decide: (...all) => {
        asked.push(all)
        return { allowed: true, reason: 'yes' }
      },
    })
    const action = { verb: 'get', resource: 'instances', name: 'north' }
    for (const caller of [ada, { ...ada, credential: { instance: 'north' } }])
      await decide(caller, action, how)
    expect(asked.map(all => (all as unknown[])[2])).toEqual([how, how])
  })

  const authorizer = confined({ decide: () => ({ allowed: true, reason: 'yes' }) })
  const holder: Caller = { ...ada, credential: { instance: 'north' } }

  it.each([
    [{ verb: 'get', resource: 'instances', name: 'north' }, true],
    [{ verb: 'create', resource: 'instances/proxy', name: 'north' }, true],
    [{ verb: 'get', resource: 'instances/proxy', name: 'south' }, false],
    [{ verb: 'list', resource: 'instances' }, false],
    [{ verb: 'get', resource: 'workspaces', name: 'north' }, false],
    [{ verb: 'get', resource: 'instancesets', name: 'north' }, false],
    [{ verb: 'get', path: '/metrics' }, false],
  ])('does what is about the instance and nothing else: %j', async (action, allowed) => {
    const verdict = await authorizer.decide(holder, action)
    expect(verdict.allowed).toBe(allowed)
    if (!allowed) expect(verdict.reason).toBe('the token is for the instance "north" alone')
    expect((await authorizer.decide(ada, action)).allowed).toBe(true)
  })
})
