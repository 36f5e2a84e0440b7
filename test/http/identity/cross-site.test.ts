import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isCrossSite } from '../../../http/identity/credentials.js'
import {
  type CertificateAuthority,
  createAuthority,
} from '../../../playground/apiserver/access/certificates.js'
import { curl, type Identity, listeningApi } from '../fakes/listening.js'

const own = { host: 'kairship.test:8443' }

describe('the cross-site check', () => {
  it.each([
    ['POST', {}, false],
    ['POST', { 'sec-fetch-site': 'cross-site' }, true],
    ['POST', { 'sec-fetch-site': 'same-site' }, true],
    ['DELETE', { 'sec-fetch-site': 'cross-site' }, true],
    ['POST', { 'sec-fetch-site': 'same-origin', origin: 'https://kairship.test:8443' }, false],
    ['POST', { 'sec-fetch-site': 'none' }, false],
    ['GET', { 'sec-fetch-site': 'cross-site' }, false],
    ['GET', { 'sec-fetch-site': 'cross-site', upgrade: 'websocket' }, true],
    ['GET', { origin: 'https://evil.test', upgrade: 'websocket' }, true],
    ['POST', { origin: 'https://evil.test' }, true],
    ['POST', { origin: 'null' }, true],
    ['POST', { origin: 'https://kairship.test:8443' }, false],
    ['POST', { origin: 'https://kairship.test' }, true],
  ])('of %s %j gives: %s', (method, headers, crossSite) => {
    expect(isCrossSite({ method, headers: { ...own, ...headers } })).toBe(crossSite)
  })
})

describe('a caller with a client certificate', () => {
  const path = '/apis/kairship.io/v1alpha1/instances'
  let authority: CertificateAuthority
  let api: Awaited<ReturnType<typeof listeningApi>>
  let admin: Identity
  beforeAll(async () => {
    authority = await createAuthority('clients')
    api = await listeningApi(undefined, { clientCertificateAuthority: authority.certificate })
    const { certificate, key } = await authority.issueClient({ name: 'admin', groups: [] })
    admin = { cert: certificate, key }
  })
  afterAll(() => api.running.close())
  const post = (headers: Record<string, string>, identity: Identity = admin) =>
    curl(api.running, `${path}/north/failover`, identity, headers, 'PUT')

  it('is refused a body without a content type, which a browser can post from any page', async () => {
    const refused = await post({})
    expect([refused.status, JSON.parse(refused.text).message]).toEqual([
      400,
      'send content-type: application/json, also with an empty body',
    ])
    expect((await post({}, { token: 'admin' })).text).not.toContain('content-type')
    expect((await post({ 'content-type': 'application/json' })).text).not.toContain('content-type')
  })

  it('is refused a write without a body, which a browser can send from any page', async () => {
    const promote = `${path}/north/member-clusters/m/namespaces/a/ingresses/b:promote`
    for (const [method, target] of [
      ['POST', promote],
      ['DELETE', `${path}/north`],
    ] as const) {
      const refused = await curl(api.running, target, admin, {}, method)
      expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('send content-type')])
    }
    expect(api.host.instances.get('north')?.metadata.deletionTimestamp).toBeUndefined()
    const sent = await curl(api.running, promote, admin, { 'content-type': 'application/json' }, 'POST')
    expect(sent.text).not.toContain('content-type')
  })

  it('is not authenticated for a write from a page of another site, over REST and through the proxy', async () => {
    const headers = { 'sec-fetch-site': 'cross-site', 'content-type': 'application/json' }
    for (const target of [`${path}/north`, `${path}/north/proxy/api/v1/namespaces/x`]) {
      const { status, text } = await curl(api.running, target, admin, headers, 'DELETE')
      expect([status, text]).toEqual([401, expect.stringContaining('a page of another site')])
    }
    expect(api.host.instances.get('north')?.metadata.deletionTimestamp).toBeUndefined()
    expect((await curl(api.running, path, admin, headers)).status).toBe(200)
  })

  it('is identified by its token in such a write, if it sends one', async () => {
    const headers = { 'sec-fetch-site': 'cross-site' }
    const answer = await curl(api.running, `${path}/north`, { ...admin, token: 'viewer' }, headers, 'DELETE')
    expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('User \\"viewer\\"')])
  })
})
