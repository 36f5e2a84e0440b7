import { deflateRawSync } from 'node:zlib'
import { CompactEncrypt, type CryptoKey, exportSPKI, importJWK, SignJWT, UnsecuredJWT } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Caller } from '../../../../http/identity/caller.js'
import { authenticating, entryFor } from './authenticating.js'
import { type SigningKey, signingKey, startIssuer, type TestIssuer } from './test-issuer.js'

let key: SigningKey
let issuer: TestIssuer
let other: TestIssuer
let running: ReturnType<typeof authenticating> | undefined

beforeAll(async () => {
  key = await signingKey('one')
  issuer = await startIssuer(key)
  other = await startIssuer(await signingKey('one'))
})
afterAll(() => Promise.all([issuer.close(), other.close()]))
afterEach(() => {
  running?.issuers.close()
  issuer.keys = [key.published]
})

const start = (...entries: object[]) => {
  running = authenticating(entries.length > 0 ? entries : [entryFor(issuer)])
  return running
}
const now = () => Math.floor(Date.now() / 1_000)
const base64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

describe('a token of a configured issuer', () => {
  it('is accepted, and names the caller by its claims', async () => {
    const { send, counts, host } = start()
    const exp = now() + 60
    expect(await send(await issuer.token({ sub: 'ada', groups: ['ops'], jti: 't-1', exp }))).toEqual({
      user: 'ada',
      groups: ['ops', 'system:authenticated'],
      extra: {},
      credential: { id: 't-1', expiresAt: exp * 1_000, issuer: issuer.url },
    })
    expect(host.requests).toEqual([])
    expect(
      counts.get(
        `kairship_issuer_tokens_total${JSON.stringify({ issuer: issuer.url, outcome: 'accepted' })}`,
      ),
    ).toBe(1)
  })

  it.each([
    ['its username', (name: string) => ({ sub: name })],
    ['one of its groups', (name: string) => ({ sub: 'ada', groups: ['ops', name] })],
    ['its id', (name: string) => ({ sub: 'ada', jti: name })],
  ])('is refused where no AccessLock could name %s', async (what, claims) => {
    const { answer } = start()
    const longest = claims('n'.repeat(1_024))
    expect(await answer(await issuer.token(longest))).toBe(longest.sub)
    expect(await answer(await issuer.token(claims('n'.repeat(1_025))))).toBe(
      `the bearer token of the issuer ${issuer.url} is not accepted: ${what} has 1025 characters: an AccessLock can name 1024 at most`,
    )
  })

  it('that holds up the process until its expressions are stopped counts as 25 that are refused', async () => {
    const { send } = start(
      entryFor(issuer, { claimValidationRules: [{ expression: 'claims.x.matches("^(a+)+$")' }] }),
    )
    const from = '192.0.2.1'
    const runaway = async (n: number) =>
      send(await issuer.token({ sub: `${n}`, x: `${'a'.repeat(60)}b` }), from)
    for (const n of [1, 2, 3]) await expect(runaway(n)).rejects.toMatchObject({ code: 16 })
    for (let n = 0; n < 24; n++)
      await expect(send(await issuer.token({ sub: `${n}`, x: 'b' }), from)).rejects.toMatchObject({
        code: 16,
      })
    await expect(runaway(4)).rejects.toMatchObject({ code: 16 })
    await expect(send(await issuer.token({ sub: 'ada', x: 'a' }), from)).rejects.toMatchObject({ code: 8 })
    expect(await send(await issuer.token({ sub: 'ada', x: 'a' }), '192.0.2.2')).toMatchObject({ user: 'ada' })
  })

  it('finds a place to be verified while another issuer, or the host, keeps all reviews of its source waiting', async () => {
    const { send, host, issuers } = start(entryFor(issuer), entryFor(other))
    const from = '192.0.2.1'
    await send(await issuer.token({ sub: 'first' }), from)
    other.script = () => 'never'
    host.script = () => new Promise(() => undefined)
    // Which are refused when the test is over.
    const waiting = [...Array(64).keys()].flatMap(n => [
      send(`of-the-host-${n}`, from),
      other.token({ sub: `${n}` }, { kid: 'unknown' }).then(token => send(token, from)),
    ])
    for (const one of waiting) one.catch(() => undefined)
    await expect.poll(() => other.requests.length + host.requests.length).toBeGreaterThan(64)
    await expect(send('one-more', from)).rejects.toMatchObject({ code: 8 })
    expect(await send(await issuer.token({ sub: 'second' }), from)).toMatchObject({ user: 'second' })
    other.script = () => undefined
    issuers.close()
  })

  it.each(['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512'])(
    'may be signed with %s',
    async alg => {
      const signer = await signingKey('other', alg)
      issuer.keys = [signer.published]
      expect(await start().answer(await issuer.token({}, {}, signer))).toBe('ada')
    },
  )

  it('may be for several audiences, of which one is ours', async () => {
    const { answer } = start()
    expect(await answer(await issuer.token({ aud: ['x', 'kairship'] }))).toBe('ada')
  })

  it('may be of an issuer with several audiences', async () => {
    const { url, certificateAuthority } = issuer
    const audiences = { url, certificateAuthority, audiences: ['a', 'b'], audienceMatchPolicy: 'MatchAny' }
    const { answer } = start(entryFor(issuer, { issuer: audiences }))
    expect(await answer(await issuer.token({ aud: 'b' }))).toBe('ada')
    expect(await answer(await issuer.token({ aud: 'kairship' }))).toContain('for the audience a or b')
  })

  it('may name no key: each key of the issuer is tried', async () => {
    issuer.keys = [(await signingKey('x')).published, (await signingKey('y')).published, key.published]
    const { answer } = start()
    expect(await answer(await issuer.token({}, { kid: undefined }))).toBe('ada')
    expect(await answer(await issuer.token({ aud: 'x' }, { kid: undefined }))).toContain('for the audience')
    expect(await answer(await issuer.token({}, { kid: undefined }, await signingKey('z')))).toContain(
      'not signed',
    )
  })

  it('is found beside a key that cannot be used', async () => {
    issuer.keys = [
      { kty: 'RSA', n: 'AQAB', e: 'AQAB' },
      { kty: 'EC', crv: 'P-256', x: '!', y: '!' },
      key.published,
    ]
    expect(await start().answer(await issuer.token({}, { kid: undefined }))).toBe('ada')
  })

  it('is cached for ten seconds, as one object, and is verified once for callers that come together', async () => {
    const { authenticate, time, counts } = start()
    const authorization = `Bearer ${await issuer.token()}`
    const [first, second] = await Promise.all([
      authenticate({ authorization }),
      authenticate({ authorization }),
    ])
    expect(first).toBe(second)
    time.now = 9_999
    expect(authenticate({ authorization })).toBe(first)
    time.now = 10_000
    expect(await authenticate({ authorization })).not.toBe(first)
    expect([...counts].filter(([name]) => name.includes('accepted'))).toMatchObject([[expect.anything(), 2]])
  })

  it('may say that it ends when no calendar goes on, and then ends with the calendar', async () => {
    const { send } = start()
    const { credential } = (await send(await issuer.token({ exp: 1e300 }))) as Caller
    expect(new Date(credential?.expiresAt ?? Number.NaN).toISOString()).toMatch(/^\+275760-/)
  })

  it('is not cached beyond its expiry', async () => {
    const { authenticate, time } = start()
    const authorization = `Bearer ${await issuer.token({ exp: now() + 5 })}`
    expect(await authenticate({ authorization })).toMatchObject({ user: 'ada' })
    time.now = 5_000
    await expect((async () => authenticate({ authorization }))()).rejects.toThrow('it has expired')
  })

  it('may be five minutes from its expiry, and its issuer’s clock a minute ahead of ours', async () => {
    const { answer } = start()
    expect(await answer(await issuer.token({ nbf: now() + 30 }))).toBe('ada')
    expect(await answer(await issuer.token({ nbf: now() + 300 }))).toContain('it is not valid yet')
    expect(await answer(await issuer.token({ exp: now() - 1 }))).toContain('it has expired')
    expect(await answer(await issuer.token({ exp: now() - 300 }))).toContain('it has expired')
  })

  it('with 200 groups is mapped whole', async () => {
    const groups = Array.from({ length: 200 }, (_, index) => `group-${index}`)
    const { send } = start()
    expect((await send(await issuer.token({ groups }))).groups).toEqual([...groups, 'system:authenticated'])
  })
})

describe('a token is refused', () => {
  const rows: [string, () => Promise<string> | string, string][] = [
    [
      'with alg: none',
      () =>
        new UnsecuredJWT({ sub: 'ada', aud: 'kairship' })
          .setIssuer(issuer.url)
          .setExpirationTime('5m')
          .encode(),
      'not signed',
    ],
    [
      'with HS256 and the public key as its secret',
      async () => {
        const publicKey = (await importJWK(key.published)) as CryptoKey
        return new SignJWT({ sub: 'ada', aud: 'kairship', iss: issuer.url, exp: now() + 300 })
          .setProtectedHeader({ alg: 'HS256', kid: 'one' })
          .sign(Buffer.from(await exportSPKI(publicKey)))
      },
      'not signed',
    ],
    [
      'of another key with the same kid',
      async () => issuer.token({}, {}, await signingKey('one')),
      'not signed',
    ],
    ['of another issuer with our issuer’s name', () => other.token({ iss: issuer.url }), 'not signed'],
    [
      'with a critical header that is unknown',
      () =>
        new SignJWT({ sub: 'ada', aud: 'kairship', iss: issuer.url, exp: now() + 300 })
          .setProtectedHeader({ alg: key.alg, kid: key.kid, crit: ['x'], x: 1 })
          .sign(key.privateKey, { crit: { x: true } }),
      'not signed',
    ],
    ['whose kid is a URL', () => issuer.token({}, { kid: 'https://127.0.0.1/keys' }), 'not signed'],
    ['whose kid is a path', () => issuer.token({}, { kid: '../../../dev/null' }), 'not signed'],
    [
      'that brings its own key in jwk, jku and x5u',
      async () => {
        const own = await signingKey('own')
        return issuer.token(
          {},
          { jwk: own.published, jku: `${other.url}/keys`, x5u: other.url } as object,
          own,
        )
      },
      'not signed',
    ],
    [
      'with a changed payload',
      async () =>
        (await issuer.token()).replace(
          /\..*\./,
          `.${base64({ iss: issuer.url, aud: 'kairship', sub: 'root', exp: now() + 300 })}.`,
        ),
      'not signed',
    ],
    ['without a signature', async () => (await issuer.token()).replace(/[^.]*$/, ''), 'bearer token'],
    ['for another audience', () => issuer.token({ aud: 'console' }), 'it must be for the audience kairship'],
    ['for no audience', () => issuer.token({ aud: undefined }), 'it must be for the audience kairship'],
    [
      'for audiences in one text',
      () => issuer.token({ aud: 'x kairship' }),
      'it must be for the audience kairship',
    ],
    ['without an expiry', () => issuer.token({ exp: undefined }), 'its claim exp is missing'],
    [
      'whose expiry is a text',
      () => issuer.token({ exp: '9999999999' }),
      'its claim exp is missing or wrong',
    ],
    [
      'that has expired, also when its signature is wrong, without saying so',
      async () => issuer.token({ exp: 1 }, {}, await signingKey('one')),
      'not signed',
    ],
    ['that names a user of Kubernetes', () => issuer.token({ sub: 'system:admin' }), 'begins with system:'],
    [
      'that names a group of Kubernetes',
      () => issuer.token({ groups: ['system:masters'] }),
      'begins with system:',
    ],
  ]
  it.each(rows)('%s', async (_why, token, message) => {
    const { answer, host } = start()
    expect(await answer(await token())).toContain(message)
    // Its issuer alone decides: the host is not asked.
    expect(host.requests).toEqual([])
  })

  it.each([
    ['EdDSA', 'EdDSA'],
    ['Ed25519', 'Ed25519'],
    ['HS256', 'HS256'],
  ])('with %s, which Kubernetes does not allow, also when its key is published', async (_, alg) => {
    const secret = Buffer.alloc(64, 'k')
    const signer =
      alg === 'HS256'
        ? { kid: 'two', alg, privateKey: secret, published: { kty: 'oct', k: secret.toString('base64url') } }
        : await signingKey('two', alg)
    issuer.keys = [key.published, { ...signer.published, kid: 'two' }]
    const { answer, issuers } = start()
    expect(await answer(await issuer.token())).toBe('ada')
    expect(await answer(await issuer.token({}, {}, signer as SigningKey))).toContain('not signed')
    expect(issuers.statuses()).toMatchObject([{ count: 1 }])
  })

  it('of 1 MB before anything looks at it', async () => {
    const { answer, host } = start()
    expect(await answer(await issuer.token({ pad: 'x'.repeat(1 << 20) }))).toContain(
      'does not hold a bearer token',
    )
    expect(host.requests).toEqual([])
  })

  it('that is encrypted and compressed as the host says, without being inflated here', async () => {
    const plain = deflateRawSync(Buffer.alloc(1 << 20))
    const token = await new CompactEncrypt(plain)
      .setProtectedHeader({ alg: 'dir', enc: 'A128GCM', cty: 'JWT' })
      .encrypt(new Uint8Array(16))
    const { answer, host } = start()
    expect(await answer(token)).toContain('the bearer token is not accepted: it is unknown')
    expect(host.requests).toHaveLength(1)
  })

  it.each([
    'a.b.c',
    '..',
    `${base64({ alg: 'ES256' })}.${base64([])}.x`,
    `${base64({})}.${base64({ iss: 7 })}.x`,
  ])('as the host says where it names no issuer: %s', async token => {
    const { answer, host } = start()
    expect(await answer(token)).toContain('not accepted: it is unknown or has expired')
    expect(host.requests).toHaveLength(1)
  })

  it('of an issuer that is not configured as the host says', async () => {
    const { answer, host } = start()
    expect(await answer(await other.token())).toContain('it is unknown or has expired')
    expect(host.requests).toHaveLength(1)
    expect(await answer('good')).toBe('of-host')
  })

  it('of one issuer with the name of the other, where both are configured', async () => {
    const { answer } = start(entryFor(issuer), entryFor(other))
    expect(await answer(await other.token())).toBe('ada')
    expect(await answer(await other.token({ iss: issuer.url }))).toContain('not signed')
  })

  it('and is not in any log line, message or metric', async () => {
    const { answer, log, counts } = start()
    const token = await issuer.token({ aud: 'x' })
    const message = await answer(token)
    const [, payload = '', signature = ''] = token.split('.')
    const told = JSON.stringify([log.lines, [...counts], message])
    expect(told).not.toContain(payload)
    expect(told).not.toContain(signature)
    expect(log.lines.some(({ level, fields }) => level === 'debug' && fields.outcome === 'audience')).toBe(
      true,
    )
  })
})

describe('a change of the configuration', () => {
  it('ends the tokens of an issuer that is removed at once, also where they are cached', async () => {
    const { configure, answer, host } = start()
    const token = await issuer.token()
    expect(await answer(token)).toBe('ada')
    configure()
    expect(await answer(token)).toContain('it is unknown or has expired')
    expect(host.requests).toHaveLength(1)
  })

  it('ends a token that is being verified at that moment', async () => {
    const { configure, send } = start()
    const waiting = send(await issuer.token())
    configure()
    await expect(waiting).rejects.toThrow()
  })

  it('decides anew of cached tokens whose issuer is configured otherwise', async () => {
    const { configure, answer } = start()
    const token = await issuer.token()
    expect(await answer(token)).toBe('ada')
    configure(entryFor(issuer, { claimMappings: { username: { claim: 'sub', prefix: 'new:' } } }))
    expect(await answer(token)).toBe('new:ada')
    configure(entryFor(issuer, { claimValidationRules: [{ expression: 'false', message: 'closed' }] }))
    expect(await answer(token)).toContain('closed')
  })

  it('leaves the tokens and the keys of other issuers as they are', async () => {
    const { configure, authenticate } = start()
    const authorization = `Bearer ${await issuer.token()}`
    const caller = await authenticate({ authorization })
    const requests = issuer.requests.length
    configure(entryFor(other), entryFor(issuer))
    expect(authenticate({ authorization })).toBe(caller)
    expect(issuer.requests).toHaveLength(requests)
  })
})
