import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { parseAuthentication } from '../../../http/identity/oidc/configuration.js'
import { claimMapping } from '../../../http/identity/oidc/mapping.js'
import { GRANTS } from '../../../playground/fleet/names.js'
import { startPlaygroundIssuer } from '../../../playground/issuer/issuer.js'
import { ISSUER_PEOPLE, NAME_PREFIX } from '../../../playground/issuer/people.js'
import { startIssuer } from '../../../playground/issuer/start-issuer.js'
import { silent } from '../../silent.js'
import { type IssuerUnderTest, issuerUnderTest, tlsUnderTest } from './running-issuer.js'

let issuer: IssuerUnderTest
beforeAll(async () => {
  issuer = await issuerUnderTest()
})
afterAll(() => issuer?.close())

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'issuer-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
const read = async (url: string) => JSON.parse((await issuer.browser().open(url)).text)

describe('the issuer of a playground', () => {
  it('has a configuration that Kairship reads, which maps its users and groups under a prefix', () => {
    const [entry] = parseAuthentication(issuer.authenticationConfiguration(), 'the issuer').jwt
    if (!entry) throw new Error('it configures no issuer')
    expect(claimMapping(entry)({ sub: 'ada', groups: ['admins'] })).toMatchObject({
      user: 'playground:ada',
      groups: ['playground:admins', 'system:authenticated'],
    })
  })

  it('serves by itself the same keys as the provider, and no private part of them', async () => {
    const [entry] = parseAuthentication(issuer.authenticationConfiguration(), 'the issuer').jwt
    const own = await read(entry?.issuer.discoveryURL ?? '')
    const provider = await read(`${issuer.url}/.well-known/openid-configuration`)
    expect(own.issuer).toBe(provider.issuer)
    const [{ keys }, published] = [await read(own.jwks_uri), await read(provider.jwks_uri)]
    expect(keys).toEqual([expect.objectContaining(published.keys[0])])
    expect(keys[0]).not.toHaveProperty('d')
  })

  it('has a role for each of its groups, and a user for each of these', () => {
    const granted = GRANTS.flatMap(({ subjects }) => subjects.map(({ name }) => name)).filter(name =>
      name.startsWith(NAME_PREFIX),
    )
    const groups = ISSUER_PEOPLE.flatMap(person => person.groups.map(group => `${NAME_PREFIX}${group}`))
    expect(granted.sort()).toEqual(groups.sort())
  })

  it('gives no code without a challenge, and to no client but its own', async () => {
    const ask = async (changes: Record<string, string>) => {
      const query = new URLSearchParams({
        client_id: 'kairship-cli',
        response_type: 'code',
        redirect_uri: 'http://127.0.0.1:9/callback',
        scope: 'openid',
        ...changes,
      })
      const browser = issuer.browser()
      return browser.open(`${issuer.url}/auth?${query}`).then(
        page => page.text,
        // Its answer goes to the redirect, where nobody listens.
        () => 'redirected',
      )
    }
    expect(await ask({})).toBe('redirected')
    expect(await ask({ client_id: 'other' })).toContain('invalid_client')
    expect(await ask({ redirect_uri: 'https://evil.test/callback' })).toContain('invalid_redirect_uri')
  })

  it('keeps what it keeps for its owner only, and says what to delete when that cannot be read', async () => {
    const [dataDir, tls] = [newFolder(), await tlsUnderTest()]
    await (await startPlaygroundIssuer({ tls, log: silent, dataDir })).close()
    const file = join(dataDir, 'issuer.json')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    writeFileSync(file, '{')
    await expect(startPlaygroundIssuer({ tls, log: silent, dataDir })).rejects.toThrow(
      `${file} cannot be read; delete it`,
    )
  })

  it('leaves its configuration in a folder while it runs, and there no file and no folder afterwards', async () => {
    const above = newFolder()
    const folder = join(above, '.kairship')
    const { settings, close } = await startIssuer({ tls: await tlsUnderTest(), log: silent, folder })
    expect(readFileSync(settings.authenticationConfig, 'utf8')).toContain('AuthenticationConfiguration')
    await close()
    expect(readdirSync(above)).toEqual([])
  })

  it('leaves a configuration alone that somebody has changed', async () => {
    const folder = newFolder()
    const { settings, close } = await startIssuer({ tls: await tlsUnderTest(), log: silent, folder })
    writeFileSync(settings.authenticationConfig, 'changed')
    await close()
    expect(readFileSync(settings.authenticationConfig, 'utf8')).toBe('changed')
  })
})
