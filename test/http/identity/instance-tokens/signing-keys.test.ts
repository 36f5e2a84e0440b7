import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { INSTANCE_TOKEN_ISSUER } from '../../../../http/identity/instance-tokens/instance-tokens.js'
import { ada, HOUR, NORTH, one, replicas } from './tokens-under-test.js'

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
