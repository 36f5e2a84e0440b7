import { describe, expect, it } from 'vitest'
import { ProxyUnderTest } from '../proxy-under-test.js'

const proxy = new ProxyUnderTest()

function redirects(status: number, location: string | undefined) {
  proxy.upstream.answer = (_, response) =>
    response.writeHead(status, location === undefined ? {} : { location }).end()
}

describe('a redirect of an instance', () => {
  it.each([
    'https://evil.example/',
    'http://evil.example/',
    '//evil.example/api',
    '/\\evil.example/',
    '\\\\evil.example',
    'javascript:alert(1)',
    'https:evil.example',
    'https://user@[::1/',
  ])('to another server is not passed on: %s', async location => {
    for (const status of [301, 302, 307, 308]) {
      redirects(status, location)
      const answer = await proxy.ask('/north/proxy/api/v1/namespaces/a/services/b/proxy/')
      expect([answer.status, answer.headers.location]).toEqual([502, undefined])
      expect(JSON.parse(answer.text)).toMatchObject({ kind: 'Status', reason: 'ForeignRedirect', code: 502 })
      expect(answer.text).not.toContain('evil')
    }
    expect(proxy.upstream.requests).toHaveLength(4)
  })

  it.each(['/', '/api/v1/?limit=1', 'more/', '?page=2', undefined])(
    'within the instance is the caller’s to follow: %s',
    async location => {
      redirects(302, location)
      const { status, headers } = await proxy.ask('/north/proxy/api')
      expect([status, headers.location]).toEqual([302, location])
      expect(proxy.upstream.requests).toHaveLength(1)
    },
  )
})
