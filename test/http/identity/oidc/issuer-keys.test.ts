import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { IssuerDocuments } from '../../../../ports/issuer-documents.js'
import { authenticating, entryFor } from './authenticating.js'
import { type SigningKey, signingKey, startIssuer, type TestIssuer } from './test-issuer.js'

let one: SigningKey
let two: SigningKey
beforeAll(async () => {
  one = await signingKey('one')
  two = await signingKey('two')
})

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function start(fields: Partial<TestIssuer> = {}, ready = true) {
  const issuer = Object.assign(await startIssuer(one), fields)
  closing.push(() => issuer.close())
  const running = authenticating([entryFor(issuer)])
  closing.push(() => running.issuers.close())
  const { issuers, time } = running
  const settled = async () => {
    await expect.poll(() => time.timers.length).toBe(1)
  }
  if (ready) await settled()
  return { ...running, issuer, settled, status: () => issuers.statuses()[0]! }
}
const down = { script: () => ({ status: 503 }) }

describe('the keys of an issuer', () => {
  it('are read at once, and again every five minutes', async () => {
    const { issuer, time, settled } = await start()
    expect(issuer.requests).toEqual(['/.well-known/openid-configuration', '/keys'])
    expect(time.timers.map(({ at }) => at)).toEqual([300_000])
    time.pass(300_000)
    await settled()
    expect(issuer.requests).toHaveLength(4)
  })

  it('that are withdrawn count no longer after that', async () => {
    const { issuer, time, settled, answer } = await start()
    issuer.keys = [two.published]
    expect(await answer(await issuer.token())).toBe('ada')
    time.pass(300_000)
    await settled()
    expect(await answer(await issuer.token({ jti: '1' }))).toContain('not signed')
    expect(await answer(await issuer.token({}, {}, two))).toBe('ada')
  })

  it('are read when a token names an unknown one, at most every ten seconds', async () => {
    const { issuer, time, answer } = await start()
    time.now = 10_000
    issuer.keys = [one.published, two.published]
    expect(await answer(await issuer.token({}, {}, two))).toBe('ada')
    expect(issuer.requests).toHaveLength(4)
    const three = await signingKey('three')
    issuer.keys = [three.published]
    for (let index = 0; index < 20; index++)
      expect(await answer(await issuer.token({}, { kid: `rubbish-${index}` }))).toContain('not signed')
    expect(await answer(await issuer.token({}, {}, three))).toContain('not signed')
    expect(issuer.requests).toHaveLength(4)
    time.now = 20_000
    expect(await answer(await issuer.token({ jti: '1' }, {}, three))).toBe('ada')
    expect(issuer.requests).toHaveLength(6)
  })

  it('are read once for all callers that come meanwhile', async () => {
    const { issuer, send } = await start({}, false)
    const tokens = await Promise.all(
      Array.from({ length: 20 }, (_, index) => issuer.token({ jti: String(index) })),
    )
    await Promise.all(tokens.map(token => send(token)))
    expect(issuer.requests).toHaveLength(2)
  })

  it('are read again ten seconds after they could not be', async () => {
    const { issuer, time, settled, answer } = await start(down)
    const token = await issuer.token()
    expect(await answer(token)).toMatch(
      /the keys of the issuer .* cannot be read: .*openid-configuration answered 503/,
    )
    issuer.script = () => undefined
    expect(time.timers.map(({ at }) => at)).toEqual([10_000])
    time.pass(10_000)
    await settled()
    expect(issuer.requests).toHaveLength(3)
    expect(await answer(token)).toBe('ada')
    expect(issuer.requests).toHaveLength(3)
  })

  it('are awaited by the first callers, of whom none is refused while the issuer starts', async () => {
    const { issuer, answer } = await start({}, false)
    expect(await answer(await issuer.token())).toBe('ada')
  })

  it('that cannot be read refuse their callers with UNAVAILABLE, which is not cached', async () => {
    const { issuer, send, counts } = await start(down)
    const token = await issuer.token()
    const refused = { code: 14, details: { reason: 'IssuerUnavailable' } }
    await expect(send(token)).rejects.toMatchObject(refused)
    await expect(send(token)).rejects.toMatchObject(refused)
    const name = JSON.stringify({ issuer: issuer.url, outcome: 'keys_unavailable' })
    expect(counts.get(`kairship_issuer_tokens_total${name}`)).toBe(2)
  })

  it('that were known count for the grace while the issuer is down, and no longer', async () => {
    const { issuer, time, settled, answer, status, log } = await start()
    issuer.script = down.script
    time.pass(300_000)
    await settled()
    expect(await answer(await issuer.token())).toBe('ada')
    expect(status()).toMatchObject({
      isUsable: true,
      ageMs: 300_000,
      leftMs: 3_300_000,
      problem: expect.stringContaining('503'),
    })
    time.now = 3_600_000
    expect(await answer(await issuer.token({ jti: '1' }))).toBe('ada')
    time.now = 3_600_001
    expect(await answer(await issuer.token({ jti: '2' }))).toContain('cannot be read')
    expect(status()).toMatchObject({ isUsable: false, leftMs: 0 })
    expect(log.lines.filter(({ level }) => level === 'warn')).toHaveLength(1)
    issuer.script = () => undefined
    time.pass(10_000)
    await settled()
    expect(await answer(await issuer.token({ jti: '3' }))).toBe('ada')
    expect(status().problem).toBeUndefined()
  })

  const good = { issuer: '', jwks_uri: '' }
  const discovery = (fields: object) => (url: string) => (path: string) =>
    path.startsWith('/.well-known')
      ? { body: JSON.stringify({ ...good, issuer: url, jwks_uri: `${url}/keys`, ...fields }) }
      : undefined
  const keysBody = (body: string, type?: string) => () => (path: string) =>
    path === '/keys' ? { body, ...(type && { type }) } : undefined
  it.each<[string, (url: string) => (path: string) => ReturnType<TestIssuer['script']>, string]>([
    ['answers with a page', keysBody('<html>', 'text/html'), 'answered with text/html that is no JSON'],
    [
      'redirects',
      () => () => ({ status: 302, location: 'https://127.0.0.1/x' }),
      'redirects are not followed',
    ],
    [
      'publishes 10,000 keys',
      keysBody(JSON.stringify({ keys: Array(10_000).fill({ kty: 'EC' }) })),
      'no set of at most 100 keys',
    ],
    ['publishes no set', keysBody('[]'), 'no set of at most'],
    [
      'sends more than a MiB',
      keysBody(`{"keys":[], "x":"${'x'.repeat(1 << 20)}"}`),
      'more than 1048576 bytes',
    ],
    [
      'has a discovery document of another issuer',
      discovery({ issuer: 'https://other.example' }),
      'is of the issuer "https://other.example"',
    ],
    [
      'has a key set without TLS',
      discovery({ jwks_uri: 'http://127.0.0.1/keys' }),
      'must begin with https://',
    ],
    ['has a key set in a file', discovery({ jwks_uri: 'file:///etc/passwd' }), 'must begin with https://'],
    ['has no key set', discovery({ jwks_uri: undefined }), 'is no discovery document'],
    ['closes the connection', () => () => 'never', ''],
  ])('stay as they were when the issuer %s', async (_what, script, problem) => {
    const { issuer, time, settled, answer, status } = await start()
    issuer.script = script(issuer.url)
    if (problem === '') await issuer.close()
    time.pass(300_000)
    await settled()
    expect(status().problem).toContain(problem || 'cannot be reached')
    expect(status().isUsable).toBe(true)
    expect(await answer(await issuer.token())).toBe('ada')
  })

  it('are none where the issuer publishes none: that is what it says', async () => {
    const { issuer, time, settled, answer, status } = await start()
    issuer.keys = [{ kty: 'oct', k: 'c2VjcmV0', alg: 'HS256' }]
    time.pass(300_000)
    await settled()
    expect(status()).toMatchObject({ count: 0, isUsable: true })
    expect(await answer(await issuer.token())).toContain('not signed')
  })

  it('are not read over TLS that the given authority does not vouch for', async () => {
    const stranger = await startIssuer(two)
    closing.push(() => stranger.close())
    const issuer = await startIssuer(one)
    closing.push(() => issuer.close())
    const { certificateAuthority } = stranger
    const { issuers, time } = authenticating([entryFor({ ...issuer, certificateAuthority })])
    closing.push(() => issuers.close())
    await expect.poll(() => time.timers.length).toBe(1)
    expect(issuers.statuses()[0]).toMatchObject({
      isUsable: false,
      problem: expect.stringMatching(/certificate|signature/),
    })
    expect(issuer.requests).toEqual([])
  })

  it('are found by the discovery URL where one is given', async () => {
    const issuer = await startIssuer(one)
    closing.push(() => issuer.close())
    const { url } = issuer
    issuer.script = path =>
      path === '/inside'
        ? { body: JSON.stringify({ issuer: 'https://outside.example', jwks_uri: `${url}/keys` }) }
        : undefined
    const { certificateAuthority } = issuer
    const running = authenticating([
      entryFor(issuer, {
        issuer: {
          url: 'https://outside.example',
          discoveryURL: `${url}/inside`,
          certificateAuthority,
          audiences: ['kairship'],
        },
      }),
    ])
    closing.push(() => running.issuers.close())
    expect(await running.answer(await issuer.token({ iss: 'https://outside.example' }))).toBe('ada')
    expect(issuer.requests).toEqual(['/inside', '/keys'])
  })
})

describe('an issuer that does not answer', () => {
  it('is given up when it is taken out of the configuration: its callers are refused, and its sockets closed', async () => {
    const signals: AbortSignal[] = []
    let closed = 0
    const documents: IssuerDocuments = {
      read: (_url, signal) => {
        signals.push(signal)
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      },
      close: async () => void closed++,
    }
    const running = authenticating(
      [
        {
          issuer: { url: 'https://a.example', audiences: ['x'] },
          claimMappings: { username: { claim: 'sub', prefix: '' } },
        },
      ],
      { connect: () => documents },
    )
    const issuer = await startIssuer(one)
    closing.push(() => issuer.close())
    const waiting = running.answer(await issuer.token({ iss: 'https://a.example' }))
    running.configure()
    expect(await waiting).toContain('cannot be read')
    expect(signals.map(({ aborted }) => aborted)).toEqual([true])
    expect(closed).toBe(1)
    expect(running.time.timers).toEqual([])
  })
})

describe('rubbish tokens', () => {
  it('of one source are bounded, and cost neither readings of keys nor the tokens of others', async () => {
    const { issuer, send, host } = await start()
    const good = await issuer.token()
    await send(good, '192.0.2.1')
    const template = await issuer.token()
    const rubbish = (index: number) =>
      template.replace(/[^.]*$/, Buffer.from(`${index}`.padStart(64, 'x')).toString('base64url'))
    for (let index = 0; index < 100; index++)
      await expect(send(rubbish(index), '192.0.2.1')).rejects.toMatchObject({ code: 16 })
    await expect(send(rubbish(100), '192.0.2.1')).rejects.toMatchObject({ code: 8 })
    expect(await send(good, '192.0.2.1')).toMatchObject({ user: 'ada' })
    expect(await send(await issuer.token({ sub: 'bob' }), '192.0.2.2')).toMatchObject({ user: 'bob' })
    expect(issuer.requests).toHaveLength(2)
    expect(host.requests).toEqual([])
  })
})
