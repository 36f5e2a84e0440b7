import { describe, expect, it } from 'vitest'
import { ProxyUnderTest } from './proxy-under-test.js'

const proxy = new ProxyUnderTest()

describe('a path below the prefix of an instance', () => {
  it.each([
    '/version',
    '/version/',
    '/readyz',
    '/readyz?verbose',
    '/readyz/etcd',
    '/livez',
    '/livez?exclude=etcd',
    '/healthz',
    '/metrics',
    '/openapi/v2',
    '/openapi/v3',
    '/openapi/v3/apis/apps/v1?hash=1',
    '/api',
    '/apis',
    '/.well-known/openid-configuration',
    '/',
  ])('%s is answered by the instance, as the caller and not as Kairship', async path => {
    proxy.upstream.answer = (request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' })
      response.end(`the instance answers ${request.url} to ${request.headers['impersonate-user']}`)
    }
    const answer = await proxy.ask(`/north/proxy${path}`)
    expect([answer.status, answer.text]).toEqual([200, `the instance answers ${path} to admin`])
    expect(answer.headers).toMatchObject({
      'content-type': 'text/plain',
      'kairship-source': 'karmada',
      'kairship-source-reason': 'NoResource',
    })
  })

  it('is refused by the instance, too', async () => {
    proxy.upstream.answer = (_, response) => response.writeHead(403).end('forbidden there')
    const { status, text } = await proxy.ask('/north/proxy/metrics')
    expect([status, text]).toEqual([403, 'forbidden there'])
  })
})
