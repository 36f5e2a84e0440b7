import type { ServerResponse } from 'node:http'
import { type CryptoKey, generateKeyPair, SignJWT } from 'jose'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { OpenIdSignIn } from '../../../actors/issuers/issuer-sign-in.js'
import { createAuthority } from '../../../playground/apiserver/access/certificates.js'
import type { SignInAttempt, SignInPlace } from '../../../ports/issuer-sign-in.js'
import { deferred } from '../../http/fakes/deferred.js'
import { json, type Received, type ScriptedServer, scriptedServer } from '../kube/scripted-server.js'

export const REDIRECT = 'https://kairship:8443/console/sign-in/callback'
export const METADATA = '/.well-known/openid-configuration'
export const signal: AbortSignal = new AbortController().signal

/** An issuer whose documents and answers a test sets, and what signs people in there; each test begins with new ones. */
export class IssuerUnderTest {
  /** What it publishes, by path; by default one document that has all. */
  documents: Record<string, object> = {}
  /** What it gives for a code or a refresh token, beside an access token. */
  tokens: (request: URLSearchParams) => object | Promise<object> = () => ({})
  /** Answers in place of all that; false passes. */
  script: (request: Received, response: ServerResponse) => boolean = () => false
  clock = { ms: 1_000 }
  /** Of the client. */
  secret: string | undefined
  /** In the ID tokens that it gives. */
  nonce: string | undefined
  signIn!: OpenIdSignIn
  issuer!: ScriptedServer
  /** Discovery says RS256 where the metadata names no other. */
  #key!: CryptoKey
  #ca = ''
  #since = 0

  async start(): Promise<void> {
    const authority = await createAuthority('issuer')
    const serving = authority.issueServing()
    this.#ca = authority.certificate
    this.#key = (await generateKeyPair('RS256')).privateKey
    this.issuer = await scriptedServer((request, response) => void this.#answer(request, response), {
      ...{ cert: serving.certificate, key: serving.key, ca: this.#ca },
    })
  }

  begin(): void {
    this.documents = { [METADATA]: this.metadata() }
    this.tokens = async () => ({ id_token: await this.idToken() })
    this.script = () => false
    this.clock = { ms: 1_000 }
    this.secret = undefined
    this.signIn = new OpenIdSignIn(
      async () => this.secret,
      () => this.clock.ms,
    )
    this.#since = this.issuer.received.length
  }

  readonly metadata = (more: object = {}) => ({
    issuer: this.issuer.url,
    authorization_endpoint: `${this.issuer.url}/authorize`,
    token_endpoint: `${this.issuer.url}/token`,
    jwks_uri: `${this.issuer.url}/keys`,
    ...more,
  })

  readonly place = (more: Partial<SignInPlace> = {}): SignInPlace => ({
    ...{ issuer: this.issuer.url, certificateAuthority: this.#ca, clientId: 'console', scopes: 'openid' },
    ...more,
  })

  readonly idToken = (claims: object = {}) => {
    const iat = Math.floor(Date.now() / 1_000)
    const usual = { iss: this.issuer.url, aud: 'console', sub: 'ada', iat, exp: iat + 600 }
    return new SignJWT({ ...usual, ...(this.nonce !== undefined && { nonce: this.nonce }), ...claims })
      .setProtectedHeader({ alg: 'RS256' })
      .sign(this.#key)
  }

  readonly begun = async (at: SignInPlace = this.place()): Promise<{ url: URL; attempt: SignInAttempt }> => {
    const { url, attempt } = await this.signIn.begin(at, REDIRECT, signal)
    this.nonce = attempt.nonce
    return { url: new URL(url), attempt }
  }

  /** Comes back from the issuer with a code, and with this query besides. */
  readonly finished = async (query: Record<string, string> = {}, { at = this.place() } = {}) => {
    const { attempt } = await this.begun(at)
    const callback = new URL(REDIRECT)
    callback.search = String(new URLSearchParams({ code: 'a-code', state: attempt.state, ...query }))
    return this.signIn.finish(at, callback, attempt, signal)
  }

  /** What the issuer was asked in this test. */
  get received(): readonly Received[] {
    return this.issuer.received.slice(this.#since)
  }

  readonly asked = (url: string): readonly Received[] => this.received.filter(request => request.url === url)

  /** From now on the refresh token `slow` is answered when the test says so. */
  answerSlowly() {
    const [asking, answered] = [deferred<void>(), deferred<void>()]
    this.tokens = async form => {
      if (form.get('refresh_token') === 'slow') {
        asking.resolve()
        await answered.promise
      }
      return { id_token: await this.idToken() }
    }
    return { asking, answered }
  }

  async #answer(request: Received, response: ServerResponse): Promise<void> {
    if (this.script(request, response)) return
    const found = this.documents[request.url]
    if (found) json(response, 200, found)
    else if (request.url === '/token')
      json(response, 200, {
        ...{ access_token: 'an access token', token_type: 'Bearer' },
        ...(await this.tokens(new URLSearchParams(request.body))),
      })
    else response.writeHead(request.url === '/revoke' ? 200 : 404).end()
  }
}

/** One for the tests of a file. */
export function issuerUnderTest(): IssuerUnderTest {
  const world = new IssuerUnderTest()
  beforeAll(() => world.start())
  afterAll(() => world.issuer.close())
  beforeEach(() => world.begin())
  afterEach(() => world.signIn.close())
  return world
}
