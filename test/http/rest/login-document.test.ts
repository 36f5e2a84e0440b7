import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { Failure } from '../../../http/errors/failure.js'
import type { IssuerConfiguration } from '../../../http/identity/oidc/configuration-schema.js'
import type { RestEnv } from '../../../http/rest/env.js'
import { addLoginDocument, LOGIN_PATH, type LoginOptions } from '../../../http/rest/login-document.js'

const issuer = (url: string, audiences: string[], certificateAuthority?: string): IssuerConfiguration => ({
  issuer: { url, audiences, certificateAuthority },
  claimValidationRules: [],
  claimMappings: { username: { claim: 'sub', prefix: '' }, groups: {}, uid: {}, extra: [] },
  userValidationRules: [],
})
const issuers = [
  issuer('https://pipelines.test', ['kairship']),
  issuer('https://people.test', ['kairship', 'kairship-cli'], 'PEM'),
]
const login = { clientId: 'kairship-cli', scopes: 'openid groups' }

async function read(configured: readonly IssuerConfiguration[], options: LoginOptions | undefined) {
  const app = new Hono<RestEnv>()
  let failure: unknown
  app.onError((error, c) => {
    failure = error
    return c.text('', 500)
  })
  addLoginDocument(app, () => configured, options)
  const response = await app.request(LOGIN_PATH)
  if (failure instanceof Failure) throw failure
  return response
}

describe('what a login needs to know', () => {
  it('is the issuer whose audiences have the client, and nothing else of the configuration', async () => {
    const response = await read(issuers, login)
    expect(await response.json()).toEqual({
      issuer: 'https://people.test',
      clientId: 'kairship-cli',
      scopes: 'openid groups',
      certificateAuthority: 'PEM',
    })
    expect(response.headers.get('cache-control')).toBe('no-store')
  })

  it('has the prompt that is configured', async () => {
    expect(await (await read(issuers, { ...login, prompt: 'consent' })).json()).toMatchObject({
      prompt: 'consent',
    })
  })

  it('is refused where no client is configured, or no issuer has it, with what to change', async () => {
    await expect(read(issuers, undefined)).rejects.toThrow('loginClientId is not set')
    await expect(read(issuers, { ...login, clientId: 'other' })).rejects.toThrow(
      'no issuer of authenticationConfig has other (loginClientId) among its audiences',
    )
  })
})
