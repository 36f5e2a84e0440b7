import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { accountNamespace } from '../../../http/identity/account-namespace.js'
import { limitsOf } from '../../../http/proxy/limits.js'
import { waitFor } from '../../patience.js'
import { silent, unmetered } from '../../silent.js'
import { viewOf } from '../fakes/fleet.js'
import { fakeUpstream } from './fake-upstream.js'
import { ProxyUnderTest } from './proxy-under-test.js'

describe('limits of the proxy', () => {
  const proxy = new ProxyUnderTest({
    proxyLimits: {
      requestsPerInstance: 3,
      requestsPerCaller: 100,
      streamsPerCaller: 2,
      streamsPerInstance: 3,
    },
  })

  it('apply to each instance separately, and are released at the end', async () => {
    const waiting = proxy.hold()
    const other = await fakeUpstream()
    proxy.fleet.set(viewOf('west'))
    proxy.fleet.connections.set('west', other.api)
    const under = [
      proxy.ask('/north/proxy/a'),
      proxy.ask('/north/proxy/b'),
      proxy.ask('/north/proxy/b', { token: 'viewer' }),
    ]
    await waitFor(() => expect(waiting).toHaveLength(3))
    const refused = await proxy.ask('/north/proxy/c', { token: 'viewer' })
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1'])
    expect(JSON.parse(refused.text)).toMatchObject({ reason: 'TooManyRequests' })
    expect((await proxy.ask('/west/proxy/c')).status).toBe(200)
    for (const response of waiting) response.end()
    await Promise.all(under)
    proxy.upstream.answer = (_, response) => response.end()
    await waitFor(async () => expect((await proxy.ask('/north/proxy/c')).status).toBe(200))
    await other.close()
  })

  it('leave a caller fewer slots than an instance has, for any settings', async () => {
    const waiting = proxy.hold()
    const under = [proxy.ask('/north/proxy/a'), proxy.ask('/north/proxy/b')]
    await waitFor(() => expect(waiting).toHaveLength(2))
    const refused = await proxy.ask('/north/proxy/c')
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1'])
    expect(JSON.parse(refused.text).message).toContain('admin already has 2 requests under way')
    under.push(proxy.ask('/north/proxy/c', { token: 'viewer' }))
    await waitFor(() => expect(waiting).toHaveLength(3))
    for (const response of waiting) response.end()
    expect((await Promise.all(under)).map(({ status }) => status)).toEqual([200, 200, 200])
    proxy.upstream.answer = (_, response) => response.end()
    expect((await proxy.ask('/north/proxy/d')).status).toBe(200)
  })

  it('apply to streams of each caller, and of all callers of an instance', async () => {
    proxy.upstream.answer = (_, response) => void response.writeHead(200).flushHeaders()
    const path = '/north/proxy/api/v1/pods?watch=true'
    const open = [
      await proxy.watch(path),
      await proxy.watch(path),
      await proxy.watch(path, { token: 'viewer' }),
    ]
    const statuses = open.map(({ response }) => response.statusCode)
    expect(statuses).toEqual([200, 200, 200])
    const mine = await proxy.ask(path)
    expect([mine.status, mine.text]).toEqual([429, expect.stringContaining('admin already has 2')])
    // Twice: the first refusal gave back what it had taken of the caller's own.
    for (let time = 0; time < 2; time++) {
      const theirs = await proxy.ask(path, { token: 'viewer' })
      expect([theirs.status, theirs.text]).toEqual([429, expect.stringContaining('north already has 3')])
    }
    // A short request is none of them.
    proxy.upstream.answer = (_, response) => response.end()
    expect((await proxy.ask('/north/proxy/api')).status).toBe(200)
    for (const { request } of open) request.destroy()
    proxy.upstream.answer = (_, response) => void response.writeHead(200).flushHeaders()
    await waitFor(async () => {
      const { request, response } = await proxy.watch(path)
      request.destroy()
      expect(response.statusCode).toBe(200)
    })
  })

  it('count an upgraded connection as a stream until it ends, and a refused one until its refusal', async () => {
    const exec = '/north/proxy/api/v1/namespaces/a/pods/x/exec'
    const headers = { connection: 'Upgrade', upgrade: 'websocket' }
    proxy.upstream.upgrade = (_, socket) => {
      socket.on('error', () => undefined)
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
    }
    const open = async () => {
      const request = proxy.begin(exec, { headers })
      request.end()
      const [, socket] = (await once(request, 'upgrade')) as [unknown, Duplex]
      return socket.on('error', () => undefined)
    }
    const sockets = [await open(), await open()]
    const third = await proxy.ask(exec, { headers })
    expect([third.status, third.text]).toEqual([429, expect.stringContaining('admin already has 2 watches')])
    for (const socket of sockets) socket.destroy()
    proxy.upstream.upgrade = (_, socket) => socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n')
    const refused = async () => (await proxy.ask(exec, { headers })).status
    await waitFor(async () => expect(await refused()).toBe(403))
    for (let time = 0; time < 3; time++) expect(await refused()).toBe(403)
  })

  it.each([
    ['31 KiB of headers pass', 31 * 1024, 200],
    ['40 KiB are refused', 40 * 1024, 431],
  ])('%s', async (_, size, status) => {
    const answer = await proxy.ask('/north/proxy/api', { headers: { 'x-large': 'x'.repeat(size) } })
    expect(answer.status).toBe(status)
  })

  it('refuse a request with too many headers, instead of dropping some', async () => {
    const headers = (count: number) =>
      Object.fromEntries([
        ['host', 'kairship'],
        ...Array.from({ length: count }, (_, index) => [`x-${index}`, 'a']),
      ])
    // With those of every request, 99 and 100.
    expect((await proxy.ask('/north/proxy/api', { headers: headers(96) })).status).toBe(200)
    const { status, text } = await proxy.ask('/north/proxy/api', { headers: headers(97) })
    expect([status, text]).toEqual([400, expect.stringContaining('fewer than 100 headers')])
  })
})

describe('the service accounts of one namespace', () => {
  const limits = { requestsPerInstance: 5, requestsPerCaller: 2, streamsPerInstance: 5 }
  const proxy = new ProxyUnderTest({
    proxyLimits: { ...limits, requestsPerAccountNamespace: 3, streamsPerAccountNamespace: 3 },
  })
  const watch = '/north/proxy/api/v1/pods?watch=true'

  /** Callers whose tokens are their names, and who may do everything. */
  function everybodyMay() {
    proxy.api.host.script = ({ path, body }) => {
      if (path.endsWith('/subjectaccessreviews')) return { status: { allowed: true } }
      const username = (body as { spec: { token: string } }).spec.token.replaceAll('.', ':')
      return { status: { authenticated: true, user: { username } } }
    }
  }
  const account = (namespace: string, name: string) => `system.serviceaccount.${namespace}.${name}`

  it('share one limit per instance, and leave the rest to others', async () => {
    everybodyMay()
    const waiting = proxy.hold()
    const tokens = [account('ci', 'a'), account('ci', 'a'), account('ci', 'b')]
    const under = tokens.map(token => proxy.ask('/north/proxy/x', { token }))
    await waitFor(() => expect(waiting).toHaveLength(3))
    // Twice: the first refusal gave back what it had taken of the caller's own.
    for (let time = 0; time < 3; time++) {
      const refused = await proxy.ask('/north/proxy/x', { token: account('ci', 'c') })
      expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1'])
      expect(JSON.parse(refused.text).message).toBe(
        'namespace ci (all its service accounts) already has 3 requests under way for this instance, the most allowed: end some first',
      )
    }
    for (const token of [account('ci-2', 'a'), 'ada']) under.push(proxy.ask('/north/proxy/x', { token }))
    await waitFor(() => expect(waiting).toHaveLength(5))
    for (const response of waiting) response.end()
    expect((await Promise.all(under)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    proxy.upstream.answer = (_, response) => response.end()
    expect((await proxy.ask('/north/proxy/x', { token: account('ci', 'c') })).status).toBe(200)
  })

  it('share one stream limit per instance', async () => {
    everybodyMay()
    proxy.upstream.answer = (_, response) => void response.writeHead(200).flushHeaders()
    proxy.fleet.set(viewOf('west'))
    proxy.fleet.connections.set('west', proxy.upstream.api)
    const open = async (token: string, path = watch) =>
      (await proxy.watch(path, { token })).response.statusCode
    for (const name of ['a', 'b', 'c']) expect(await open(account('ci', name))).toBe(200)
    expect(await open(account('ci', 'd'))).toBe(429)
    expect(await open(account('ci', 'd'), watch.replace('north', 'west'))).toBe(200)
    expect(await open(account('other', 'd'))).toBe(200)
  })

  it.each([
    ['system:serviceaccount:ci:a', 'ci'],
    ['system:serviceaccount:ci:a:b', 'ci'],
    ['system:serviceaccount:ci', undefined],
    ['x:system:serviceaccount:ci:a', undefined],
    ['ada', undefined],
  ])('are identified by their names: %s', (user, namespace) => {
    expect(accountNamespace(user)).toBe(namespace)
  })

  it.each([
    [1_000, 100, 99],
    [50, 100, 50],
    [1_000, 1, 1],
  ])('get the share: set to %i of %i gives %i', (set, all, most) => {
    const clock = { log: silent, meter: unmetered, now: () => 0 }
    const { perAccountNamespace, longPerAccountNamespace } = limitsOf(
      {
        ...{ requestsPerAccountNamespace: set, requestsPerInstance: all },
        ...{ streamsPerAccountNamespace: set, streamsPerInstance: all },
      },
      clock,
    )
    expect([perAccountNamespace.most, longPerAccountNamespace.most]).toEqual([most, most])
  })
})
