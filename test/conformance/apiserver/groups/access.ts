import { expect } from 'vitest'
import { PATIENCE_MS } from '../../../patience.js'
import { type Bench, behaviour, configMap, failure, type Group, type Json } from '../behaviour.js'

const rbac = 'rbac.authorization.k8s.io'

/** Lets alice do something in this group's namespace. */
async function allow(k: Bench, rules: Json[]): Promise<() => Promise<void>> {
  const name = k.name('allow')
  const path = `/apis/${rbac}/v1/namespaces/${k.namespace}`
  await k.made(`${path}/roles`, { apiVersion: `${rbac}/v1`, kind: 'Role', metadata: { name }, rules })
  await k.made(`${path}/rolebindings`, {
    apiVersion: `${rbac}/v1`,
    kind: 'RoleBinding',
    metadata: { name },
    roleRef: { apiGroup: rbac, kind: 'Role', name },
    subjects: [{ kind: 'User', apiGroup: rbac, name: 'alice' }],
  })
  return async () => {
    await k.admin.delete(`${path}/rolebindings/${name}`)
    await k.admin.delete(`${path}/roles/${name}`)
  }
}

/** Polls until alice gets this status: an authorizer learns of roles by watching. */
async function aliceGets(k: Bench, path: string, status: number): Promise<void> {
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; ) {
    if ((await k.alice.get(path)).status === status) return
    await new Promise(resolve => setTimeout(resolve, 20))
  }
  throw new Error(`alice did not get ${status} on ${path} in time`)
}

async function subjectAccess(k: Bench, spec: Json): Promise<Json> {
  return k.made('/apis/authorization.k8s.io/v1/subjectaccessreviews', { spec })
}

/** Who may do what, and how a refusal reads. */
export const access: Group = {
  name: 'access',
  behaviours: [
    behaviour('a refused get names user, verb, resource, group and namespace', async k => {
      const { status, body } = await k.alice.get(k.core('configmaps', 'x'))
      expect(status).toBe(403)
      expect(body).toEqual(
        failure(
          403,
          'Forbidden',
          `configmaps "x" is forbidden: User "alice" cannot get resource "configmaps" in API group "" in the namespace "${k.namespace}"`,
          { name: 'x', kind: 'configmaps' },
        ),
      )
    }),
    behaviour('a refused list over all namespaces is told at the cluster scope', async k => {
      const { body } = await k.alice.get('/api/v1/configmaps')
      expect(body).toEqual(
        failure(
          403,
          'Forbidden',
          'configmaps is forbidden: User "alice" cannot list resource "configmaps" in API group "" at the cluster scope',
          { kind: 'configmaps' },
        ),
      )
    }),
    behaviour('a refused creation is told without a name', async k => {
      const { status, body } = await k.alice.post(k.core('configmaps'), configMap('x'))
      expect(status).toBe(403)
      expect(body.message).toBe(
        `configmaps is forbidden: User "alice" cannot create resource "configmaps" in API group "" in the namespace "${k.namespace}"`,
      )
    }),
    behaviour('a refused subresource is named with its resource', async k => {
      const { body } = await k.alice.get(`${k.apps('deployments', 'x')}/status`)
      expect(body.message).toBe(
        `deployments.apps "x" is forbidden: User "alice" cannot get resource "deployments/status" in API group "apps" in the namespace "${k.namespace}"`,
      )
    }),
    behaviour('a watch is refused as verb watch', async k => {
      const { status, body } = await k.alice.get(k.core('configmaps'), { watch: true })
      expect(status).toBe(403)
      expect(body.message).toContain('cannot watch resource "configmaps"')
    }),
    behaviour('a deletion of a collection is refused as verb deletecollection', async k => {
      const { body } = await k.alice.delete(k.core('configmaps'))
      expect(body.message).toContain('cannot deletecollection resource "configmaps"')
    }),
    behaviour('a path that is no resource is refused as such', async k => {
      const { status, body } = await k.alice.get('/metrics')
      expect(status).toBe(403)
      expect(body).toEqual(
        failure(403, 'Forbidden', 'forbidden: User "alice" cannot get path "/metrics"', {}),
      )
    }),
    behaviour('a request without credentials is by system:anonymous', async k => {
      const { status, body } = await k.anonymous.get(k.core('configmaps'))
      expect(status).toBe(403)
      expect(body.message).toContain('User "system:anonymous" cannot list resource "configmaps"')
    }),
    behaviour('a token that was never issued is Unauthorized', async k => {
      const { status, body } = await k.anonymous.get(
        k.core('configmaps'),
        {},
        { authorization: 'Bearer nonsense' },
      )
      expect(status).toBe(401)
      expect(body).toEqual(failure(401, 'Unauthorized', 'Unauthorized'))
    }),
    behaviour('anyone may ask for version and health', async k => {
      for (const path of ['/version', '/healthz', '/livez', '/readyz'])
        expect((await k.anonymous.get(path)).status, path).toBe(200)
    }),
    behaviour('anonymous callers may not discover, authenticated ones may', async k => {
      for (const path of ['/api', '/apis', '/api/v1', '/apis/apps/v1', '/openapi/v3']) {
        expect((await k.anonymous.get(path)).status, path).toBe(403)
        expect((await k.alice.get(path)).status, path).toBe(200)
      }
    }),
    behaviour('a RoleBinding allows what its Role says, in its namespace only', async k => {
      const revoke = await allow(k, [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }])
      await aliceGets(k, k.core('configmaps'), 200)
      expect((await k.alice.get('/api/v1/namespaces/default/configmaps')).status).toBe(403)
      expect((await k.alice.get(k.core('configmaps', 'x'))).status).toBe(403)
      await revoke()
      await aliceGets(k, k.core('configmaps'), 403)
    }),
    behaviour('resourceNames allow single objects', async k => {
      const revoke = await allow(k, [
        { apiGroups: [''], resources: ['configmaps'], verbs: ['get'], resourceNames: ['mine'] },
      ])
      await aliceGets(k, k.core('configmaps', 'mine'), 404)
      expect((await k.alice.get(k.core('configmaps', 'other'))).status).toBe(403)
      await revoke()
    }),
    behaviour('a role for a resource does not cover its subresources', async k => {
      const revoke = await allow(k, [{ apiGroups: ['apps'], resources: ['deployments'], verbs: ['get'] }])
      await aliceGets(k, k.apps('deployments', 'x'), 404)
      expect((await k.alice.get(`${k.apps('deployments', 'x')}/status`)).status).toBe(403)
      await revoke()
    }),
    behaviour('a ClusterRole bound by a RoleBinding counts in that namespace', async k => {
      const name = k.name('bind')
      const path = `/apis/${rbac}/v1/namespaces/${k.namespace}/rolebindings`
      await k.made(path, {
        apiVersion: `${rbac}/v1`,
        kind: 'RoleBinding',
        metadata: { name },
        roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'view' },
        subjects: [{ kind: 'Group', apiGroup: rbac, name: 'developers' }],
      })
      await aliceGets(k, k.core('configmaps'), 200)
      expect((await k.alice.get(k.core('secrets'))).status).toBe(403)
      await k.admin.delete(`${path}/${name}`)
    }),
    behaviour('a user cannot grant rights that they do not have', async k => {
      const revoke = await allow(k, [{ apiGroups: [rbac], resources: ['roles'], verbs: ['create', 'list'] }])
      const path = `/apis/${rbac}/v1/namespaces/${k.namespace}/roles`
      await aliceGets(k, path, 200)
      const { status, body } = await k.alice.post(path, {
        apiVersion: `${rbac}/v1`,
        kind: 'Role',
        metadata: { name: 'more' },
        rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }],
      })
      expect(status).toBe(403)
      expect(body.message).toContain('is attempting to grant RBAC permissions not currently held:')
      await revoke()
    }),
    behaviour('a roleRef cannot be changed', async k => {
      const name = k.name('bind')
      const path = `/apis/${rbac}/v1/namespaces/${k.namespace}/rolebindings`
      await k.made(path, {
        apiVersion: `${rbac}/v1`,
        kind: 'RoleBinding',
        metadata: { name },
        roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'view' },
      })
      const { status, body } = await k.admin.patch(`${path}/${name}`, 'merge', { roleRef: { name: 'edit' } })
      expect(status).toBe(422)
      expect(body.message).toContain('cannot change roleRef')
      await k.admin.delete(`${path}/${name}`)
    }),
    behaviour('impersonation makes a request that of another user', async k => {
      const { status, body } = await k.admin.get(k.core('configmaps'), {}, { 'impersonate-user': 'bob' })
      expect(status).toBe(403)
      expect(body.message).toContain('User "bob" cannot list resource "configmaps"')
    }),
    behaviour('impersonated groups count', async k => {
      const { status } = await k.admin.get(
        k.core('configmaps'),
        {},
        {
          'impersonate-user': 'bob',
          'impersonate-group': ['developers', 'system:masters'],
        },
      )
      expect(status).toBe(200)
    }),
    behaviour('an impersonated user is authenticated', async k => {
      const { body } = await k.admin.send('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {
        body: {},
        headers: { 'impersonate-user': 'bob', 'impersonate-extra-scopes': 'view' },
      })
      expect(body.status.userInfo).toEqual({
        username: 'bob',
        groups: ['system:authenticated'],
        extra: { scopes: ['view'] },
      })
    }),
    behaviour('an impersonated ServiceAccount has the groups of one', async k => {
      const { body } = await k.admin.send('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {
        body: {},
        headers: { 'impersonate-user': 'system:serviceaccount:default:robot' },
      })
      expect(body.status.userInfo.groups).toEqual([
        'system:serviceaccounts',
        'system:serviceaccounts:default',
        'system:authenticated',
      ])
    }),
    behaviour('a user who may not impersonate is refused', async k => {
      const { status, body } = await k.alice.get(k.core('configmaps'), {}, { 'impersonate-user': 'bob' })
      expect(status).toBe(403)
      expect(body.message).toContain('User "alice" cannot impersonate')
    }),
    behaviour('groups without a user cannot be impersonated', async k => {
      const { status } = await k.admin.get(k.core('configmaps'), {}, { 'impersonate-group': 'developers' })
      expect(status).toBe(400)
    }),
    behaviour('SelfSubjectReview tells who the caller is', async k => {
      const { status, body } = await k.alice.post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {})
      expect(status).toBe(201)
      expect(body.status.userInfo).toMatchObject({
        username: 'alice',
        groups: ['developers', 'system:authenticated'],
      })
    }),
    behaviour('SelfSubjectAccessReview tells what the caller may not', async k => {
      const { status, body } = await k.alice.post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
        spec: { resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'default' } },
      })
      expect(status).toBe(201)
      expect(body.status).toEqual({ allowed: false })
    }),
    behaviour('SelfSubjectAccessReview tells what the caller may', async k => {
      const revoke = await allow(k, [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }])
      await aliceGets(k, k.core('configmaps'), 200)
      const { body } = await k.alice.post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
        spec: { resourceAttributes: { verb: 'list', resource: 'configmaps', namespace: k.namespace } },
      })
      expect(body.status.allowed).toBe(true)
      expect(body.status.reason).toMatch(/^RBAC: allowed by RoleBinding "/)
      await revoke()
    }),
    behaviour('SelfSubjectRulesReview lists the caller’s rules', async k => {
      const { status, body } = await k.alice.post('/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', {
        spec: { namespace: k.namespace },
      })
      expect(status).toBe(201)
      expect(body.status.incomplete).toBe(false)
      expect(body.status.resourceRules).toContainEqual({
        verbs: ['create'],
        apiGroups: ['authorization.k8s.io'],
        resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
      })
    }),
    behaviour('SubjectAccessReview answers for others', async k => {
      const attributes = { verb: 'get', resource: 'pods' }
      const masters = await subjectAccess(k, {
        user: 'x',
        groups: ['system:masters'],
        resourceAttributes: attributes,
      })
      expect(masters.status.allowed).toBe(true)
      const nobody = await subjectAccess(k, { user: 'x', resourceAttributes: attributes })
      expect(nobody.status).toEqual({ allowed: false })
    }),
    behaviour('SubjectAccessReview answers for paths that are no resources', async k => {
      const body = await subjectAccess(k, {
        user: 'x',
        groups: ['system:authenticated'],
        nonResourceAttributes: { path: '/version', verb: 'get' },
      })
      expect(body.status.allowed).toBe(true)
    }),
    behaviour('SubjectAccessReview without a subject is Invalid', async k => {
      const { status, body } = await k.admin.post('/apis/authorization.k8s.io/v1/subjectaccessreviews', {
        spec: { resourceAttributes: { verb: 'get', resource: 'pods' } },
      })
      expect(status).toBe(422)
      expect(body.message).toContain(
        'spec.user: Invalid value: "": at least one of user or group must be specified',
      )
    }),
    behaviour('SubjectAccessReview without attributes is Invalid', async k => {
      const { status, body } = await k.admin.post('/apis/authorization.k8s.io/v1/subjectaccessreviews', {
        spec: { user: 'x' },
      })
      expect(status).toBe(422)
      expect(body.message).toContain(
        'exactly one of nonResourceAttributes or resourceAttributes must be specified',
      )
    }),
    behaviour('SubjectAccessReview is not for everyone', async k => {
      const { status } = await k.alice.post('/apis/authorization.k8s.io/v1/subjectaccessreviews', {
        spec: { user: 'x', resourceAttributes: { verb: 'get', resource: 'pods' } },
      })
      expect(status).toBe(403)
    }),
    behaviour('a ServiceAccount’s token authenticates as the account', async k => {
      const token = await accountToken(k)
      const { body } = await k.as({ token }).post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {})
      expect(body.status.userInfo).toMatchObject({
        username: `system:serviceaccount:${k.namespace}:default`,
        groups: ['system:serviceaccounts', `system:serviceaccounts:${k.namespace}`, 'system:authenticated'],
      })
    }),
    behaviour('TokenReview knows a ServiceAccount’s token', async k => {
      const token = await accountToken(k)
      const body = await k.made('/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token } })
      expect(body.status).toMatchObject({
        authenticated: true,
        user: {
          username: `system:serviceaccount:${k.namespace}:default`,
          uid: expect.any(String),
          groups: ['system:serviceaccounts', `system:serviceaccounts:${k.namespace}`, 'system:authenticated'],
        },
        audiences: expect.any(Array),
      })
    }),
    behaviour('TokenReview does not authenticate nonsense', async k => {
      const body = await k.made('/apis/authentication.k8s.io/v1/tokenreviews', {
        spec: { token: 'nonsense' },
      })
      expect(body.status).toMatchObject({ user: {}, error: expect.stringContaining('invalid bearer token') })
      expect(body.status.authenticated ?? false).toBe(false)
    }),
    behaviour('TokenReview refuses a token made for other audiences', async k => {
      const token = await accountToken(k)
      const body = await k.made('/apis/authentication.k8s.io/v1/tokenreviews', {
        spec: { token, audiences: ['other'] },
      })
      expect(body.status.authenticated ?? false).toBe(false)
    }),
    behaviour('TokenReview without a token is a bad request', async k => {
      const { status, body } = await k.admin.post('/apis/authentication.k8s.io/v1/tokenreviews', { spec: {} })
      expect(status).toBe(400)
      expect(body.message).toBe('token is required for TokenReview in authentication')
    }),
    behaviour('a TokenRequest says when the token ends', async k => {
      await k.until(k.core('serviceaccounts', 'default'), 200)
      const { status, body } = await k.admin.post(`${k.core('serviceaccounts', 'default')}/token`, {
        spec: { expirationSeconds: 3600 },
      })
      expect(status).toBe(201)
      const seconds = (Date.parse(body.status.expirationTimestamp) - Date.now()) / 1000
      expect(seconds).toBeGreaterThan(3500)
      expect(seconds).toBeLessThanOrEqual(3605)
    }),
    behaviour('a TokenRequest for less than ten minutes is Invalid', async k => {
      await k.until(k.core('serviceaccounts', 'default'), 200)
      const { status, body } = await k.admin.post(`${k.core('serviceaccounts', 'default')}/token`, {
        spec: { expirationSeconds: 3 },
      })
      expect(status).toBe(422)
      expect(body.message).toContain('may not specify a duration less than 10 minutes')
    }),
  ],
}

async function accountToken(k: Bench): Promise<string> {
  await k.until(k.core('serviceaccounts', 'default'), 200)
  const body = await k.made(`${k.core('serviceaccounts', 'default')}/token`, {
    spec: { expirationSeconds: 3600 },
  })
  return body.status.token
}
