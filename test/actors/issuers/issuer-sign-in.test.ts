import type { ServerResponse } from 'node:http'
import { type CryptoKey, generateKeyPair, SignJWT } from 'jose'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { OpenIdSignIn } from '../../../actors/issuers/issuer-sign-in.js'
import { createAuthority } from '../../../playground/apiserver/access/certificates.js'
import type { SignInAttempt, SignInPlace } from '../../../ports/issuer-sign-in.js'
import { deferred } from '../../http/fakes/deferred.js'
import { json, type Received, type ScriptedServer, scriptedServer } from '../kube/scripted-server.js'

const REDIRECT = 'https://kairship:8443/console/sign-in/callback'
const METADATA = '/.well-known/openid-configuration'
const signal = new AbortController().signal

/** Discovery says RS256 where the metadata names no other. */
let key: CryptoKey
let tls: { readonly cert: string; readonly key: string; readonly ca: string }
/** An issuer whose documents and answers a test sets. */
let issuer: ScriptedServer
/** What it publishes, by path; by default one document that has all. */
let documents: Record<string, object>
/** What it gives for a code or a refresh token, beside an access token. */
let tokens: (request: URLSearchParams) => object | Promise<object>
/** Answers in place of all that; false passes. */
let script: (request: Received, response: ServerResponse) => boolean
let clock: { ms: number }
let secret: string | undefined
let signIn: OpenIdSignIn

beforeAll(async () => {
  const authority = await createAuthority('issuer')
  const serving = authority.issueServing()
  tls = { cert: serving.certificate, key: serving.key, ca: authority.certificate }
  key = (await generateKeyPair('RS256')).privateKey
  issuer = await scriptedServer((request, response) => void answer(request, response), tls)
})
afterAll(() => issuer.close())
beforeEach(() => {
  documents = { [METADATA]: metadata() }
  tokens = async () => ({ id_token: await idToken() })
  script = () => false
  clock = { ms: 1_000 }
  secret = undefined
  signIn = new OpenIdSignIn(
    async () => secret,
    () => clock.ms,
  )
  since = issuer.received.length
})
afterEach(() => signIn.close())

async function answer(request: Received, response: ServerResponse): Promise<void> {
  if (script(request, response)) return
  const found = documents[request.url]
  if (found) json(response, 200, found)
  else if (request.url === '/token')
    json(response, 200, {
      ...{ access_token: 'an access token', token_type: 'Bearer' },
      ...(await tokens(new URLSearchParams(request.body))),
    })
  else response.writeHead(request.url === '/revoke' ? 200 : 404).end()
}

const metadata = (more: object = {}) => ({
  issuer: issuer.url,
  authorization_endpoint: `${issuer.url}/authorize`,
  token_endpoint: `${issuer.url}/token`,
  jwks_uri: `${issuer.url}/keys`,
  ...more,
})

const place = (more: Partial<SignInPlace> = {}): SignInPlace => ({
  ...{ issuer: issuer.url, certificateAuthority: tls.ca, clientId: 'console', scopes: 'openid' },
  ...more,
})

let nonce: string | undefined
const idToken = (claims: object = {}) => {
  const iat = Math.floor(Date.now() / 1_000)
  const usual = { iss: issuer.url, aud: 'console', sub: 'ada', iat, exp: iat + 600 }
  return new SignJWT({ ...usual, ...(nonce !== undefined && { nonce }), ...claims })
    .setProtectedHeader({ alg: 'RS256' })
    .sign(key)
}

async function begun(at: SignInPlace = place()): Promise<{ url: URL; attempt: SignInAttempt }> {
  const { url, attempt } = await signIn.begin(at, REDIRECT, signal)
  nonce = attempt.nonce
  return { url: new URL(url), attempt }
}

/** Comes back from the issuer with a code, and with this query besides. */
async function finished(query: Record<string, string> = {}, { at = place() } = {}) {
  const { attempt } = await begun(at)
  const callback = new URL(REDIRECT)
  callback.search = String(new URLSearchParams({ code: 'a-code', state: attempt.state, ...query }))
  return signIn.finish(at, callback, attempt, signal)
}

let since = 0
/** What the issuer was asked in this test. */
const asked = (url: string): readonly Received[] =>
  issuer.received.slice(since).filter(request => request.url === url)

describe('a sign-in', () => {
  it('sends the browser to the issuer with what ties the answer to it, and keeps the verifier', async () => {
    const { url, attempt } = await begun(place({ scopes: 'openid groups', prompt: 'consent' }))
    expect(`${url.origin}${url.pathname}`).toBe(`${issuer.url}/authorize`)
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
    tokens = async () => ({ id_token: await idToken(), refresh_token: 'again' })
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
    tokens = given
    await expect(finished()).rejects.toMatchObject({ reason: 'IssuerRefused' })
  })

  it('says in the issuer’s words why it refuses', async () => {
    await expect(finished({ error: 'access_denied', error_description: 'not today' })).rejects.toMatchObject({
      ...{ reason: 'IssuerRefused', message: `the issuer ${issuer.url} refuses: not today` },
    })
    expect(asked('/token')).toEqual([])
  })

  it('names the setting where the issuer refuses the client', async () => {
    script = ({ url }, response) => {
      if (url !== '/token') return false
      json(response, 401, { error: 'invalid_client' }, { 'www-authenticate': 'Basic realm="x"' })
      return true
    }
    await expect(finished()).rejects.toThrow('consoleClientCredentialFile')
  })
})

describe('the metadata of an issuer', () => {
  it.each<[string, () => object]>([
    ['of another issuer', () => metadata({ issuer: 'https://other.example' })],
    ['whose authorization endpoint is not https', () => metadata({ authorization_endpoint: 'http://x/a' })],
    ['whose token endpoint is not https', () => metadata({ token_endpoint: 'http://127.0.0.1/token' })],
    ['whose authorization endpoint is a script', () => metadata({ authorization_endpoint: 'javascript:x' })],
    ['whose token endpoint is no URL', () => metadata({ token_endpoint: '/token' })],
    ['without a token endpoint', () => metadata({ token_endpoint: undefined })],
    ['without an authorization endpoint', () => metadata({ authorization_endpoint: undefined })],
  ])('%s is refused, and nothing else is asked', async (_what, document) => {
    documents = { [METADATA]: document() }
    await expect(begun()).rejects.toMatchObject({ kind: 'gateway', reason: 'NoIssuer' })
    expect(issuer.received.slice(since).map(({ url }) => url)).toEqual([METADATA])
  })

  it.each<[string, (response: ServerResponse) => void]>([
    ['HTML', response => response.writeHead(200).end('<html>')],
    ['an array', response => json(response, 200, [])],
    ['null', response => json(response, 200, null)],
    ['an error that has a document', response => json(response, 500, metadata())],
    ['a redirect', response => response.writeHead(302, { location: `${issuer.url}/elsewhere` }).end()],
  ])('is not %s', async (_what, answered) => {
    documents = { '/elsewhere': metadata() }
    script = ({ url }, response) => {
      if (url === METADATA) answered(response)
      return url === METADATA
    }
    await expect(begun()).rejects.toMatchObject({ reason: 'NoIssuer' })
    expect(asked('/elsewhere')).toEqual([])
  })

  it('is read at its discovery URL, and at the issuer’s own place where that has no more than keys', async () => {
    documents = { '/mirror': metadata({ authorization_endpoint: `${issuer.url}/mirrored` }) }
    const at = place({ discoveryUrl: `${issuer.url}/mirror` })
    expect((await begun(at)).url.pathname).toBe('/mirrored')
    expect(asked(METADATA)).toEqual([])
    documents = { '/keys-alone': { issuer: issuer.url, jwks_uri: 'x' }, [METADATA]: metadata() }
    expect((await begun(place({ discoveryUrl: `${issuer.url}/keys-alone` }))).url.pathname).toBe('/authorize')
  })

  it('is kept for five minutes', async () => {
    await begun()
    clock.ms += 299_999
    await begun()
    expect(asked(METADATA)).toHaveLength(1)
    clock.ms += 1
    await begun()
    expect(asked(METADATA)).toHaveLength(2)
  })

  it('is read once for those who begin at the same time', async () => {
    await Promise.all([signIn.begin(place(), REDIRECT, signal), signIn.begin(place(), REDIRECT, signal)])
    expect(asked(METADATA)).toHaveLength(1)
  })

  it('that could not be read is asked for again at once', async () => {
    documents = {}
    await expect(begun()).rejects.toMatchObject({ reason: 'NoIssuer' })
    documents = { [METADATA]: metadata() }
    await begun()
    expect(asked(METADATA)).toHaveLength(2)
  })

  it('is of one client and one set of authorities: another is shown nothing of it', async () => {
    await begun()
    expect((await begun(place({ clientId: 'another' }))).url.searchParams.get('client_id')).toBe('another')
    const other = await createAuthority('another')
    await expect(begun(place({ certificateAuthority: other.certificate }))).rejects.toMatchObject({
      reason: 'ServiceUnreachable',
    })
  })

  it('is read anew beside what is under way, which goes on and gets its answer', async () => {
    await begun()
    nonce = undefined
    const [asking, answered] = [deferred<void>(), deferred<void>()]
    tokens = async form => {
      if (form.get('refresh_token') === 'slow') {
        asking.resolve()
        await answered.promise
      }
      return { id_token: await idToken() }
    }
    const slow = signIn.renew(place(), 'slow', signal)
    await asking.promise
    clock.ms += 300_001
    await signIn.renew(place(), 'quick', signal)
    expect(asked(METADATA)).toHaveLength(2)
    answered.resolve()
    expect(await slow).toMatchObject({ idToken: expect.stringMatching(/^ey/) })
  })

  it('is read anew once for those who find it too old at the same time, and all of them get their answer', async () => {
    await begun()
    nonce = undefined
    clock.ms += 300_001
    const renewed = await Promise.all(['a', 'b', 'c'].map(old => signIn.renew(place(), old, signal)))
    expect(renewed).toHaveLength(3)
    expect(asked(METADATA)).toHaveLength(2)
  })

  it('of more than eight places is forgotten for the oldest, with its socket', async () => {
    for (let n = 0; n < 9; n++) await begun(place({ clientId: `client-${n}` }))
    await begun(place({ clientId: 'client-8' }))
    expect(asked(METADATA)).toHaveLength(9)
    await begun(place({ clientId: 'client-0' }))
    expect(asked(METADATA)).toHaveLength(10)
  })
})

describe('the client', () => {
  /** How it proved itself. */
  const proof = async (methods?: readonly string[]) => {
    documents = { [METADATA]: metadata(methods && { token_endpoint_auth_methods_supported: methods }) }
    await finished()
    const [{ headers, body } = { headers: {}, body: '' }] = asked('/token').slice(-1)
    const form = new URLSearchParams(body)
    return {
      basic: headers.authorization,
      ...{ id: form.get('client_id'), secret: form.get('client_secret') },
    }
  }
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`

  it.each<[string, readonly string[] | undefined]>([
    ['names no way', undefined],
    ['takes both', ['client_secret_post', 'client_secret_basic']],
  ])('shows its secret in the header where the issuer %s', async (_what, methods) => {
    secret = 'hidden'
    expect(await proof(methods)).toEqual({ basic: basic('console:hidden'), id: null, secret: null })
  })

  it('shows its secret in the form where the issuer takes that alone', async () => {
    secret = 'hidden'
    expect(await proof(['client_secret_post'])).toEqual({ basic: undefined, id: 'console', secret: 'hidden' })
  })

  it('without a secret names itself', async () => {
    expect(await proof(['client_secret_basic'])).toEqual({ basic: undefined, id: 'console', secret: null })
  })

  it('shows the secret of now, also where it was another one when the metadata was read', async () => {
    secret = 'first'
    await proof()
    secret = 'second'
    expect((await proof()).basic).toBe(basic('console:second'))
    expect(asked(METADATA)).toHaveLength(1)
  })
})

describe('a refresh token', () => {
  it('is exchanged for an ID token, and for another one where the issuer rotates them', async () => {
    nonce = undefined
    tokens = async form => ({
      id_token: await idToken(),
      ...(form.get('refresh_token') === 'old' && { refresh_token: 'new' }),
    })
    expect(await signIn.renew(place(), 'old', signal)).toEqual({
      ...{ idToken: expect.stringMatching(/^ey/), refreshToken: 'new' },
    })
    expect(await signIn.renew(place(), 'new', signal)).toEqual({ idToken: expect.stringMatching(/^ey/) })
    expect(new URLSearchParams(asked('/token')[0]?.body).get('grant_type')).toBe('refresh_token')
  })

  it('that gets no ID token renews nothing, and the message says what may be missing', async () => {
    tokens = () => ({ refresh_token: 'new' })
    await expect(signIn.renew(place(), 'old', signal)).rejects.toMatchObject({
      ...{ reason: 'IssuerRefused', message: expect.stringContaining('do the scopes have openid?') },
    })
  })

  it('is withdrawn where the issuer says how, by its kind', async () => {
    documents = { [METADATA]: metadata({ revocation_endpoint: `${issuer.url}/revoke` }) }
    await signIn.revoke(place(), 'old', signal)
    expect(Object.fromEntries(new URLSearchParams(asked('/revoke')[0]?.body))).toMatchObject({
      ...{ token: 'old', token_type_hint: 'refresh_token' },
    })
  })

  it('is not withdrawn where the issuer cannot, which is no failure', async () => {
    await signIn.revoke(place(), 'old', signal)
    expect(issuer.received.slice(since).map(({ url }) => url)).toEqual([METADATA])
  })
})

describe('an issuer that does not answer', () => {
  it('one person holds up no others', async () => {
    nonce = undefined
    const asking = deferred<void>()
    const never = new Promise<never>(() => undefined)
    tokens = async form => {
      if (form.get('refresh_token') !== 'slow') return { id_token: await idToken() }
      asking.resolve()
      return never
    }
    const gone = new AbortController()
    const slow = signIn.renew(place(), 'slow', gone.signal)
    slow.catch(() => undefined)
    await asking.promise
    expect(await signIn.renew(place(), 'quick', signal)).toMatchObject({
      idToken: expect.stringMatching(/^ey/),
    })
    gone.abort(new Error('the test is over'))
  })

  it('is said to be unreachable, not to refuse', async () => {
    await begun()
    script = ({ url }, response) => {
      if (url === '/token') response.destroy()
      return url === '/token'
    }
    await expect(finished()).rejects.toMatchObject({ kind: 'unavailable', reason: 'ServiceUnreachable' })
  })

  it('is asked no longer for a caller who has gone: what it answers late is not taken', async () => {
    nonce = undefined
    const [asking, answered] = [deferred<void>(), deferred<void>()]
    tokens = async form => {
      if (form.get('refresh_token') === 'slow') {
        asking.resolve()
        await answered.promise
      }
      return { id_token: await idToken() }
    }
    const gone = new AbortController()
    const reason = new Error('the caller has gone')
    const slow = expect(signIn.renew(place(), 'slow', gone.signal)).rejects.toBe(reason)
    await asking.promise
    gone.abort(reason)
    await signIn.renew(place(), 'quick', signal)
    answered.resolve()
    await slow
  })

  it('is asked on for those who wait for its metadata with one who has gone', async () => {
    const [asking, answered] = [deferred<void>(), deferred<void>()]
    script = ({ url }, response) => {
      if (url !== METADATA) return false
      asking.resolve()
      void answered.promise.then(() => json(response, 200, metadata()))
      return true
    }
    const gone = new AbortController()
    const reason = new Error('the caller has gone')
    const left = expect(signIn.begin(place(), REDIRECT, gone.signal)).rejects.toBe(reason)
    await asking.promise
    const stays = signIn.begin(place(), REDIRECT, signal)
    gone.abort(reason)
    await left
    answered.resolve()
    expect((await stays).url).toContain(`${issuer.url}/authorize`)
    expect(asked(METADATA)).toHaveLength(1)
  })

  it('is not blamed for a caller who has gone', async () => {
    const gone = new AbortController()
    const reason = new Error('the caller has gone')
    await begun()
    script = ({ url }, response) => {
      if (url !== '/token') return false
      gone.abort(reason)
      response.destroy()
      return true
    }
    await expect(signIn.renew(place(), 'old', gone.signal)).rejects.toBe(reason)
  })
})
