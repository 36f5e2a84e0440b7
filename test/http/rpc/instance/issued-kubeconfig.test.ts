import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { ProxyLimits } from '../../../../http/proxy/limits.js'
import {
  type KubeApi,
  type KubeRequest,
  UnreachableError,
  type Upstream,
} from '../../../../ports/kube-api.js'
import { testApi } from '../../fakes/api.js'
import { refusal } from '../../fakes/host.js'

/** Sockets over which nothing ever comes; an admin kubeconfig needs none. */
const silent: Upstream = (() => {
  const exchange = () => ({ resume: () => undefined, abort: () => undefined })
  return { send: exchange, upgrade: exchange }
})()

/** A control plane that keeps what is created and issues tokens. */
function controlPlane() {
  const requests: KubeRequest[] = []
  const names = new Set<string>()
  const api: KubeApi = {
    server: 'https://north.test:5443',
    certificateAuthority: 'PEM',
    async request<T>(request: KubeRequest) {
      requests.push(request)
      if (request.path.endsWith('/token')) {
        return { status: { token: 'secret-token', expirationTimestamp: '2026-11-20T11:00:00Z' } } as T
      }
      const { kind, metadata } = request.body as { kind: string; metadata: { name: string } }
      const key = `${kind}/${metadata.name}`
      if (request.method === 'PUT') {
        if (!names.has(key)) throw refusal(404, 'NotFound', `${key} not found`)
        return request.body as T
      }
      if (names.has(key)) throw refusal(409, 'AlreadyExists', `${key} already exists`)
      names.add(key)
      return request.body as T
    },
    // biome-ignore lint/correctness/useYield: not watched here
    async *watch() {
      throw new Error('not scripted')
    },
    upstream: silent,
    close: async () => undefined,
  }
  return { api, requests, names }
}

function reachable(limits: Partial<ProxyLimits> = {}) {
  const api = testApi(undefined, { limits })
  const plane = controlPlane()
  api.fleet.connections.set('north', plane.api)
  return { ...api, plane }
}

describe('an admin kubeconfig', () => {
  it('has the endpoint, its authority and a token of the requested lifetime', async () => {
    const { call, plane } = reachable()
    const { status, json } = await call('admin', 'POST', '/instances/north/kubeconfig', {
      expirationSeconds: 3600,
    })
    expect(status).toBe(200)
    expect(json).toMatchObject({ instance: 'north', expirationTimestamp: '2026-11-20T11:00:00Z' })
    const config = parse(json.kubeConfigString)
    expect(config.clusters[0].cluster).toEqual({
      server: 'https://north.test:5443',
      'certificate-authority-data': Buffer.from('PEM').toString('base64'),
    })
    expect(config.users[0].user).toEqual({ token: 'secret-token' })
    expect(config['current-context']).toBe('north')
    expect(plane.requests.at(-1)?.body).toMatchObject({ spec: { expirationSeconds: 3600 } })
  })

  it('belongs to an account for each user, labelled and bound to cluster-admin', async () => {
    const { call, plane } = reachable()
    await call('admin', 'POST', '/instances/north/kubeconfig', {})
    const binding = plane.requests.find(({ path }) => path.endsWith('/clusterrolebindings'))?.body
    expect(binding).toMatchObject({
      metadata: {
        labels: { 'app.kubernetes.io/managed-by': 'kairship', 'kairship.io/instance': 'north' },
        annotations: { 'kairship.io/issued-to': 'admin' },
      },
      roleRef: { kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', namespace: 'kairship-system' }],
    })
  })

  it('has the token of an account that no other user has, and that the binding names', async () => {
    const { call, plane } = reachable()
    const accountOf = async (user: string) => {
      const before = plane.requests.length
      const { json } = await call(user, 'POST', '/instances/north/kubeconfig', {})
      const sent = plane.requests.slice(before)
      const binding = sent.find(({ path }) => path.endsWith('/clusterrolebindings'))
      const account = (binding?.body as { subjects?: { name: string }[] })?.subjects?.[0]?.name ?? ''
      expect(sent.at(-1)?.path).toBe(`/api/v1/namespaces/kairship-system/serviceaccounts/${account}/token`)
      expect([...plane.names]).toContain(`ServiceAccount/${account}`)
      expect(parse(json.kubeConfigString).users[0].name).toBe(account)
      return account
    }
    expect(await accountOf('admin')).not.toBe(await accountOf('second'))
  })

  it.each([
    [0, 86_400],
    [600, 600],
    [2_592_000, 2_592_000],
  ])('that is asked for %i seconds has a token for %i', async (expirationSeconds, seconds) => {
    const { call, plane } = reachable()
    const { status } = await call('admin', 'POST', '/instances/north/kubeconfig', { expirationSeconds })
    expect([status, plane.requests.at(-1)?.body]).toMatchObject([
      200,
      { spec: { expirationSeconds: seconds } },
    ])
  })

  it('reaches the endpoint as Kairship does: with its TLS server name, or unverified', async () => {
    const { call, fleet, plane } = reachable()
    fleet.connections.set('north', { ...plane.api, tlsServerName: 'north.internal', insecure: true })
    const { json } = await call('admin', 'POST', '/instances/north/kubeconfig', {})
    expect(parse(json.kubeConfigString).clusters[0].cluster).toMatchObject({
      'tls-server-name': 'north.internal',
      'insecure-skip-tls-verify': true,
    })
  })

  it.each([{}, { status: {} }, { status: { token: '' } }])(
    'is not issued without a token: where the control plane answers %j',
    async answer => {
      const { call, fleet, plane } = reachable()
      const request = async <T>(sent: KubeRequest): Promise<T> =>
        sent.path.endsWith('/token') ? (answer as T) : plane.api.request<T>(sent)
      fleet.connections.set('north', { ...plane.api, request })
      const { status, json } = await call('admin', 'POST', '/instances/north/kubeconfig', {})
      expect([status, json.code, json.kubeConfigString]).toEqual([500, 13, undefined])
    },
  )

  it('may be requested again: existing objects are reused', async () => {
    const { call, plane } = reachable()
    await call('admin', 'POST', '/instances/north/kubeconfig', {})
    expect((await call('admin', 'POST', '/instances/north/kubeconfig', {})).status).toBe(200)
    expect(plane.names.size).toBe(3)
  })

  it.each([-1, 1, 599, 2_592_001, 2_147_483_647])('is not issued for %i seconds', async expirationSeconds => {
    const { call, plane } = reachable()
    const { status, json } = await call('admin', 'POST', '/instances/north/kubeconfig', { expirationSeconds })
    expect([status, json.details[0].fieldViolations[0].field]).toEqual([400, 'expirationSeconds'])
    expect(plane.requests).toEqual([])
  })

  it('is refused for an instance that cannot be reached', async () => {
    const { status, json } = await testApi().call('admin', 'POST', '/instances/south/kubeconfig', {})
    expect([status, json.code, json.message]).toEqual([
      503,
      14,
      'instance south is degraded and cannot be reached now: see its conditions',
    ])
  })

  it('returns the control plane’s own refusal', async () => {
    const { call, fleet, plane } = reachable()
    const request = async () => {
      throw refusal(403, 'Forbidden', 'serviceaccounts is forbidden')
    }
    fleet.connections.set('north', { ...plane.api, request })
    const { status, json } = await call('admin', 'POST', '/instances/north/kubeconfig', {})
    expect([status, json.message]).toEqual([403, 'serviceaccounts is forbidden'])
  })

  it('is refused with 502 while the control plane refuses Kairship’s own credential', async () => {
    const { call, fleet, plane } = reachable()
    const request = async () => {
      throw refusal(401, 'Unauthorized', 'Unauthorized')
    }
    fleet.connections.set('north', { ...plane.api, request })
    const { status, json } = await call('admin', 'POST', '/instances/north/kubeconfig', {})
    expect([status, json.details[0].reason]).toEqual([502, 'KairshipCredentialRefused'])
  })

  it('is refused without a request while the circuit of the instance is open', async () => {
    const { call, fleet, plane } = reachable()
    let requests = 0
    const request = async () => {
      requests += 1
      throw new UnreachableError('connect ECONNREFUSED', 'ECONNREFUSED')
    }
    fleet.connections.set('north', { ...plane.api, request })
    const issue = () => call('admin', 'POST', '/instances/north/kubeconfig', {})
    for (let broken = 1; broken <= 5; broken += 1) {
      expect((await issue()).json.message).toContain('ECONNREFUSED')
      expect(requests).toBe(broken)
    }
    const { status, headers, json } = await issue()
    expect([status, json.code, requests]).toEqual([503, 14, 5])
    expect(headers.get('retry-after')).not.toBeNull()
  })

  it.each([
    ['its caller', { requestsPerCaller: 1, requestsPerInstance: 5 }, 'admin'],
    ['its instance', { requestsPerInstance: 1 }, 'second'],
  ])(
    'is refused while %s has its maximum of requests in flight, one of which it is',
    async (_, limits, other) => {
      const { call, fleet, plane } = reachable(limits)
      const held: (() => void)[] = []
      const request = <T>(sent: KubeRequest): Promise<T> =>
        new Promise<void>(resolve => held.push(resolve)).then(() => plane.api.request<T>(sent))
      fleet.connections.set('north', { ...plane.api, request })
      const issue = (token: string) => call(token, 'POST', '/instances/north/kubeconfig', {})
      const first = issue('admin')
      await expect.poll(() => held).toHaveLength(1)
      const refused = await issue(other)
      expect([refused.status, refused.json.code]).toEqual([429, 8])
      fleet.connections.set('north', plane.api)
      for (let requests = 1; requests <= 4; requests += 1) {
        await expect.poll(() => held).toHaveLength(requests)
        held.at(-1)?.()
      }
      expect((await first).status).toBe(200)
      expect((await issue(other)).status).toBe(200)
    },
  )

  it('stops sending requests when its caller hangs up', async () => {
    const { app, fleet, plane } = reachable()
    const sent: KubeRequest[] = []
    const request = <T>(one: KubeRequest): Promise<T> => {
      sent.push(one)
      return new Promise((_, reject) => {
        one.signal?.addEventListener('abort', () => reject(one.signal?.reason), { once: true })
      })
    }
    fleet.connections.set('north', { ...plane.api, request })
    const caller = new AbortController()
    const issued = app.request(
      new Request('http://kairship.test/apis/kairship.io/v1alpha1/instances/north/kubeconfig', {
        method: 'POST',
        headers: { authorization: 'Bearer admin', 'content-type': 'application/json' },
        body: '{}',
        signal: caller.signal,
      }),
      {},
      {},
    )
    await expect.poll(() => sent).toHaveLength(1)
    caller.abort()
    expect((await issued).status).toBe(499)
    expect(sent.map(({ path, signal }) => [path, signal?.aborted])).toEqual([['/api/v1/namespaces', true]])
  })

  it('leaves an audit record without the token', async () => {
    const { call, log } = reachable()
    await call('admin', 'POST', '/instances/north/kubeconfig', {})
    expect(log.audits()).toMatchObject([{ resource: 'instances/kubeconfig', name: 'north', code: 'OK' }])
    expect(JSON.stringify(log.lines)).not.toContain('secret-token')
  })
})

describe('a scoped kubeconfig', () => {
  const path = '/instances/north/kubeconfig:scoped'
  const viewer = { role: 'INSTANCE_ROLE_VIEWER' }
  const accountOf = (json: { kubeConfigString: string }) => parse(json.kubeConfigString).users[0].name

  it('has an account for each caller, role and set of namespaces', async () => {
    const { call } = reachable()
    const account = async (user: string, request: object) =>
      accountOf((await call(user, 'POST', path, request)).json)
    const first = await account('admin', { ...viewer, namespaces: ['a', 'b'] })
    expect(await account('admin', { ...viewer, namespaces: ['b', 'a', 'b'] })).toBe(first)
    const others = [
      await account('second', { ...viewer, namespaces: ['a', 'b'] }),
      await account('admin', { role: 'INSTANCE_ROLE_EDITOR', namespaces: ['a', 'b'] }),
      await account('admin', { ...viewer, namespaces: ['a'] }),
      await account('admin', viewer),
      accountOf((await call('admin', 'POST', '/instances/north/kubeconfig', {})).json),
    ]
    expect(new Set([first, ...others]).size).toBe(6)
  })

  it('writes the rules of its role again, which an earlier version may have written', async () => {
    const { call, plane } = reachable()
    await call('admin', 'POST', path, viewer)
    await call('admin', 'POST', path, viewer)
    const [made, written] = plane.requests
      .filter(({ path: at }) => at.includes('/clusterroles'))
      .filter(({ method }, index) => index === 0 || method === 'PUT')
    expect([made?.method, made?.path.split('/').at(-1)]).toEqual(['POST', 'clusterroles'])
    expect([written?.method, written?.path.split('/').at(-1)]).toEqual(['PUT', 'kairship%3Aissued-viewer'])
    expect(written?.body).toEqual(made?.body)
    expect(JSON.stringify(made?.body)).not.toContain('secrets')
  })

  it('never binds cluster-admin', async () => {
    const { call, plane } = reachable()
    for (const role of ['VIEWER', 'EDITOR', 'ADMIN'])
      for (const namespaces of [[], ['a']])
        expect(
          (await call('admin', 'POST', path, { role: `INSTANCE_ROLE_${role}`, namespaces })).status,
        ).toBe(200)
    expect(plane.requests.length).toBeGreaterThan(20)
    expect(JSON.stringify(plane.requests)).not.toContain('cluster-admin')
  })

  it.each([
    ['no role', {}, 'role'],
    ['a namespace that is a path', { ...viewer, namespaces: ['default', '../kube-system'] }, 'namespaces[1]'],
    ['an empty namespace', { ...viewer, namespaces: [''] }, 'namespaces[0]'],
    [
      '51 namespaces',
      { ...viewer, namespaces: Array.from({ length: 51 }, (_, at) => `n${at}`) },
      'namespaces',
    ],
    ['a life of a minute', { ...viewer, expirationSeconds: 60 }, 'expirationSeconds'],
  ])('with %s is refused before any request', async (_, request, field) => {
    const { call, plane } = reachable()
    const { status, json } = await call('admin', 'POST', path, request)
    expect([status, json.details[0].fieldViolations[0].field]).toEqual([400, field])
    expect(plane.requests).toEqual([])
  })
})

describe('a kubeconfig through the proxy', () => {
  it('has the proxy’s URL, its authority, and no credentials', async () => {
    const { status, json } = await testApi().call('viewer', 'GET', '/instances/north/kubeconfig')
    expect(status).toBe(200)
    const { clusters, users } = parse(json.kubeConfigString)
    expect(clusters[0].cluster).toEqual({
      server: 'https://kairship.test/apis/kairship.io/v1alpha1/instances/north/proxy',
      'certificate-authority-data': Buffer.from('PEM').toString('base64'),
    })
    expect(users).toEqual([{ name: 'kairship', user: {} }])
  })

  it('is only for callers that may use the proxy, and for existing instances', async () => {
    const { call } = testApi()
    expect((await call('nobody', 'GET', '/instances/north/kubeconfig')).status).toBe(403)
    expect((await call('viewer', 'GET', '/instances/west/kubeconfig')).status).toBe(404)
  })
})
