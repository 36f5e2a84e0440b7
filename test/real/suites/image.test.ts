import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RegistryEntry } from '../../../actors/images/registries-file.js'
import { Registry, type VisitBounds } from '../../../actors/images/registry.js'
import { selfSigned } from '../../../http/listener/serving-certificate.js'
import { content, digestOf, repositories } from '../../conformance/images/content.js'
import { registryConformance } from '../../conformance/images/suite.js'
import { basicAuth, push, type RunningRegistry, startRegistry, USER } from '../docker-registry.js'
import { freePort } from '../ports.js'
import { Site } from '../site.js'
import { startTokenServer, type TokenServer, tokenAuth } from '../token-server.js'

const site = new Site(mkdtempSync(join(tmpdir(), 'kairship-image-')))
const signal = new AbortController().signal
let basic: RunningRegistry
let byToken: RunningRegistry
let tokens: TokenServer
const opened: Registry[] = []
beforeAll(async () => {
  basic = await startRegistry(site, 'basic', basicAuth(site, 'basic'))
  const proof = `Basic ${Buffer.from(`${USER.username}:${USER.password}`).toString('base64')}`
  await push(basic, async () => proof)
  const tls = await selfSigned(['127.0.0.1'])
  tokens = await startTokenServer(tls, await freePort())
  byToken = await startRegistry(
    site,
    'by-token',
    tokenAuth(tokens.url, site.file('both.crt', tls.certificate)),
    tls,
  )
  await push(byToken, tokens.pushTo)
})
afterAll(async () => {
  for (const registry of opened) await registry.close()
  await tokens?.close()
  await site.close()
})

const connect = async (entry: Partial<RegistryEntry> & { url: string }, bounds?: VisitBounds) => {
  const registry = new Registry(
    {
      ...{ name: 'team', alias: 'team', host: 'registry.example', tokenServers: [] },
      credentialsFile: site.file('credential.json', JSON.stringify(USER)),
      ...entry,
    },
    bounds,
  )
  opened.push(registry)
  return registry.prepare()
}
const readAll = async (registry: Registry) => {
  const visit = registry.visit(signal)
  expect(await visit.repositories()).toEqual(repositories)
  for (const { repository, tags, body, blobs } of content) {
    expect(await visit.tags(repository)).toEqual(expect.arrayContaining([...tags]))
    const size = blobs.reduce((sum, { length }) => sum + length, 0)
    for (const tag of tags)
      expect(await visit.image(repository, tag)).toEqual({ digest: digestOf(body), size })
  }
  expect(await visit.image('shop/web', 'none')).toBeUndefined()
  await expect(visit.tags('shop/none')).rejects.toMatchObject({ kind: 'notFound' })
}

registryConformance(() => ({ ...basic, ...USER }))

describe('a real registry', () => {
  it('is read with a name and a password', async () => {
    await readAll(
      await connect({ url: basic.url, caFile: site.file('basic.crt', basic.certificateAuthority) }),
    )
  })

  it('is read with one token per repository from its token server, each reused', async () => {
    const registry = await connect({
      url: byToken.url,
      caFile: join(site.folder, 'both.crt'),
      tokenServers: [tokens.url],
    })
    await readAll(registry)
    const scopes = tokens.received.map(({ scope }) => scope)
    expect(new Set(scopes).size).toBe(scopes.length)
    expect(scopes).toContain('registry:catalog:*')
    expect(scopes).toContain('repository:shop/deep/api:pull')
  })

  it('is refused when its token server is not allowed, and the credential is not sent there', async () => {
    const before = tokens.received.length
    const registry = await connect({ url: byToken.url, caFile: join(site.folder, 'both.crt') })
    await expect(registry.visit(signal).repositories()).rejects.toMatchObject({
      kind: 'gateway',
      reason: 'TokenServerNotAllowed',
    })
    expect(tokens.received).toHaveLength(before)
  })

  it.each([
    ['a wrong password', { username: USER.username, password: 'wrong' }],
    ['another name', { username: 'nobody', password: USER.password }],
  ])('refuses %s, with Basic and with tokens', async (_what, credential) => {
    const credentialsFile = site.file('wrong.json', JSON.stringify(credential))
    for (const entry of [
      { url: basic.url, caFile: site.file('basic.crt', basic.certificateAuthority) },
      { url: byToken.url, caFile: join(site.folder, 'both.crt'), tokenServers: [tokens.url] },
    ]) {
      const registry = await connect({ ...entry, credentialsFile })
      const error = await registry
        .visit(signal)
        .repositories()
        .then(
          () => undefined,
          (it: Error) => it,
        )
      expect(error).toMatchObject({ kind: 'gateway', reason: 'RegistryCredentialRefused' })
      expect(error?.message).not.toContain(credential.password)
    }
  })
})
