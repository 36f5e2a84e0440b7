import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { describe, expect, it } from 'vitest'
import type { Upstream } from '../../../../ports/kube-api.js'
import type { Code } from '../../../../transcoding/code.js'
import { warnedDuring } from '../../../node-warnings.js'
import { waitFor } from '../../../patience.js'
import { ProxyUnderTest, root } from '../proxy-under-test.js'

const proxy = new ProxyUnderTest()
const accepted = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'
const audits = () => proxy.api.log.audits()

describe('an upgrade through the proxy', () => {
  /** Asks for an upgrade and gives back the raw socket, the answer's head still to be read from it. */
  async function upgrade(
    token: string,
    path = '/north/proxy/api/v1/namespaces/a/pods/x/exec?command=ls',
  ): Promise<TLSSocket> {
    const socket = await proxy.socket()
    socket.write(
      [
        `GET ${root}${path} HTTP/1.1`,
        'Host: kairship',
        `Authorization: Bearer ${token}`,
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Protocol: v5.channel.k8s.io',
        'X-Remote-User: root',
        '\r\n',
      ].join('\r\n'),
    )
    return socket
  }
  const next = async (socket: TLSSocket) => String((await once(socket, 'data'))[0])
  /** The instance accepts, and says nothing more. */
  const switched = (socket: Duplex): void => {
    socket.write(accepted)
    socket.on('error', () => undefined)
  }

  it('becomes a tunnel: bytes of either side reach the other, and an end is passed on', async () => {
    proxy.upstream.upgrade = (_, socket) => {
      socket.write(accepted)
      socket.on('data', chunk => socket.write(`echo ${chunk}`))
      socket.on('end', () => socket.end())
    }
    const socket = await upgrade('admin')
    expect(await next(socket)).toMatch(/^HTTP\/1.1 101/)
    socket.write('hello')
    expect(await next(socket)).toBe('echo hello')
    const [received] = proxy.upstream.requests
    expect(received?.url).toBe('/api/v1/namespaces/a/pods/x/exec?command=ls')
    expect(received?.headers).toMatchObject({
      upgrade: 'websocket',
      'sec-websocket-protocol': 'v5.channel.k8s.io',
      'impersonate-user': 'admin',
      authorization: 'Bearer own-token',
    })
    expect(received?.headers['x-remote-user']).toBeUndefined()
    const started = { stage: 'ResponseStarted', verb: 'create', status: 101 }
    expect(audits()).toMatchObject([{ ...started, requestId: received?.headers['audit-id'] }])
    socket.end()
    await once(socket, 'close')
    await waitFor(() =>
      expect(audits()).toMatchObject([
        started,
        { verb: 'create', code: 'OK' satisfies keyof typeof Code, requestId: received?.headers['audit-id'] },
      ]),
    )
  })

  it.each([
    ['unknown', 401],
    ['viewer', 403],
  ])('of %s is refused with %i before the instance receives it', async (token, status) => {
    expect(await next(await upgrade(token))).toMatch(
      new RegExp(`^HTTP/1.1 ${status} [\\s\\S]*"kind":"Status"`),
    )
    expect(proxy.upstream.requests).toEqual([])
  })

  it('outside the proxy is refused', async () => {
    expect(await next(await upgrade('admin', '/north'))).toMatch(/^HTTP\/1.1 404/)
  })

  it('causes no warning of Node.js', async () => {
    proxy.upstream.upgrade = (_, socket) => switched(socket)
    const warned = await warnedDuring(async () => {
      const socket = await upgrade('admin')
      await next(socket)
      socket.destroy()
      await waitFor(async () => expect(await proxy.upstream.connections()).toBe(0))
    })
    expect(warned).toEqual([])
  })

  it('leaves no connection open when both sides break', async () => {
    proxy.upstream.upgrade = (_, socket) => switched(socket)
    const socket = await upgrade('admin')
    await next(socket)
    socket.destroy()
    await waitFor(async () => expect(await proxy.upstream.connections()).toBe(0))
    proxy.upstream.upgrade = (_, behind) => behind.destroy()
    const other = await upgrade('admin')
    expect(await next(other)).toMatch(/^HTTP\/1\.1 503 /)
    expect((await proxy.ask('/north/proxy/api')).status).toBe(200)
  })

  it('is closed when the server stops', async () => {
    proxy.upstream.upgrade = (_, socket) => switched(socket)
    const socket = await upgrade('admin')
    await next(socket)
    const closed = once(socket, 'close')
    await proxy.api.running.close()
    await closed
  })

  it('is closed when the server stops in the turn in which the instance switches protocols', async () => {
    const { api } = proxy.upstream
    const real = api.upstream as Upstream
    let stopped: Promise<void> | undefined
    const upgradeThenStop: Upstream['upgrade'] = (request, sink) =>
      real.upgrade(request, {
        head: (...head) => sink.head(...head),
        data: chunk => sink.data(chunk),
        end: () => sink.end(),
        failed: error => sink.failed(error),
        switched: (...answer) => {
          sink.switched(...answer)
          stopped = proxy.api.running.close()
        },
      })
    proxy.fleet.connections.set('north', {
      ...api,
      upstream: { send: (...sent) => real.send(...sent), upgrade: upgradeThenStop },
    })
    proxy.upstream.upgrade = (_, socket) => switched(socket)
    const socket = await upgrade('admin')
    const closed = once(socket.resume(), 'close')
    await closed
    await stopped
    expect(await proxy.upstream.connections()).toBe(0)
  })
})
