import { describe, expect, it } from 'vitest'
import { RegistryTokens } from '../../../actors/images/registry-tokens.js'
import type { Endpoint, OutboundAnswer } from '../../../actors/outbound/endpoint.js'

const ORIGIN = 'https://auth.test'
const { signal } = new AbortController()
const credential = { username: 'u', password: 'p' }

/** The tokens of a registry whose one token server a test answers for, and a clock that it sets. */
function tokensFrom(answer: unknown = { token: 't' }, status = 200) {
  const sent: { path: string; headers: Record<string, string | undefined>; maxBytes: number }[] = []
  const server = {
    send: async (request: (typeof sent)[number]): Promise<OutboundAnswer> => {
      sent.push(request)
      const body = typeof answer === 'string' ? answer : JSON.stringify(answer)
      return { status, headers: {}, body: Buffer.from(body) }
    },
  } as unknown as Endpoint
  const clock = { ms: 1_000_000 }
  const tokens = new RegistryTokens('team', new Map([[ORIGIN, server]]), () => clock.ms)
  const get = (challenge: object = {}, purpose = 'a', given: typeof credential | undefined = credential) =>
    tokens.get(purpose, { scheme: 'bearer', realm: `${ORIGIN}/token`, ...challenge }, given, signal)
  return { tokens, get, sent, clock }
}

describe('a token of a registry', () => {
  it('is requested for the service and scope of the challenge, with the credential', async () => {
    const { get, sent } = tokensFrom()
    expect(await get({ realm: `${ORIGIN}/token?x=1`, service: 'r', scope: 'repository:a/b:pull' })).toBe('t')
    expect(sent).toMatchObject([
      {
        path: '/token?x=1&service=r&scope=repository%3Aa%2Fb%3Apull',
        headers: { authorization: `Basic ${Buffer.from('u:p').toString('base64')}` },
      },
    ])
  })

  it('is requested without service, scope and credential when there are none', async () => {
    const { tokens, sent } = tokensFrom()
    await tokens.get('a', { scheme: 'bearer', realm: `${ORIGIN}/token` }, undefined, signal)
    expect(sent[0]?.path).toBe('/token')
    expect(sent[0]?.headers).not.toHaveProperty('authorization')
  })

  it('may be called access_token', async () => {
    expect(await tokensFrom({ access_token: 'other' }).get()).toBe('other')
  })

  it.each([
    ['60 s when the answer names no time', {}, 50],
    ['the time of the answer', { expires_in: 300 }, 290],
    ['an hour at most', { expires_in: 86_400 }, 3_590],
  ])('is reused for %s, less ten seconds', async (_, more, seconds) => {
    const { tokens, get, clock } = tokensFrom({ token: 't', ...more })
    await get()
    clock.ms += seconds * 1000 - 1
    expect(tokens.known('a')).toBe('t')
    clock.ms += 1
    expect(tokens.known('a')).toBeUndefined()
  })

  it('is reused only for its own purpose', async () => {
    const { tokens, get } = tokensFrom()
    await get({}, 'a')
    expect([tokens.known('a'), tokens.known('b'), tokens.known('')]).toEqual(['t', undefined, undefined])
  })

  it('is forgotten with all others when there are a thousand', async () => {
    const { tokens, get } = tokensFrom()
    for (let n = 0; n < 1_000; n += 1) await get({}, `p${n}`)
    expect([tokens.known('p0'), tokens.known('p999')]).toEqual(['t', 't'])
    await get({}, 'one more')
    expect([tokens.known('p0'), tokens.known('one more')]).toEqual([undefined, 't'])
  })

  it.each([
    ['another origin', 'https://elsewhere.test/token'],
    ['another port', `${ORIGIN}:8443/token`],
    ['plain HTTP', 'http://auth.test/token'],
    ['a user in the URL', 'https://someone@auth.test/token'],
    ['a password in the URL', 'https://:secret@auth.test/token'],
    ['no URL', 'auth.test/token'],
  ])('is not requested from %s, and no credential is sent', async (_, realm) => {
    const { get, sent } = tokensFrom()
    await expect(get({ realm })).rejects.toMatchObject({ kind: 'gateway', reason: 'TokenServerNotAllowed' })
    expect(sent).toEqual([])
  })

  it.each([
    [401, 'gateway', 'RegistryCredentialRefused'],
    [403, 'gateway', 'RegistryCredentialRefused'],
    [302, 'gateway', 'NoRegistryToken'],
    [404, 'gateway', 'NoRegistryToken'],
    [500, 'unavailable', 'NoRegistryToken'],
    [503, 'unavailable', 'NoRegistryToken'],
  ])('of an answer %i is refused, also beside a token', async (status, kind, reason) => {
    const { tokens, get } = tokensFrom({ token: 't' }, status)
    await expect(get()).rejects.toMatchObject({ kind, reason })
    expect(tokens.known('a')).toBeUndefined()
  })

  it.each([
    ['no JSON', '<html>'],
    ['a number', { token: 5 }],
    ['an empty token', { token: '' }],
    ['a line break', { token: 'a\r\nx-header: b' }],
    ['a blank', { token: 'a b' }],
    ['other letters', { token: 'ü' }],
  ])('is not taken from an answer with %s', async (_, answer) => {
    const { tokens, get } = tokensFrom(answer)
    await expect(get()).rejects.toMatchObject({ kind: 'gateway', reason: 'NoRegistryToken' })
    expect(tokens.known('a')).toBeUndefined()
  })

  it('reads at most 64 KiB of an answer', async () => {
    const { get, sent } = tokensFrom()
    await get()
    expect(sent[0]?.maxBytes).toBe(65_536)
  })
})
