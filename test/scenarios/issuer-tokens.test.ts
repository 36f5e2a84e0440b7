import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { connectIssuer } from '../../actors/issuers/issuer-documents.js'
import type { Api } from '../../http/api-options.js'
import { bearer, curl, type GrpcClient, grpcClient, unary } from '../http/fakes/listening.js'
import { entryFor } from '../http/identity/oidc/authenticating.js'
import { documentWith } from '../http/identity/oidc/configurations.js'
import { signingKey, startIssuer, type TestIssuer } from '../http/identity/oidc/test-issuer.js'
import { type PlaygroundProxy, startPlaygroundProxy } from '../http/proxy/playground-proxy.js'
import { kubectls, runKubectl } from './support/kubectl.js'

let proxy: PlaygroundProxy
let issuer: TestIssuer
let api: Api
let grpc: GrpcClient
let file: string

/** A user of the issuer is the playground's user of the same name, with its rights. */
const entry = (fields: object = {}) =>
  entryFor(issuer, {
    claimMappings: {
      username: { expression: 'claims.sub + "@playground"' },
      groups: { claim: 'groups', prefix: '' },
    },
    ...fields,
  })
const configure = (...jwt: object[]) => writeFile(file, JSON.stringify(documentWith(...jwt)))

beforeAll(async () => {
  proxy = await startPlaygroundProxy()
  issuer = await startIssuer(await signingKey('one'))
  file = join(proxy.folder, 'authentication.yaml')
  await configure(entry())
  api = await proxy.another('127.0.0.1:0', {
    authentication: { file, connect: connectIssuer, graceMs: 3_600_000 },
  })
  grpc = grpcClient(api)
})
afterAll(async () => {
  grpc?.close()
  await proxy?.close()
  await issuer?.close()
})

const instances = '/apis/kairship.io/v1alpha1/instances'
const text = (value: unknown) => JSON.stringify(value)

/** Every door, each with the answer to a token: 'accepted', or the words of its refusal. */
const doors: Record<string, (token: string) => Promise<string>> = {
  REST: async token => said(await curl(api, instances, { token })),
  gRPC: async token => {
    const { error } = await unary(grpc, 'ListInstances', {}, bearer(token))
    return error ? error.details : 'accepted'
  },
  'the proxy': async token =>
    said(await curl(api, `${instances}/${proxy.instance}/proxy/api/v1/namespaces`, { token })),
  'an upgrade through the proxy': async token => {
    const path = `${instances}/${proxy.instance}/proxy/api/v1/namespaces/default/pods/none/exec?command=true`
    const upgrade = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
    }
    const answer = await curl(api, path, { token }, upgrade)
    return answer.status === 401 ? said(answer) : 'accepted'
  },
  ...(kubectls().length > 0 && { kubectl: askKubectl }),
}

function said({ status, text }: { status: number; text: string }): string {
  if (status < 400) return 'accepted'
  return String(JSON.parse(text).message)
}

/** Calls of kubectl go on beside each other, each with a file of its own. */
let asked = 0

async function askKubectl(token: string): Promise<string> {
  const [kubectl = ''] = kubectls()
  const kubeconfig = join(proxy.folder, `kubeconfig-${asked++}`)
  const text = proxy
    .kubeconfig('admin')
    .replaceAll(proxy.api.url, api.url)
    .replace(
      /certificate-authority-data: .*/,
      `certificate-authority-data: ${Buffer.from(api.certificateAuthority ?? '').toString('base64')}`,
    )
    .replace(/token: .*/, `token: ${token}`)
  await writeFile(kubeconfig, text, { mode: 0o600 })
  const { code, stderr } = await runKubectl(kubectl, ['get', 'namespaces'], {
    kubeconfig,
    home: proxy.folder,
  })
  return code === 0 ? 'accepted' : stderr
}

describe.each(Object.entries(doors))('%s', (_door, ask) => {
  beforeEach(async () => {
    await configure(entry())
    await expect.poll(() => api.issuers().map(one => one.isUsable)).toEqual([true])
  })

  it('accepts a token of a configured issuer, and those of the host as before', async () => {
    expect(await ask(await issuer.token({ sub: 'admin' }))).toBe('accepted')
    expect(await ask(proxy.playground.tokens.admin)).toBe('accepted')
  })

  it('refuses tokens for another audience, of another key, that have expired, or that name a group of Kubernetes', async () => {
    const refused = [
      await issuer.token({ sub: 'admin', aud: 'other' }),
      await issuer.token({ sub: 'admin' }, {}, await signingKey('one')),
      await issuer.token({ sub: 'admin', exp: 1 }),
      await issuer.token({ sub: 'admin', groups: ['system:masters'] }),
    ]
    const answers = await Promise.all(refused.map(ask))
    const words = [
      'for the audience kairship',
      'not signed with a key',
      'it has expired',
      'begins with system:',
    ]
    for (const [index, answer] of answers.entries())
      expect(answer).toMatch(new RegExp(`${words[index]}|logged in to the server`))
  })

  it('refuses a token that it accepted when its issuer is taken out of the configuration', async () => {
    const token = await issuer.token({ sub: 'admin', jti: _door })
    expect(await ask(token)).toBe('accepted')
    await configure()
    await expect.poll(() => api.issuers()).toEqual([])
    expect(await ask(token)).toMatch(/unknown or has expired|logged in to the server/)
    expect(await ask(proxy.playground.tokens.admin)).toBe('accepted')
  })
})

describe('/readyz', () => {
  it('tells of issuers and of a configuration that cannot be used, and stays ready', async () => {
    await configure(entry())
    await expect
      .poll(async () => (await curl(api, '/readyz')).text)
      .toMatch(/^\[i\]issuer https:\S+: 1 keys, read \d+ s ago$/m)
    await configure(entry({ claimMappings: {} }))
    const refused = /^\[i\]authentication configuration: refused, .*jwt\[0\]\.claimMappings\.username/m
    await expect.poll(async () => (await curl(api, '/readyz')).text).toMatch(refused)
    const { status } = await curl(api, '/readyz')
    expect(status).toBe(200)
    expect(await doors.REST?.(await issuer.token({ sub: 'admin' }))).toBe('accepted')
    expect(text(proxy.log.lines)).toContain('the authentication configuration cannot be used')
  })
})
