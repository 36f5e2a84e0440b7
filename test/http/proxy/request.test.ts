import { describe, expect, it } from 'vitest'
import { deferred } from '../fakes/deferred.js'
import { ProxyUnderTest, type Sent } from './proxy-under-test.js'

const proxy = new ProxyUnderTest()
const audits = () => proxy.api.log.audits()

describe('a request through the proxy', () => {
  it('gets UNAVAILABLE while the instances have not been listed, and not NOT_FOUND', async () => {
    proxy.fleet.synced = false
    for (const path of ['/north/proxy/api', '/unknown/proxy/api']) {
      const { status, headers } = await proxy.ask(path)
      expect([path, status, headers['retry-after']]).toEqual([path, 503, '1'])
    }
    expect(proxy.upstream.requests).toEqual([])
  })

  it('has the id of its audit event in the instance’s audit log too, and never one that its caller chose there', async () => {
    const headers = { 'x-request-id': 'r-7', 'Audit-ID': 'forged' }
    await proxy.ask('/north/proxy/api/v1/pods', { headers })
    await proxy.ask('/north/proxy/api/v1/pods', { headers: { 'audit-id': 'forged' } })
    const [named, unnamed] = proxy.upstream.requests.map(request => request.headers['audit-id'])
    expect(named).toBe('r-7')
    expect(unnamed).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('arrives unchanged, with the host’s user name, under Kairship’s own credential', async () => {
    proxy.upstream.answer = (_, response) =>
      response
        .writeHead(200, { 'content-type': 'application/json', 'audit-id': 'x', 'content-length': '7' })
        .end('{"a":1}')
    const path = '/north/proxy/api/v1/pods?labelSelector=a%3Db&limit=500'
    const answer = await proxy.ask(path, {
      token: 'viewer',
      headers: { accept: 'application/json;as=Table', 'x-remote-user': 'root', 'x-forwarded-for': '1.2.3.4' },
    })
    expect([answer.status, answer.text]).toEqual([200, '{"a":1}'])
    expect(answer.headers).toMatchObject({
      'audit-id': 'x',
      'kairship-source': 'karmada',
      'content-length': '7',
    })
    const [received] = proxy.upstream.requests
    expect([received?.method, received?.url]).toEqual(['GET', '/api/v1/pods?labelSelector=a%3Db&limit=500'])
    expect(received?.headers).toMatchObject({
      accept: 'application/json;as=Table',
      authorization: 'Bearer own-token',
      'impersonate-user': 'viewer',
      'impersonate-group': 'system:authenticated',
    })
    expect(Object.keys(received!.headers).filter(name => /^x-/.test(name))).toEqual([])
  })

  it('keeps every kind of answer: refusals, empty ones, HEAD, and binary bytes', async () => {
    const bytes = Buffer.from([0x1f, 0x8b, 0, 0xff, 0xfe])
    proxy.upstream.answer = ({ url, method }, response) => {
      if (url === '/missing')
        response.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found')
      else if (method === 'DELETE') response.writeHead(204).end()
      else if (method === 'HEAD') response.writeHead(200, { 'content-length': '77' }).end()
      else response.writeHead(200, { 'content-encoding': 'gzip' }).end(bytes)
    }
    expect(await proxy.ask('/north/proxy/missing')).toMatchObject({ status: 404, text: '404 page not found' })
    expect(await proxy.ask('/north/proxy/x', { method: 'DELETE' })).toMatchObject({ status: 204, text: '' })
    expect((await proxy.ask('/north/proxy/x', { method: 'HEAD' })).headers['content-length']).toBe('77')
    expect(await proxy.ask('/north/proxy/x')).toMatchObject({
      text: bytes.toString(),
      headers: { 'content-encoding': 'gzip' },
    })
  })

  it.each([
    ['a known length', { 'content-length': '1048576' }],
    ['chunks', { 'transfer-encoding': 'chunked' }],
    ['an expectation', { 'content-length': '1048576', expect: '100-continue' }],
  ])('carries a body of %s', async (_, headers) => {
    const received = deferred<number>()
    proxy.upstream.answer = async (request, response) => {
      let length = 0
      for await (const chunk of request) length += (chunk as Buffer).length
      received.resolve(length)
      response.writeHead(201).end()
    }
    const { status } = await proxy.ask('/north/proxy/api', {
      method: 'POST',
      headers,
      body: Buffer.alloc(1_048_576, 'x'),
    })
    expect([status, await received.promise]).toEqual([201, 1_048_576])
  })

  it('is refused with a Status that kubectl prints, as by an API server', async () => {
    const cases: [string, Sent, number, string][] = [
      ['/north/proxy/api', { token: '' }, 401, 'Unauthorized'],
      ['/north/proxy/api', { token: 'unknown' }, 401, 'Unauthorized'],
      ['/north/proxy/api', { token: 'nobody' }, 403, 'Forbidden'],
      ['/north/proxy/api', { token: 'viewer', method: 'POST', body: '{}' }, 403, 'Forbidden'],
      ['/south/proxy/api', { token: 'north-only' }, 403, 'Forbidden'],
      ['/west/proxy/api', {}, 404, 'NotFound'],
      ['/south/proxy/api', {}, 503, 'ServiceUnavailable'],
      ['/north/proxy/a/%2e%2e/b', {}, 400, 'BadRequest'],
      ['/north/proxy/api', { method: 'TRACE' }, 400, 'BadRequest'],
      ['/north/proxy/api', { headers: { 'impersonate-user': 'system:admin' } }, 403, 'Forbidden'],
    ]
    for (const [path, sent, status, reason] of cases) {
      const answer = await proxy.ask(path, sent)
      expect([path, answer.status]).toEqual([path, status])
      expect(JSON.parse(answer.text)).toMatchObject({
        kind: 'Status',
        status: 'Failure',
        reason,
        code: status,
      })
    }
    expect(proxy.upstream.requests).toEqual([])
  })

  it('is authorized by verb and instance', async () => {
    await proxy.ask('/north/proxy/api', { token: 'viewer', method: 'PATCH', body: '{}' })
    const reviews = proxy.api.host.requests.filter(({ path }) => path.endsWith('/subjectaccessreviews'))
    expect(reviews.at(-1)?.body).toMatchObject({
      spec: {
        resourceAttributes: { verb: 'patch', resource: 'instances', subresource: 'proxy', name: 'north' },
      },
    })
  })

  it.each([
    ['/apis/authentication.k8s.io/v1/selfsubjectreviews', 200],
    ['/apis/authorization.k8s.io/v1/selfsubjectaccessreviews?fieldManager=x', 200],
    ['/apis/authorization.k8s.io/v1/subjectaccessreviews', 403],
    ['/apis/authorization.k8s.io/v1/selfsubjectaccessreviews/x', 403],
  ])('allows readers to post self-reviews: %s → %i', async (path, status) => {
    expect(
      (await proxy.ask(`/north/proxy${path}`, { token: 'viewer', method: 'POST', body: '{}' })).status,
    ).toBe(status)
  })

  it.each(['GET', 'PUT', 'DELETE'])('allows readers only to post them: %s', async method => {
    const path = '/north/proxy/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
    const { status } = await proxy.ask(path, { token: 'viewer', method })
    expect(status).toBe(method === 'GET' ? 200 : 403)
  })

  it('leaves a record when it writes or is denied, with its path and without its query', async () => {
    await proxy.ask('/north/proxy/api/v1/pods?watch=false')
    expect(audits()).toEqual([])
    await proxy.ask('/north/proxy/api/v1/namespaces/a/pods?fieldManager=x', { method: 'POST', body: '{}' })
    expect(audits()).toMatchObject([
      {
        wire: 'proxy',
        operation: '/api/v1/namespaces/a/pods',
        verb: 'create',
        name: 'north',
        user: 'admin',
        code: 'OK',
      },
    ])
  })
})

describe('a page that a pod behind an instance wrote', () => {
  it('is not trusted as a page of this origin', async () => {
    const path = '/north/proxy/api/v1/namespaces/n/pods/evil/proxy/'
    proxy.upstream.answer = (_, response) =>
      response.setHeader('Content-Type', 'text/html').end('<script>parent.document</script>')
    expect((await proxy.ask(path)).headers['content-security-policy']).toBe('sandbox')
    proxy.upstream.answer = (_, response) => response.setHeader('Content-Type', 'application/json').end('{}')
    expect((await proxy.ask(path)).headers['content-security-policy']).toBeUndefined()
  })
})
