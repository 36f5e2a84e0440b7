import { once } from 'node:events'
import { connect as connectPlain } from 'node:net'
import { connect } from 'node:tls'
import { describe, expect, it } from 'vitest'
import { waitFor } from '../../../patience.js'
import { deferred } from '../../fakes/deferred.js'
import { ProxyUnderTest } from '../proxy-under-test.js'
import {
  accepted,
  asks,
  EXEC,
  forbidden,
  instanceAnswers,
  isClosed,
  isReset,
  SMUGGLED,
  say,
  WEBSOCKET,
} from './raw-upgrades.js'

const proxy = new ProxyUnderTest()

describe('an upgrade that the instance refuses', () => {
  it('carries no bytes of the caller to the instance, before or after the refusal, and is closed', async () => {
    const { received, sockets } = instanceAnswers(proxy, forbidden)
    const caller = await say(proxy, asks() + SMUGGLED, true)
    await waitFor(() => expect(caller.text()).toContain('\r\n\r\nno'))
    caller.socket.write(SMUGGLED)
    await isReset(caller)
    expect(caller.text()).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/)
    expect(caller.text().match(/HTTP\/1\.1/g)).toHaveLength(1)
    expect(caller.text()).toMatch(/\r\nConnection: close\r\n/)
    expect(caller.text()).toMatch(/\r\nKairship-Source: karmada\r\n/)
    await waitFor(async () => expect(await proxy.upstream.connections()).toBe(0))
    expect(sockets).toHaveLength(1)
    expect(received()).toBe('')
    expect(proxy.upstream.requests).toHaveLength(1)
  })

  it.each([
    ['a known length', forbidden, /403 Forbidden[\s\S]*\r\nContent-Length: 2\r\n[\s\S]*\r\n\r\nno$/],
    [
      'chunks',
      'HTTP/1.1 400 Bad Request\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nno\r\n3\r\nway\r\n0\r\n\r\n',
      /400 Bad Request[\s\S]*\r\nTransfer-Encoding: chunked\r\n\r\n(2\r\nno\r\n3\r\nway|5\r\nnoway)\r\n0\r\n\r\n$/,
    ],
    ['no body', 'HTTP/1.1 204 No Content\r\n\r\n', /204 No Content\r\n(.+\r\n)+\r\n$/],
    ['success', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok', /200 OK[\s\S]*\r\n\r\nok$/],
    [
      'a redirect',
      'HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n',
      /302 Found[\s\S]*Location: \/x\r\n/,
    ],
    [
      'another version of the protocol',
      'HTTP/1.1 426 Upgrade Required\r\nUpgrade: h2c\r\nContent-Length: 0\r\n\r\n',
      /426 Upgrade Required(?![\s\S]*h2c)/,
    ],
    [
      'an announcement before it',
      `HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n${forbidden}`,
      /^HTTP\/1\.1 403 /,
    ],
    ['a second answer after it', `${forbidden}${accepted}HTTP/1.1 200 OK\r\n\r\n`, /403 [\s\S]*\r\n\r\nno$/],
  ])('with %s is relayed as a single answer', async (_, answer, relayed) => {
    const { received } = instanceAnswers(proxy, answer)
    const caller = await say(proxy, asks())
    await isClosed(caller)
    expect(caller.text()).toMatch(relayed)
    expect(caller.text().match(/HTTP\/1\.1/g)).toHaveLength(1)
    expect(received()).toBe('')
    await waitFor(async () => expect(await proxy.upstream.connections()).toBe(0))
  })

  it('drops the bytes that its caller sends during the relay', async () => {
    const { received, sockets } = instanceAnswers(proxy, '')
    const caller = await say(proxy, asks())
    await waitFor(() => expect(sockets).toHaveLength(1))
    let isTaken = false
    // More than all buffers between the two hold.
    caller.socket.write(Buffer.alloc(24 * 1024 * 1024, 'x'), () => (isTaken = true))
    sockets[0]?.write('HTTP/1.1 403 Forbidden\r\nContent-Length: 8\r\n\r\nhalf')
    await waitFor(() => expect(isTaken).toBe(true))
    sockets[0]?.write('rest')
    await isClosed(caller)
    expect(caller.text()).toMatch(/^HTTP\/1\.1 403 [\s\S]*\r\n\r\nhalfrest$/)
    expect(received()).toBe('')
  })

  it('without a length is relayed to its end', async () => {
    proxy.upstream.upgrade = (_, socket) => socket.end('HTTP/1.1 403 Forbidden\r\n\r\nno')
    const caller = await say(proxy, asks())
    await isClosed(caller)
    expect(caller.text()).toMatch(/403 Forbidden[\s\S]*\r\n2\r\nno\r\n0\r\n\r\n$/)
  })

  it('with a body larger than all buffers is relayed completely to a caller that reads', async () => {
    const size = 4 * 1024 * 1024
    instanceAnswers(proxy, `HTTP/1.1 500 Oh\r\nContent-Length: ${size}\r\n\r\n${'x'.repeat(size)}`)
    const caller = await say(proxy, asks())
    await isClosed(caller)
    expect(caller.text().length - caller.text().indexOf('\r\n\r\n') - 4).toBe(size)
  })

  it('and breaks in the middle breaks for the caller, too', async () => {
    proxy.upstream.upgrade = (_, socket) =>
      socket.write('HTTP/1.1 403 Forbidden\r\nContent-Length: 100\r\n\r\nhalf', () => socket.destroy())
    const caller = await say(proxy, asks())
    await isClosed(caller)
    expect(caller.text()).toMatch(/^HTTP\/1\.1 403 [\s\S]*half$/)
  })

  it.each([
    ['is no HTTP', 'SSH-2.0-OpenSSH\r\n'],
    ['is a 100', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['switches to another protocol', accepted.replace('websocket', 'h2c')],
    ['switches to several protocols', accepted.replace('websocket', 'websocket, h2c')],
    ['names two protocols', accepted.replace('Upgrade: web', 'Upgrade: h2c\r\nUpgrade: web')],
    ['switches to no protocol', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
    ['does not switch the connection', accepted.replace('Connection: Upgrade\r\n', '')],
  ])('with an answer that %s becomes a 503', async (_, answer) => {
    const { received } = instanceAnswers(proxy, answer)
    const caller = await say(proxy, asks() + SMUGGLED)
    await isClosed(caller)
    expect(caller.text()).toMatch(/^HTTP\/1\.1 503 [\s\S]*"kind":"Status"/)
    expect(received()).toBe('')
    await waitFor(async () => expect(await proxy.upstream.connections()).toBe(0))
  })
})

describe('an upgrade without an answer from the instance', () => {
  it('is aborted when the caller disconnects', async () => {
    const { sockets } = instanceAnswers(proxy, '')
    const caller = await say(proxy, asks())
    await waitFor(() => expect(sockets).toHaveLength(1))
    caller.socket.end()
    await waitFor(async () => expect(await proxy.upstream.connections()).toBe(0))
  })

  it('is refused when the server stops', async () => {
    const { sockets } = instanceAnswers(proxy, '')
    const caller = await say(proxy, asks())
    await waitFor(() => expect(sockets).toHaveLength(1))
    const stopped = proxy.api.running.close()
    await waitFor(() => expect(caller.text()).toMatch(/^HTTP\/1\.1 503 [\s\S]*shutting down/))
    await stopped
  })

  it('is refused when the server stops while its caller is authenticated, and is never sent', async () => {
    const reviewed = deferred<object>()
    const { host, running } = proxy.api
    host.script = ({ path }) => (path.endsWith('/tokenreviews') ? reviewed.promise : undefined)
    const caller = await say(proxy, asks())
    await waitFor(() => expect(host.requests).toHaveLength(1))
    const stopped = running.close()
    // Streams are ended in the same turn as the server begins to stop.
    await Promise.resolve()
    reviewed.resolve({ status: { authenticated: true, user: { username: 'admin' } } })
    await waitFor(() => expect(caller.text()).toMatch(/^HTTP\/1\.1 503 [\s\S]*shutting down/))
    await stopped
    expect(proxy.upstream.requests).toEqual([])
  })

  it('is not sent when its caller resets the connection during authentication, and is recorded as cancelled', async () => {
    const reviewed = deferred<object>()
    const { host, log, running } = proxy.api
    host.script = ({ path }) => (path.endsWith('/tokenreviews') ? reviewed.promise : undefined)
    const { hostname, port } = new URL(running.url)
    const wire = connectPlain(Number(port), hostname)
    const socket = connect({ socket: wire, ca: running.certificateAuthority, servername: 'localhost' })
    socket.on('error', () => undefined)
    await once(socket, 'secureConnect')
    socket.write(asks())
    await waitFor(() => expect(host.requests).toHaveLength(1))
    wire.resetAndDestroy()
    // The server has read the reset when it has answered a request on a later connection.
    host.script = () => undefined
    await proxy.ask('/north/proxy/api', { token: 'second' })
    reviewed.resolve({ status: { authenticated: true, user: { username: 'admin' } } })
    await waitFor(() =>
      expect(log.audits()).toMatchObject([{ operation: EXEC.split(/proxy|\?/)[1], code: 'CANCELLED' }]),
    )
    expect(proxy.upstream.requests.map(({ url }) => url)).toEqual(['/api'])
  })

  it('buffers the caller’s bytes until the instance has switched protocols, and then forwards them', async () => {
    const { received, sockets } = instanceAnswers(proxy, 'HTTP/1.1 103 Early Hints\r\n\r\n')
    const caller = await say(proxy, `${asks()}early `)
    await waitFor(() => expect(sockets).toHaveLength(1))
    caller.socket.write('bytes')
    expect(received()).toBe('')
    sockets[0]!.write(`${accepted}first words`)
    await waitFor(() => expect(received()).toBe('early bytes'))
    await waitFor(() => expect(caller.text()).toMatch(/^HTTP\/1\.1 101 [\s\S]*\r\n\r\nfirst words$/))
    caller.socket.destroy()
  })
})

describe('Kairship’s own refusal on a connection whose peer never closes its side', () => {
  it.each([
    ['anonymous', asks(WEBSOCKET, { token: 'unknown' }), 401],
    ['by the host', asks(WEBSOCKET, { token: 'viewer' }), 403],
    ['at a path that is no proxy', asks(WEBSOCKET, { path: '/north' }), 404],
    ['of an unreachable instance', asks(WEBSOCKET, { path: EXEC.replace('north', 'south') }), 503],
  ])('%s is sent, and the connection is closed', async (_, bytes, status) => {
    const caller = await say(proxy, bytes, true)
    await isReset(caller)
    expect(caller.text()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  })

  it('closes a connection that breaks during the refusal, and the server continues', async () => {
    const callers = await Promise.all(
      Array.from({ length: 10 }, () => say(proxy, asks(WEBSOCKET, { path: '/north' }))),
    )
    for (const { socket } of callers) socket.destroy()
    expect((await proxy.ask('/north/proxy/api')).status).toBe(200)
  })
})

it('a caller that disconnects before authorization leaves no connection open', async () => {
  const { sockets } = instanceAnswers(proxy, accepted)
  const caller = await say(proxy, asks())
  caller.socket.destroy()
  await once(caller.socket, 'close')
  expect((await proxy.ask('/north/proxy/api')).status).toBe(200)
  await waitFor(() => expect(sockets.every(({ destroyed }) => destroyed)).toBe(true))
})
