import { EventEmitter, once } from 'node:events'
import { Agent, request } from 'node:https'
import { connect, type Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { unauthenticated } from '../../../http/errors/failure.js'
import { UnauthenticatedConnections } from '../../../http/identity/unauthenticated-connections.js'
import { waitFor } from '../../patience.js'
import { deferred } from '../fakes/deferred.js'
import { bearer, grpcClient, listeningApi, unary } from '../fakes/listening.js'
import { fakeLog } from '../fakes/log.js'

const ada = { user: 'ada', groups: [] } as never

/** Connections that a test makes, without sockets. */
function counted(most: number) {
  const clock = { now: 0 }
  const log = fakeLog()
  const gauges: Record<string, number> = {}
  let refused = 0
  const connections = new UnauthenticatedConnections({
    most,
    log,
    now: () => clock.now,
    meter: {
      count: () => refused++,
      gauge: (_, value, { wire = '' } = {}) => {
        gauges[wire] = value
      },
      observe: () => undefined,
    },
  })
  const servers = { rest: new EventEmitter(), grpc: new EventEmitter() }
  for (const wire of ['rest', 'grpc'] as const) connections.guard(servers[wire] as never, wire)
  let ports = 1
  const accept = (remoteAddress: string | undefined, wire: 'rest' | 'grpc' = 'rest', port = ports++) => {
    const socket = Object.assign(new EventEmitter(), {
      remoteAddress,
      remotePort: remoteAddress && port,
      isCut: false,
      destroy: () => {
        socket.isCut = true
      },
    })
    servers[wire].emit('connection', socket)
    return socket
  }
  const isRefused = (address: string, wire: 'rest' | 'grpc' = 'rest') => accept(address, wire).isCut
  const { authenticate } = connections.releasing({ authenticate: () => ada }, 'rest')
  return { connections, accept, isRefused, authenticate, clock, log, gauges, refusals: () => refused }
}

describe('unauthenticated connections', () => {
  it('are closed when they are accepted, where their source has reached its limit, over both listeners together', () => {
    const { accept, isRefused, gauges, refusals } = counted(2)
    accept('10.0.0.1')
    accept('10.0.0.1', 'grpc')
    expect([isRefused('10.0.0.1'), isRefused('10.0.0.1', 'grpc'), isRefused('10.0.0.2')]).toEqual([
      true,
      true,
      false,
    ])
    expect([gauges, refusals()]).toEqual([{ rest: 2, grpc: 1 }, 2])
  })

  it.each([
    ['of IPv6', '2001:db8:1:2::1', '2001:db8:1:2:ffff::9', '2001:db8:1:3::1'],
    ['of IPv4 on a socket for both', '::ffff:10.0.0.1', '::ffff:10.0.0.1', '::ffff:10.0.0.2'],
  ])('%s are counted by network or by address', (_, first, same, other) => {
    const { accept, isRefused } = counted(1)
    accept(first)
    expect([isRefused(same), isRefused(other)]).toEqual([true, false])
  })

  it('are released once, when they end', () => {
    const { accept, isRefused, gauges } = counted(2)
    const [first] = [accept('10.0.0.1'), accept('10.0.0.1')]
    first?.emit('close')
    first?.emit('close')
    expect([isRefused('10.0.0.1'), isRefused('10.0.0.1')]).toEqual([false, true])
    expect(gauges.rest).toBe(2)
  })

  it('are released once, when one of their requests is authenticated, however many follow', () => {
    const { accept, isRefused, authenticate, gauges } = counted(2)
    const [first] = [accept('10.0.0.1', 'rest', 7), accept('10.0.0.1', 'rest', 8)]
    for (let requests = 0; requests < 3; requests++) void authenticate({ remote: '10.0.0.1', port: 7 })
    first?.emit('close')
    expect([isRefused('10.0.0.1'), isRefused('10.0.0.1')]).toEqual([false, true])
    expect(gauges.rest).toBe(2)
  })

  it('still count while their callers are authenticated, and when those are refused', async () => {
    const { connections, accept, gauges } = counted(2)
    accept('10.0.0.1', 'rest', 7)
    const credentials = { remote: '10.0.0.1', port: 7 }
    const checked = deferred<never>()
    const slow = connections
      .releasing({ authenticate: () => checked.promise }, 'rest')
      .authenticate(credentials)
    expect(gauges.rest).toBe(1)
    const refusing = () => {
      throw unauthenticated('no')
    }
    const wrong = connections.releasing({ authenticate: refusing }, 'rest')
    expect(() => wrong.authenticate(credentials)).toThrow('no')
    const late = connections.releasing({ authenticate: async () => refusing() }, 'rest')
    await expect(late.authenticate(credentials)).rejects.toThrow('no')
    expect(gauges.rest).toBe(1)
    checked.resolve(ada)
    expect(await slow).toBe(ada)
    expect(gauges.rest).toBe(0)
  })

  it('are distinguished from those of the same port at the other listener, and of an address without a port', () => {
    const { accept, authenticate, gauges } = counted(2)
    accept('10.0.0.1', 'grpc', 7)
    void authenticate({ remote: '10.0.0.1', port: 7 })
    void authenticate({ remote: '10.0.0.1' })
    expect(gauges.grpc).toBe(1)
  })

  it('are all counted when a port is reused before the end of its old connection is reported', () => {
    const { accept, authenticate, gauges } = counted(5)
    const old = accept('10.0.0.1', 'rest', 7)
    const young = accept('10.0.0.1', 'rest', 7)
    expect(gauges.rest).toBe(2)
    old.emit('close')
    expect(gauges.rest).toBe(1)
    void authenticate({ remote: '10.0.0.1', port: 7 })
    expect(gauges.rest).toBe(0)
    young.emit('close')
    expect(gauges.rest).toBe(0)
  })

  it('are counted and not refused where the limit is 0', () => {
    const { isRefused, gauges, log } = counted(0)
    expect(Array.from({ length: 3 }, () => isRefused('10.0.0.1'))).toEqual([false, false, false])
    expect([gauges.rest, log.lines]).toEqual([3, []])
  })

  it('that end before they are accepted are not counted', () => {
    const { accept, gauges } = counted(1)
    expect([accept(undefined).isCut, accept(undefined).isCut, gauges]).toEqual([false, false, {}])
  })

  it('beyond the limit are logged once a minute, with the setting that allows more', () => {
    const { isRefused, clock, log } = counted(1)
    for (const now of [0, 1, 59_999, 60_000, 60_001]) {
      clock.now = now
      isRefused('10.0.0.1')
    }
    expect(log.lines.map(({ level, fields }) => [level, fields.source, fields.most])).toEqual([
      ['warn', '10.0.0.1', 1],
      ['warn', '10.0.0.1', 1],
    ])
    expect(log.lines[0]?.message).toContain('unauthenticatedConnectionsPerSource')
  })
})

describe('a listener that allows a source two unauthenticated connections', () => {
  const twoAtMost = () => listeningApi(undefined, { unauthenticatedConnectionsPerSource: 2 })
  type Listening = Awaited<ReturnType<typeof twoAtMost>>

  /** A connection of which nothing comes, not even the beginning of TLS. */
  async function silent(address: string, localAddress?: string): Promise<Socket> {
    const { hostname, port } = new URL(`https://${address}`)
    const socket = connect({ host: hostname, port: Number(port), ...(localAddress && { localAddress }) })
    socket.on('error', () => undefined)
    await once(socket, 'connect')
    return socket
  }
  const isClosed = (socket: Socket) =>
    waitFor(() => expect(socket.destroyed || socket.readableEnded).toBe(true))

  /** Asks over a connection that stays open. */
  async function ask({ running }: Listening, agent: Agent, token: string): Promise<number | undefined> {
    const asked = request(`${running.url}/apis/kairship.io/v1alpha1/instances`, {
      agent,
      ca: running.certificateAuthority,
      headers: { authorization: `Bearer ${token}` },
    })
    asked.end()
    const [response] = await once(asked, 'response')
    response.resume()
    await once(response, 'end')
    return response.statusCode
  }

  it('closes one more at once, and serves its callers again when one of them has ended', async () => {
    const api = await twoAtMost()
    const address = new URL(api.running.url).host
    const held = [await silent(address), await silent(api.running.grpcAddress)]
    for (const beyond of [address, api.running.grpcAddress]) {
      const socket = await silent(beyond)
      socket.resume()
      await isClosed(socket)
    }
    held[0]?.destroy()
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    await waitFor(async () => expect(await ask(api, agent, 'admin')).toBe(200))
    agent.destroy()
    for (const socket of held) socket.destroy()
    await api.running.close()
  })

  it('does not count a REST connection once a caller is authenticated', async () => {
    const api = await twoAtMost()
    const address = new URL(api.running.url).host
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    expect(await ask(api, agent, 'unknown')).toBe(401)
    const first = await silent(address)
    // The refused caller's connection still counts.
    const refused = await silent(address)
    refused.resume()
    await isClosed(refused)
    expect(await ask(api, agent, 'admin')).toBe(200)
    const second = await silent(address)
    const third = await silent(address)
    third.resume()
    await isClosed(third)
    expect([first.destroyed, second.destroyed]).toEqual([false, false])
    agent.destroy()
    for (const socket of [first, second]) socket.destroy()
    await api.running.close()
  })

  it('does not count a gRPC connection once a caller is authenticated', async () => {
    const api = await twoAtMost()
    const { grpcAddress } = api.running
    const client = grpcClient(api.running)
    expect((await unary(client, 'ListInstances', {}, bearer('unknown'))).error?.code).toBe(16)
    const first = await silent(grpcAddress)
    const refused = await silent(grpcAddress)
    refused.resume()
    await isClosed(refused)
    expect((await unary(client, 'ListInstances', {}, bearer('admin'))).error).toBeUndefined()
    const second = await silent(grpcAddress)
    const third = await silent(grpcAddress)
    third.resume()
    await isClosed(third)
    expect([first.destroyed, second.destroyed]).toEqual([false, false])
    client.close()
    for (const socket of [first, second]) socket.destroy()
    await api.running.close()
  })

  it.runIf(process.platform === 'linux')('counts each source separately', async () => {
    const api = await twoAtMost()
    const address = new URL(api.running.url).host
    const held = [await silent(address, '127.0.0.2'), await silent(address, '127.0.0.2')]
    const beyond = await silent(address, '127.0.0.2')
    beyond.resume()
    await isClosed(beyond)
    const agent = new Agent()
    expect(await ask(api, agent, 'admin')).toBe(200)
    for (const socket of held) socket.destroy()
    await api.running.close()
  })
})
