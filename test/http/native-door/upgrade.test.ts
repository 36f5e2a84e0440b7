import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { describe, expect, it } from 'vitest'
import type { Code } from '../../../http/code.js'
import { waitFor } from '../../patience.js'
import { DoorUnderTest, root } from './door-under-test.js'

const door = new DoorUnderTest()
const audits = () => door.api.log.audits()

describe('an upgrade through the door', () => {
  /** Asks for an upgrade and gives back the raw socket, the answer's head still to be read from it. */
  async function upgrade(
    token: string,
    path = '/north/proxy/api/v1/namespaces/a/pods/x/exec?command=ls',
  ): Promise<TLSSocket> {
    const socket = await door.socket()
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
    socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n')
    socket.on('error', () => undefined)
  }

  it('becomes a tunnel: what either side says reaches the other, and an end is an end', async () => {
    door.upstream.upgrade = (_, socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
      socket.on('data', chunk => socket.write(`echo ${chunk}`))
      socket.on('end', () => socket.end())
    }
    const socket = await upgrade('admin')
    expect(await next(socket)).toMatch(/^HTTP\/1.1 101/)
    socket.write('hello')
    expect(await next(socket)).toBe('echo hello')
    const [received] = door.upstream.requests
    expect(received?.url).toBe('/api/v1/namespaces/a/pods/x/exec?command=ls')
    expect(received?.headers).toMatchObject({
      upgrade: 'websocket',
      'sec-websocket-protocol': 'v5.channel.k8s.io',
      'impersonate-user': 'admin',
      authorization: 'Bearer own-token',
    })
    expect(received?.headers['x-remote-user']).toBeUndefined()
    socket.end()
    await once(socket, 'close')
    await waitFor(() =>
      expect(audits()).toMatchObject([{ verb: 'create', code: 'OK' satisfies keyof typeof Code }]),
    )
  })

  it('that the instance refuses is refused in the instance’s own words', async () => {
    door.upstream.upgrade = (_, socket) => socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno')
    expect(await next(await upgrade('admin'))).toBe('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno')
  })

  it.each([
    ['unknown', 401],
    ['viewer', 403],
  ])('of %s is refused with %i before the instance hears of it', async (token, status) => {
    expect(await next(await upgrade(token))).toMatch(
      new RegExp(`^HTTP/1.1 ${status} [\\s\\S]*"kind":"Status"`),
    )
    expect(door.upstream.requests).toEqual([])
  })

  it('to anywhere but the door is refused', async () => {
    expect(await next(await upgrade('admin', '/north'))).toMatch(/^HTTP\/1.1 404/)
  })

  it('survives both sides breaking off, and leaves nothing open', async () => {
    door.upstream.upgrade = (_, socket) => switched(socket)
    const socket = await upgrade('admin')
    await next(socket)
    socket.destroy()
    await waitFor(async () => expect(await door.upstream.connections()).toBe(0))
    door.upstream.upgrade = (_, behind) => behind.destroy()
    const other = await upgrade('admin')
    await once(other, 'close')
    expect((await door.ask('/north/proxy/api')).status).toBe(200)
  })

  it('is cut when we stop', async () => {
    door.upstream.upgrade = (_, socket) => switched(socket)
    const socket = await upgrade('admin')
    await next(socket)
    const closed = once(socket, 'close')
    await door.api.running.close()
    await closed
  })
})
