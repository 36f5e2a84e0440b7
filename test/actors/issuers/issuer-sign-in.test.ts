import { describe, expect, it } from 'vitest'
import { json } from '../kube/scripted-server.js'
import { issuerUnderTest, METADATA, REDIRECT, signal } from './issuer-under-test.js'

const world = issuerUnderTest()
const { metadata, place, idToken, begun, finished, asked } = world

describe('a sign-in', () => {
  it('sends the browser to the issuer with what ties the answer to it, and keeps the verifier', async () => {
    const { url, attempt } = await begun(place({ scopes: 'openid groups', prompt: 'consent' }))
    expect(`${url.origin}${url.pathname}`).toBe(`${world.issuer.url}/authorize`)
    expect(Object.fromEntries(url.searchParams)).toEqual({
      ...{ client_id: 'console', response_type: 'code', redirect_uri: REDIRECT },
      ...{ scope: 'openid groups', prompt: 'consent', state: attempt.state, nonce: attempt.nonce },
      ...{ code_challenge: expect.stringMatching(/^[\w-]{43}$/), code_challenge_method: 'S256' },
    })
    expect(url.href).not.toContain(attempt.verifier)
  })

  it('is another one each time', async () => {
    const [one, other] = [await begun(), await begun()]
    for (const part of ['state', 'nonce', 'verifier'] as const)
      expect(one.attempt[part], part).not.toBe(other.attempt[part])
  })

  it('ends with the ID token and the refresh token, for the code and the verifier', async () => {
    world.tokens = async () => ({ id_token: await idToken(), refresh_token: 'again' })
    const given = await finished()
    expect(given).toEqual({ idToken: expect.stringMatching(/^ey/), refreshToken: 'again' })
    const [{ body } = { body: '' }] = asked('/token')
    expect(Object.fromEntries(new URLSearchParams(body))).toMatchObject({
      ...{ grant_type: 'authorization_code', code: 'a-code', redirect_uri: REDIRECT },
      code_verifier: expect.stringMatching(/^[\w-]{43}$/),
    })
  })

  it.each([
    ['another state', { state: 'made-up' }],
    ['no state', { state: '' }],
  ])('with %s is refused before its code is shown to the issuer', async (_what, query) => {
    await expect(finished(query)).rejects.toThrow(/the answer of the issuer .* is refused/)
    expect(asked('/token')).toEqual([])
  })

  it.each<[string, () => Promise<object>]>([
    ['no ID token', async () => ({})],
    ['the ID token of another sign-in', async () => ({ id_token: await idToken({ nonce: 'another' }) })],
    ['an ID token for another client', async () => ({ id_token: await idToken({ aud: 'another' }) })],
    ['an ID token of another issuer', async () => ({ id_token: await idToken({ iss: 'https://other' }) })],
    ['an ID token that is over', async () => ({ id_token: await idToken({ exp: 1_000 }) })],
  ])('is refused where the issuer gives %s', async (_what, given) => {
    world.tokens = given
    await expect(finished()).rejects.toMatchObject({ reason: 'IssuerRefused' })
  })

  it('says in the issuer’s words why it refuses', async () => {
    await expect(finished({ error: 'access_denied', error_description: 'not today' })).rejects.toMatchObject({
      ...{ reason: 'IssuerRefused', message: `the issuer ${world.issuer.url} refuses: not today` },
    })
    expect(asked('/token')).toEqual([])
  })

  it('names the setting where the issuer refuses the client', async () => {
    world.script = ({ url }, response) => {
      if (url !== '/token') return false
      json(response, 401, { error: 'invalid_client' }, { 'www-authenticate': 'Basic realm="x"' })
      return true
    }
    await expect(finished()).rejects.toThrow('consoleClientCredentialFile')
  })
})

describe('a refresh token', () => {
  it('is exchanged for an ID token, and for another one where the issuer rotates them', async () => {
    world.nonce = undefined
    world.tokens = async form => ({
      id_token: await idToken(),
      ...(form.get('refresh_token') === 'old' && { refresh_token: 'new' }),
    })
    expect(await world.signIn.renew(place(), 'old', signal)).toEqual({
      ...{ idToken: expect.stringMatching(/^ey/), refreshToken: 'new' },
    })
    expect(await world.signIn.renew(place(), 'new', signal)).toEqual({
      idToken: expect.stringMatching(/^ey/),
    })
    expect(new URLSearchParams(asked('/token')[0]?.body).get('grant_type')).toBe('refresh_token')
  })

  it('that gets no ID token renews nothing, and the message says what may be missing', async () => {
    world.tokens = () => ({ refresh_token: 'new' })
    await expect(world.signIn.renew(place(), 'old', signal)).rejects.toMatchObject({
      ...{ reason: 'IssuerRefused', message: expect.stringContaining('do the scopes have openid?') },
    })
  })

  it('is withdrawn where the issuer says how, by its kind', async () => {
    world.documents = { [METADATA]: metadata({ revocation_endpoint: `${world.issuer.url}/revoke` }) }
    await world.signIn.revoke(place(), 'old', signal)
    expect(Object.fromEntries(new URLSearchParams(asked('/revoke')[0]?.body))).toMatchObject({
      ...{ token: 'old', token_type_hint: 'refresh_token' },
    })
  })

  it('is not withdrawn where the issuer cannot, which is no failure', async () => {
    await world.signIn.revoke(place(), 'old', signal)
    expect(world.received.map(({ url }) => url)).toEqual([METADATA])
  })
})
