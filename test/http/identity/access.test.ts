import { describe, expect, it } from 'vitest'
import { UnreachableError } from '../../../ports/kube-api.js'
import { testApi } from '../fakes/api.js'
import { fakeFleet, viewOf } from '../fakes/fleet.js'

const reviews = (requests: { path: string }[], what: string) =>
  requests.filter(({ path }) => path.endsWith(what))

describe('authentication', () => {
  it.each([
    ['', 'no credentials'],
    ['Basic YWRtaW46YWRtaW4=', 'does not hold a bearer token'],
    ['Bearer ', 'does not hold a bearer token'],
    ['Bearer a b', 'does not hold a bearer token'],
    [`Bearer ${'x'.repeat(20_000)}`, 'does not hold a bearer token'],
    ['Bearer unknown', 'not accepted'],
  ])('finds no caller in the header %j', async (authorization, message) => {
    const { app, log } = testApi()
    const headers = authorization ? { authorization } : undefined
    const response = await app.request('/apis/kairship.io/v1alpha1/instances', headers ? { headers } : {}, {})
    const body = (await response.json()) as { code: number; message: string }
    expect([response.status, body.code]).toEqual([401, 16])
    expect(body.message).toContain(message)
    expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/)
    expect(log.audits()).toMatchObject([{ code: 'UNAUTHENTICATED' }])
    expect(JSON.stringify(log.lines)).not.toContain('YWRtaW4')
  })

  it('refuses an anonymous caller before it looks up the path', async () => {
    const { app } = testApi()
    expect((await app.request('/nowhere', {}, {})).status).toBe(401)
  })

  it('sends one token review and one access review for several concurrent requests', async () => {
    const { call, host } = testApi()
    await Promise.all(Array.from({ length: 8 }, () => call('viewer', 'GET', '/instances')))
    expect(reviews(host.requests, '/tokenreviews')).toHaveLength(1)
    expect(reviews(host.requests, '/subjectaccessreviews')).toHaveLength(1)
  })

  it('refuses every caller while the host does not answer', async () => {
    const { call, host } = testApi()
    host.script = ({ path }) => {
      if (path.endsWith('reviews')) throw new UnreachableError('POST: connect ECONNREFUSED', 'ECONNREFUSED')
      return undefined
    }
    const { status, json } = await call('admin', 'GET', '/instances')
    expect([status, json.code, json.message]).toEqual([503, 14, 'POST: connect ECONNREFUSED'])
    host.script = () => undefined
    expect((await call('admin', 'GET', '/instances')).status).toBe(200)
  })

  it.each<[number, unknown]>([
    [503, {}],
    [401, { status: {} }],
    [503, { status: { authenticated: 'true' } }],
    [401, { status: { authenticated: true, user: {} } }],
    [503, null],
  ])('answers %d on the TokenReview %j', async (status, review) => {
    const { call, host } = testApi()
    host.script = ({ path }) => (path.endsWith('/tokenreviews') ? (review ?? 'text') : undefined)
    expect((await call('admin', 'GET', '/instances')).status).toBe(status)
  })

  it.each<[number, unknown]>([
    [503, {}],
    [403, { status: {} }],
    [503, { status: { allowed: 'yes' } }],
    [403, { status: { allowed: true, denied: true } }],
  ])('answers %d on the SubjectAccessReview %j', async (status, review) => {
    const { call, host } = testApi()
    host.script = ({ path }) => (path.endsWith('/subjectaccessreviews') ? review : undefined)
    expect((await call('admin', 'GET', '/instances/north')).status).toBe(status)
  })
})

/** Requests that would be answered if they were allowed. */
const bodies: Record<string, object> = {
  'POST /instances': { data: { metadata: { name: 'x' } } },
  'PUT /instances/north': { data: '{"spec":{}}' },
  'POST /instances/north/kubeconfig': {},
  'PUT /instances/north/failover': {},
}

describe('authorization', () => {
  it.each([
    ['viewer', 'POST', '/instances', 403],
    ['viewer', 'DELETE', '/instances/north', 403],
    ['viewer', 'PUT', '/instances/north', 403],
    ['viewer', 'POST', '/instances/north/kubeconfig', 403],
    ['viewer', 'PUT', '/instances/north/failover', 403],
    ['nobody', 'GET', '/instances/north', 403],
    ['north-only', 'GET', '/instances/north', 200],
    ['north-only', 'GET', '/instances/south', 403],
    ['north-only', 'GET', '/instances/south:explain', 403],
    ['nobody', 'GET', '/instances/config', 200],
  ])('%s %s %s → %i', async (token, method, path, status) => {
    const body = bodies[`${method} ${path}`]
    expect((await testApi().call(token, method, path, body)).status).toBe(status)
  })

  it('reviews verb, resource, subresource and name', async () => {
    const { call, host } = testApi()
    await call('viewer', 'POST', '/instances/north/kubeconfig', {})
    const [review] = reviews(host.requests, '/subjectaccessreviews') as { path: string; body?: unknown }[]
    expect(review?.body).toMatchObject({
      spec: {
        user: 'viewer',
        groups: ['system:authenticated'],
        resourceAttributes: {
          group: 'kairship.io',
          version: 'v1alpha1',
          verb: 'create',
          resource: 'instances',
          subresource: 'kubeconfig',
          name: 'north',
        },
      },
    })
  })

  it('denies with Kubernetes’ message, and leaves a record', async () => {
    const { call, log } = testApi()
    const { json } = await call('viewer', 'DELETE', '/instances/north')
    expect(json.message).toBe(
      'instances.kairship.io "north" is forbidden: User "viewer" cannot delete resource "instances" in API group "kairship.io" at the cluster scope',
    )
    expect(log.audits()).toMatchObject([
      {
        code: 'PERMISSION_DENIED',
        user: 'viewer',
        verb: 'delete',
        resource: 'instances',
        name: 'north',
        wire: 'rest',
      },
    ])
  })

  it('filters a list to the instances that the caller may get, and counts only those', async () => {
    const views = ['east', 'north', 'south', 'west'].map(name => viewOf(name))
    const { call } = testApi(fakeFleet(...views))
    const { json } = await call('north-only', 'GET', '/instances')
    expect(json.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toEqual(['north'])
    expect(json.pagination.total).toBe(1)
    expect((await call('nobody', 'GET', '/instances')).json.items).toEqual([])
  })

  it('leaves a record of every write, and none of allowed reads', async () => {
    const { call, log } = testApi()
    await call('admin', 'GET', '/instances')
    expect(log.audits()).toEqual([])
    await call('admin', 'DELETE', '/instances/north', undefined, { 'x-request-id': 'abc' })
    expect(log.audits()).toMatchObject([
      {
        requestId: 'abc',
        operation: 'Instance_DeleteInstance',
        code: 'OK',
        user: 'admin',
        verb: 'delete',
        name: 'north',
      },
    ])
  })

  it('replaces a request id that could forge a log line', async () => {
    const { call } = testApi()
    const { headers } = await call('admin', 'GET', '/instances/config', undefined, {
      'x-request-id': 'a b{"x":1}',
    })
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  })
})
