import { describe, expect, it } from 'vitest'
import { auditEventOf } from '../../../http/audit/audit-event.js'
import type { AuditRecord } from '../../../http/audit/record.js'
import { waitFor } from '../../patience.js'
import { ProxyUnderTest } from './proxy-under-test.js'

const records: AuditRecord[] = []
const proxy = new ProxyUnderTest({ auditSink: record => records.push(record) })
const REVIEWS = '/apis/authorization.k8s.io/v1/subjectaccessreviews'

interface Spec {
  readonly user: string
  readonly groups: readonly string[]
  readonly resourceAttributes: Record<string, string>
}

/** The instance lets a caller impersonate these names. */
function allowing(...names: readonly string[]): Spec[] {
  records.length = 0
  const reviewed: Spec[] = []
  proxy.upstream.answer = async (request, response) => {
    if (request.url !== REVIEWS) return response.end('{}')
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { spec } = JSON.parse(Buffer.concat(chunks).toString()) as { spec: Spec }
    reviewed.push(spec)
    const allowed = names.includes(spec.resourceAttributes.name ?? '')
    return response
      .writeHead(201, { 'content-type': 'application/json' })
      .end(JSON.stringify({ status: { allowed } }))
  }
  return reviewed
}
const passedOn = () => proxy.upstream.requests.filter(({ url }) => url !== REVIEWS)

describe('kubectl --as through the proxy', () => {
  it('acts as the other after the instance has allowed each name to the caller', async () => {
    const reviewed = allowing('eve', 'dev')
    const headers = { 'impersonate-user': 'eve', 'impersonate-group': 'dev' }
    expect((await proxy.ask('/north/proxy/api', { headers })).status).toBe(200)
    expect(reviewed.map(({ user, resourceAttributes }) => [user, resourceAttributes])).toEqual([
      ['admin', { verb: 'impersonate', group: '', version: 'v1', resource: 'users', name: 'eve' }],
      ['admin', { verb: 'impersonate', group: '', version: 'v1', resource: 'groups', name: 'dev' }],
    ])
    const [request] = passedOn()
    expect(request?.headers).toMatchObject({
      'impersonate-user': 'eve',
      'impersonate-group': 'dev, system:authenticated',
      'impersonate-extra-kairship.io%2foriginal-user': 'admin',
    })
  })

  it('is refused in kube-apiserver’s words where one name is not allowed, and nothing is passed on', async () => {
    allowing('eve')
    const headers = { 'impersonate-user': 'eve', 'impersonate-group': 'dev' }
    const { status, text } = await proxy.ask('/north/proxy/api', { headers })
    expect([status, JSON.parse(text).message]).toEqual([
      403,
      'groups "dev" is forbidden: User "admin" cannot impersonate resource "groups" in API group "" at the cluster scope',
    ])
    expect(passedOn()).toEqual([])
  })

  it('asks the instance about no group of who may not have the name', async () => {
    const reviewed = allowing('a', 'b')
    const headers = { 'impersonate-user': 'eve', 'impersonate-group': ['a', 'b'] }
    expect((await proxy.ask('/north/proxy/api', { headers })).status).toBe(403)
    expect(reviewed.map(({ resourceAttributes }) => resourceAttributes.name)).toEqual(['eve'])
  })

  it('is refused while the instance does not answer the review', async () => {
    allowing()
    proxy.upstream.answer = (_, response) => response.writeHead(500).end('broken')
    const { status } = await proxy.ask('/north/proxy/api', { headers: { 'impersonate-user': 'eve' } })
    expect(status).toBe(503)
    expect(passedOn()).toEqual([])
  })

  it('needs the caller’s own right to the proxy', async () => {
    const reviewed = allowing('eve')
    const headers = { 'impersonate-user': 'eve' }
    expect((await proxy.ask('/north/proxy/api', { token: 'viewer', method: 'POST', headers })).status).toBe(
      403,
    )
    expect(reviewed).toEqual([])
  })

  it.each([
    ['Connection: Impersonate-User', { connection: 'Impersonate-User', 'impersonate-user': 'eve' }],
    ['a list', { connection: 'close, IMPERSONATE-USER', 'impersonate-user': 'eve' }],
    ['two lists', { connection: ['close', 'impersonate-user, x'], 'impersonate-user': 'eve' }],
  ])('does not lose the name to %s', async (_, headers) => {
    allowing('eve')
    expect((await proxy.ask('/north/proxy/api', { headers })).status).toBe(200)
    expect(passedOn()[0]?.headers['impersonate-user']).toBe('eve')
  })

  it('never passes on a name that the caller sent otherwise', async () => {
    allowing('eve')
    const rows: Record<string, string | string[]>[] = [
      { 'impersonate-user': ['eve', 'root'] },
      { impersonate_user: 'root' },
      { 'IMPERSONATE-User': 'eve', impersonate_group: 'system:masters' },
      { 'impersonate-group': 'system:masters' },
      { 'impersonate-user': 'eve', 'impersonate-uid': ['1', '2'] },
      { 'impersonate-user': 'eve', 'impersonate-extra-kairship.io%2foriginal-user': 'root' },
    ]
    for (const headers of rows)
      expect([400, 403]).toContain((await proxy.ask('/north/proxy/api', { headers })).status)
    expect(passedOn()).toEqual([])
  })

  it('stands in the audit log with both names, also when something was only read', async () => {
    allowing('eve')
    await proxy.ask('/north/proxy/api', { headers: { 'impersonate-user': 'eve' } })
    expect(records.map(auditEventOf)).toMatchObject([
      {
        user: { username: 'admin' },
        impersonatedUser: {
          username: 'eve',
          groups: ['system:authenticated'],
          extra: { 'kairship.io/original-user': ['admin'] },
        },
        responseStatus: { code: 200 },
      },
    ])
  })

  it('stands in the audit log where it was refused', async () => {
    allowing()
    await proxy.ask('/north/proxy/api', { headers: { 'impersonate-user': 'eve' } })
    expect(records.map(auditEventOf)).toMatchObject([
      { user: { username: 'admin' }, impersonatedUser: { username: 'eve' }, responseStatus: { code: 403 } },
    ])
  })

  it('is for the proxy alone: the management API refuses it, and does not act as the caller instead', async () => {
    allowing('eve')
    const response = await proxy.ask('', { headers: { 'impersonate-user': 'eve' } })
    expect([response.status, JSON.parse(response.text).message]).toEqual([
      403,
      'impersonation works through the proxy alone (kubectl --as): send this request without Impersonate headers',
    ])
  })
})

describe('the reviews for kubectl --as', () => {
  const limited = new ProxyUnderTest({ proxyLimits: { requestsPerInstance: 3 } })

  it('count among the requests that a caller may have under way', async () => {
    const waiting = limited.hold()
    const ask = () => limited.ask('/north/proxy/api', { headers: { 'impersonate-user': 'eve' } })
    const under = [ask(), ask()]
    await waitFor(() => expect(waiting).toHaveLength(2))
    expect((await ask()).status).toBe(429)
    expect(limited.upstream.requests).toHaveLength(2)
    for (const response of waiting)
      response
        .writeHead(201, { 'content-type': 'application/json' })
        .end(JSON.stringify({ status: { allowed: false } }))
    expect((await Promise.all(under)).map(({ status }) => status)).toEqual([403, 403])
    limited.upstream.answer = (_, response) => response.end('{}')
    expect((await limited.ask('/north/proxy/api')).status).toBe(200)
  })
})
