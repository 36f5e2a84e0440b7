import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { StatusError } from '../../../manifests/status-error.js'
import { type ApiServer, startApiServer } from '../../../playground/apiserver/server.js'
import type { Impersonation } from '../../../ports/impersonation.js'

let server: ApiServer
beforeAll(async () => {
  server = await startApiServer({ name: 'access' })
  const rbac = '/apis/rbac.authorization.k8s.io/v1'
  const post = (path: string, body: object) => server.local.request({ method: 'POST', path, body })
  await post(`${rbac}/clusterroles`, {
    metadata: { name: 'one-secret' },
    rules: [{ apiGroups: [''], resources: ['secrets'], resourceNames: ['mine'], verbs: ['get'] }],
  })
  await post(`${rbac}/namespaces/default/rolebindings`, {
    metadata: { name: 'mine' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'one-secret' },
    subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'ann' }],
  })
  await post(`${rbac}/clusterroles`, {
    metadata: { name: 'impersonator' },
    rules: [
      { apiGroups: [''], resources: ['users'], resourceNames: ['ann'], verbs: ['impersonate'] },
      { apiGroups: ['authentication.k8s.io'], resources: ['userextras/scopes'], verbs: ['impersonate'] },
    ],
  })
  await post(`${rbac}/clusterrolebindings`, {
    metadata: { name: 'impersonator' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'impersonator' },
    subjects: [{ kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: 'gateways' }],
  })
  await post('/api/v1/namespaces/default/secrets', { metadata: { name: 'mine' } })
})
afterAll(() => server.close())

const as = (impersonate: Impersonation, path: string, method: 'GET' | 'DELETE' = 'GET') =>
  server.local.request({ method, path, impersonate }).then(
    () => 'allowed',
    (error: StatusError) => error.message,
  )
const ann = { user: 'ann' }
const secrets = '/api/v1/namespaces/default/secrets'

describe('RBAC', () => {
  it('grants the rules of a binding for its name and namespace only', async () => {
    expect(await as(ann, `${secrets}/mine`)).toBe('allowed')
    expect(await as(ann, `${secrets}/other`)).toBe(
      'secrets "other" is forbidden: User "ann" cannot get resource "secrets" in API group "" in the namespace "default"',
    )
    expect(await as(ann, `${secrets}/mine`, 'DELETE')).toContain('cannot delete resource "secrets"')
    expect(await as(ann, '/api/v1/namespaces/kube-system/secrets/mine')).toContain('is forbidden')
  })

  it('refuses paths outside the API with Kubernetes’ message', async () => {
    expect(await as({ user: 'ann', groups: ['system:unauthenticated'] }, '/openapi/v3')).toBe(
      'forbidden: User "ann" cannot get path "/openapi/v3"',
    )
  })

  it('applies a changed role at once', async () => {
    const path = '/apis/rbac.authorization.k8s.io/v1/clusterroles/one-secret'
    const rules = (name: string) => [
      { apiGroups: [''], resources: ['secrets'], resourceNames: [name], verbs: ['get'] },
    ]
    const patch = (name: string) =>
      server.local.request({
        method: 'PATCH',
        path,
        body: { rules: rules(name) },
        contentType: 'application/merge-patch+json',
      })
    await patch('another')
    expect(await as(ann, `${secrets}/mine`)).toContain('is forbidden')
    await patch('mine')
    expect(await as(ann, `${secrets}/mine`)).toBe('allowed')
  })
})

describe('impersonation', () => {
  /** One request by token, as the gateway would send it. */
  const asGateway = async (headers: Record<string, string>): Promise<string> => {
    const token = await server.issueToken({ name: 'gateway', groups: ['gateways'] }, 60)
    const { request } = await import('node:https')
    return new Promise((resolve, reject) => {
      request(
        `${server.url}${secrets}/mine`,
        {
          ca: server.certificateAuthority,
          agent: false,
          headers: { authorization: `Bearer ${token}`, ...headers },
        },
        response => {
          const chunks: Buffer[] = []
          response.on('data', chunk => chunks.push(chunk))
          response.on('end', () => {
            const body = JSON.parse(Buffer.concat(chunks).toString())
            resolve(body.kind === 'Status' ? body.message : body.kind)
          })
        },
      )
        .on('error', reject)
        .end()
    })
  }

  it('needs a grant for the user', async () => {
    expect(await asGateway({ 'impersonate-user': 'ann' })).toBe('Secret')
    expect(await asGateway({ 'impersonate-user': 'bob' })).toBe(
      'users "bob" is forbidden: User "gateway" cannot impersonate resource "users" in API group "" at the cluster scope',
    )
  })

  it('needs a grant for every group, uid and extra', async () => {
    expect(await asGateway({ 'impersonate-user': 'ann', 'impersonate-group': 'system:masters' })).toContain(
      'groups "system:masters" is forbidden',
    )
    expect(await asGateway({ 'impersonate-user': 'ann', 'impersonate-uid': '1' })).toContain(
      'uids.authentication.k8s.io "1" is forbidden',
    )
    expect(await asGateway({ 'impersonate-user': 'ann', 'impersonate-extra-scopes': 'a' })).toBe('Secret')
    expect(await asGateway({ 'impersonate-user': 'ann', 'impersonate-extra-other': 'a' })).toContain(
      'is forbidden',
    )
  })

  it('of groups without a user is refused', async () => {
    expect(await asGateway({ 'impersonate-group': 'x' })).toBe(
      'requested impersonation of groups, uid or extra without impersonating a user',
    )
  })
})

describe('reviews', () => {
  const review = (path: string, spec: object, impersonate?: Impersonation) =>
    server.local.request<{ status: object }>({
      method: 'POST',
      path: `/apis/${path}`,
      body: { spec },
      ...(impersonate ? { impersonate } : {}),
    })

  it('SelfSubjectAccessReview answers for the caller', async () => {
    const spec = {
      resourceAttributes: { verb: 'get', resource: 'secrets', name: 'mine', namespace: 'default' },
    }
    const path = 'authorization.k8s.io/v1/selfsubjectaccessreviews'
    expect((await review(path, spec, ann)).status).toMatchObject({
      allowed: true,
      reason: 'RBAC: allowed by RoleBinding "mine/default" of ClusterRole "one-secret" to User "ann"',
    })
    expect((await review(path, spec, { user: 'bob' })).status).toEqual({ allowed: false })
  })

  it('SubjectAccessReview answers for a named subject and refuses one without a name', async () => {
    const path = 'authorization.k8s.io/v1/subjectaccessreviews'
    const resourceAttributes = { verb: 'list', group: 'apps', resource: 'deployments' }
    const status = async (spec: object) => (await review(path, spec)).status
    expect(await status({ user: 'x', groups: ['system:masters'], resourceAttributes })).toMatchObject({
      allowed: true,
    })
    expect(await status({ user: 'x', resourceAttributes })).toEqual({ allowed: false })
    const refused = await review(path, { resourceAttributes }).catch(e => e)
    expect([refused.code, refused.message]).toEqual([
      422,
      'SubjectAccessReview.authorization.k8s.io "" is invalid: spec.user: Invalid value: "": at least one of user or group must be specified',
    ])
  })

  it('TokenReview accepts the tokens of this cluster and no others', async () => {
    const token = await server.issueToken({ name: 'zoe', groups: ['dev'] }, 60)
    const path = 'authentication.k8s.io/v1/tokenreviews'
    expect((await review(path, { token })).status).toMatchObject({
      authenticated: true,
      user: { username: 'zoe', groups: ['dev', 'system:authenticated'] },
    })
    expect((await review(path, { token: 'nonsense' })).status).toMatchObject({
      error: 'invalid bearer token',
    })
    expect((await review(path, { token, audiences: ['elsewhere'] })).status).not.toHaveProperty(
      'authenticated',
    )
  })

  it('a token expires', async () => {
    let now = Date.now()
    const other = await startApiServer({ name: 'clocked', clock: () => now })
    const token = await other.issueToken({ name: 'zoe' }, 60)
    const check = () =>
      other.local.request<{ status: { authenticated?: boolean } }>({
        method: 'POST',
        path: '/apis/authentication.k8s.io/v1/tokenreviews',
        body: { spec: { token } },
      })
    expect((await check()).status.authenticated).toBe(true)
    now += 61_000
    expect((await check()).status.authenticated).toBeUndefined()
    await other.close()
  })
})

describe('a cached authorization decision', () => {
  /** As a socket's certificate and a verified token do, one caller asks again and again. */
  it('ends with its binding, and does not hide a new one', async () => {
    const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings'
    const { kubeConnector } = await import('../../../actors/kube/connector.js')
    const api = await kubeConnector().connect(await server.tokenKubeconfig({ name: 'cleo' }))
    const reads = () =>
      api.request({ method: 'GET', path: `${secrets}/mine` }).then(
        () => 'allowed',
        (error: StatusError) => String(error.code),
      )
    try {
      expect(await reads()).toBe('403')
      await server.local.request({
        method: 'POST',
        path: rbac,
        body: {
          metadata: { name: 'cleo' },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'one-secret' },
          subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'cleo' }],
        },
      })
      expect(await reads()).toBe('allowed')
      await server.local.request({ method: 'DELETE', path: `${rbac}/cleo` })
      expect(await reads()).toBe('403')
    } finally {
      await api.close()
    }
  })
})
