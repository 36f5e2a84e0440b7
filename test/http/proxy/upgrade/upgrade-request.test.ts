import { describe, expect, it } from 'vitest'
import { waitFor } from '../../../patience.js'
import type { ReviewedSpec } from '../../fakes/host.js'
import { ProxyUnderTest } from '../proxy-under-test.js'
import { accepted, asks, instanceAnswers, isClosed, SMUGGLED, say, WEBSOCKET } from './raw-upgrades.js'

const proxy = new ProxyUnderTest()

describe('an upgrade request', () => {
  it.each([
    ['for h2c', ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAARAAAAA']],
    ['for TLS', ['Connection: Upgrade', 'Upgrade: TLS/1.0']],
    ['for several protocols', ['Connection: Upgrade', 'Upgrade: websocket, h2c']],
    [
      'for several protocols in several headers',
      ['Connection: Upgrade', 'Upgrade: websocket', 'Upgrade: h2c'],
    ],
    [
      'hidden in a second Connection header',
      ['Connection: keep-alive', 'Connection: upgrade', 'Upgrade: h2c'],
    ],
    ['with a body', [...WEBSOCKET, `Content-Length: ${SMUGGLED.length}`]],
    ['with a body in chunks', [...WEBSOCKET, 'Transfer-Encoding: chunked']],
  ])('%s is refused before the instance receives it', async (_, lines) => {
    const caller = await say(proxy, asks(lines) + SMUGGLED)
    await isClosed(caller)
    expect(caller.text()).toMatch(/^HTTP\/1\.1 400 [\s\S]*"reason":"BadRequest"/)
    expect(proxy.upstream.requests).toEqual([])
    expect(await proxy.upstream.connections()).toBe(0)
    // Nor is the host: what no client of Kubernetes sends must not cost it a review.
    expect(proxy.api.host.requests.filter(({ path }) => path.endsWith('/subjectaccessreviews'))).toEqual([])
  })

  it('over HTTP/1.0 is refused before the instance receives it', async () => {
    const caller = await say(proxy, asks().replace('HTTP/1.1', 'HTTP/1.0'))
    await isClosed(caller)
    expect(caller.text()).toMatch(/^HTTP\/1\.\d 4\d\d /)
    expect(proxy.upstream.requests).toEqual([])
  })

  it.each(['DELETE', 'PUT', 'PATCH', 'HEAD', 'OPTIONS'])(
    'by %s is refused before the instance receives it',
    async method => {
      const caller = await say(proxy, asks(WEBSOCKET, { method }))
      await isClosed(caller)
      expect(caller.text()).toMatch(/^HTTP\/1\.1 400 /)
      expect(proxy.upstream.requests).toEqual([])
    },
  )

  it.each([
    '/north/proxy/api/v1/namespaces/a/configmaps/victim',
    '/north/proxy/api/v1/namespaces/a/pods?watch=true',
    '/north/proxy/api/v1/namespaces/a/pods/x/log?follow=true',
    '/north/proxy/api/v1/namespaces/a/pods/x/proxy',
    '/north/proxy/api/v1/namespaces/a/pods/x/proxy/exec',
    '/north/proxy/api/v1/namespaces/a/services/x/proxy/',
    '/north/proxy/api/v1/nodes/x/proxy/exec/a/x/main',
    '/north/proxy/api/v1/namespaces/a/pods/x/%65xec',
    '/north/proxy/api/v1/namespaces/a/pods/x/exec/more',
    '/north/proxy/apis/cluster.karmada.io/v1alpha1/clusters/m/proxy/api/v1/nodes/x/proxy/',
    '/north/proxy/apis/cluster.karmada.io/v1alpha1/clusters/m/proxy/apis/cluster.karmada.io/v1alpha1/clusters/n/proxy/api/v1/namespaces/a/pods/x/exec',
  ])('at %s is refused because that path has no upgrade', async path => {
    const caller = await say(proxy, asks(WEBSOCKET, { path }))
    await isClosed(caller)
    expect(caller.text()).toMatch(/^HTTP\/1\.1 400 [\s\S]*only exec, attach and portforward/)
    expect(proxy.upstream.requests).toEqual([])
  })

  it.each([
    '/north/proxy/api/v1/namespaces/a/pods/x/exec?command=ls',
    '/north/proxy/api/v1/namespaces/a/pods/x/attach',
    '/north/proxy/api/v1/namespaces/a/pods/x/portforward?ports=80',
    '/north/proxy/apis/cluster.karmada.io/v1alpha1/clusters/m/proxy/api/v1/namespaces/a/pods/x/exec',
    '/north/proxy/apis/search.karmada.io/v1alpha1/proxying/karmada/proxy/api/v1/namespaces/a/pods/x/exec',
  ])('at %s is passed on', async path => {
    instanceAnswers(proxy, accepted)
    const caller = await say(proxy, asks(WEBSOCKET, { path }))
    await waitFor(() => expect(caller.text()).toMatch(/^HTTP\/1\.1 101 /))
    caller.socket.destroy()
  })

  it.each([
    ['GET', ['create'], 403],
    ['GET', ['get'], 403],
    ['GET', ['get', 'create'], 101],
    ['POST', ['get'], 403],
    ['POST', ['create'], 101],
  ])('by %s of a caller that may only %s is answered with %i', async (method, verbs, status) => {
    instanceAnswers(proxy, accepted)
    proxy.api.host.script = ({ path, body }) => {
      if (!path.endsWith('/subjectaccessreviews')) return undefined
      const { resourceAttributes } = (body as { spec: ReviewedSpec }).spec
      return { status: { allowed: verbs.includes(resourceAttributes?.verb ?? '') } }
    }
    const caller = await say(proxy, asks(WEBSOCKET, { method }))
    await waitFor(() => expect(caller.text()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `)))
    caller.socket.destroy()
  })

  it('for SPDY/3.1 by POST, as client-go sends it, is passed on', async () => {
    instanceAnswers(proxy, accepted.replace('websocket', 'SPDY/3.1'))
    const spdy = [
      'Connection: Upgrade',
      'Upgrade: SPDY/3.1',
      'X-Stream-Protocol-Version: v4.channel.k8s.io',
      'Content-Length: 0',
    ]
    const caller = await say(proxy, asks(spdy, { method: 'POST' }))
    await waitFor(() => expect(caller.text()).toMatch(/^HTTP\/1\.1 101 [\s\S]*Upgrade: SPDY\/3\.1\r\n/))
    expect(proxy.upstream.requests[0]).toMatchObject({ method: 'POST', headers: { upgrade: 'SPDY/3.1' } })
    caller.socket.destroy()
  })
})
