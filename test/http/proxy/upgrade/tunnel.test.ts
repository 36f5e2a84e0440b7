import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { shuttingDown } from '../../../../http/proxy/exchange/exchange.js'
import { Tunnel } from '../../../../http/proxy/upgrade/tunnel.js'
import { ConnectionClosedError } from '../../../../ports/kube-api.js'

const opened: Socket[] = []
afterEach(() => {
  vi.useRealTimers()
  for (const socket of opened.splice(0)) socket.destroy()
})

/** A connection whose sides end by themselves only: here, and at its far end. */
async function connection(): Promise<{ near: Socket; far: Socket }> {
  const server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const far = connect({
    port: (server.address() as AddressInfo).port,
    host: '127.0.0.1',
    allowHalfOpen: true,
  })
  const [near] = (await once(server, 'connection')) as [Socket]
  server.close()
  for (const socket of [near, far]) {
    opened.push(socket)
    socket.on('error', () => undefined)
  }
  return { near, far }
}

/** Waits by turns of the event loop, so that faked timers stand still. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise(setImmediate)
}

/** A tunnel between a caller and an instance, and what each of them received. */
async function tunnelling() {
  const [one, other] = [await connection(), await connection()]
  const [caller, instance] = [one.far, other.far]
  const received = { caller: '', instance: '' }
  const ended = { caller: false, instance: false }
  for (const [name, socket] of [['caller', caller] as const, ['instance', instance] as const]) {
    socket.on('data', chunk => (received[name] += String(chunk)))
    socket.on('end', () => (ended[name] = true))
  }
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const tunnel = new Tunnel(one.near, other.near, { of: ({ message }) => Buffer.from(`(${message})`) })
  let outcome: string | undefined
  void tunnel.over.then(failure => (outcome = failure?.message ?? 'ended'))
  return {
    tunnel,
    caller,
    instance,
    received,
    ended,
    near: one.near,
    upstream: other.near,
    outcome: () => outcome,
  }
}
const isOver = ({ outcome }: Awaited<ReturnType<typeof tunnelling>>) => until(() => outcome() !== undefined)

describe('a tunnel', () => {
  it('passes bytes both ways, and the end of each side as an end', async () => {
    const world = await tunnelling()
    const { caller, instance, received, ended, outcome } = world
    caller.end('command')
    await until(() => ended.instance)
    instance.end('output')
    await isOver(world)
    await until(() => ended.caller)
    expect([received, outcome()]).toEqual([{ caller: 'output', instance: 'command' }, 'ended'])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('closes the instance’s side when the caller’s breaks, and reports that', async () => {
    const world = await tunnelling()
    world.caller.resetAndDestroy()
    await isOver(world)
    expect(world.outcome()).toBe('the caller broke off the connection')
    expect(world.upstream.destroyed).toBe(true)
    await until(() => world.instance.destroyed || world.ended.instance)
  })

  it('closes the caller’s side when the instance’s breaks, and reports that', async () => {
    const world = await tunnelling()
    world.instance.resetAndDestroy()
    await isOver(world)
    expect(world.outcome()).toBe('the instance broke off the connection')
    expect(world.near.destroyed).toBe(true)
    await until(() => world.caller.destroyed || world.ended.caller)
  })

  it('sends the caller the reason when Kairship closes the connection to the instance', async () => {
    const world = await tunnelling()
    world.upstream.destroy(new ConnectionClosedError('closed'))
    await until(() => world.ended.caller)
    world.caller.end()
    await isOver(world)
    expect(world.outcome()).toMatch(/^the instance was deleted/)
    expect(world.received.caller).toBe(`(${world.outcome()})`)
  })

  it('resolves when a side was closed before it began', async () => {
    const [one, other] = [await connection(), await connection()]
    other.near.destroy()
    await once(other.near, 'close')
    await new Promise(setImmediate)
    const failure = await new Tunnel(one.near, other.near, { of: () => Buffer.alloc(0) }).over
    expect(failure?.message).toBe('the instance broke off the connection')
    expect(one.near.destroyed).toBe(true)
  })
})

describe('a tunnel with one side that has ended', () => {
  it.each(['caller', 'instance'] as const)('is cut after five seconds: the %s', async first => {
    const world = await tunnelling()
    const { caller, instance, ended, near, upstream, outcome } = world
    const [side, other] = first === 'caller' ? [caller, 'instance' as const] : [instance, 'caller' as const]
    side.end()
    await until(() => ended[other])
    vi.advanceTimersByTime(4_999)
    expect([near.destroyed, upstream.destroyed]).toEqual([false, false])
    vi.advanceTimersByTime(1)
    expect([near.destroyed, upstream.destroyed]).toEqual([true, true])
    await isOver(world)
    expect(outcome()).toBe('ended')
  })
})

describe('a tunnel that Kairship ends', () => {
  const failure = shuttingDown()

  it('delivers earlier bytes, then the reason, then an end to both sides', async () => {
    const world = await tunnelling()
    const { tunnel, caller, instance, received, ended, outcome } = world
    instance.write('output ')
    await until(() => received.caller === 'output ')
    tunnel.end(failure)
    await until(() => ended.caller && ended.instance)
    expect(received.caller).toBe(`output (${failure.message})`)
    caller.end()
    instance.end()
    await isOver(world)
    expect([outcome(), vi.getTimerCount()]).toEqual([failure.message, 0])
  })

  it('delivers the output of an instance that has ended, without a reason', async () => {
    const world = await tunnelling()
    const { tunnel, caller, instance, received, ended, near, outcome } = world
    instance.end('output')
    await until(() => ended.caller)
    tunnel.end(failure)
    caller.end()
    await isOver(world)
    expect([received.caller, outcome(), near.errored]).toEqual(['output', failure.message, null])
  })

  it('reads and drops the bytes that the instance sends after the reason', async () => {
    const world = await tunnelling()
    const { tunnel, caller, instance, received, ended } = world
    tunnel.end(failure)
    let isSent = false
    instance.end(Buffer.alloc(8 * 1024 * 1024, 'x'), () => {
      isSent = true
    })
    await until(() => ended.caller && isSent)
    caller.end()
    await isOver(world)
    expect(received.caller).toBe(`(${failure.message})`)
  })

  it('is cut one second later if a side does not end, also when the other ends meanwhile', async () => {
    const world = await tunnelling()
    const { tunnel, caller, near, upstream, ended, outcome } = world
    tunnel.end(failure)
    await until(() => ended.caller && ended.instance)
    vi.advanceTimersByTime(500)
    caller.end()
    await until(() => near.readableEnded)
    vi.advanceTimersByTime(499)
    expect(upstream.destroyed).toBe(false)
    vi.advanceTimersByTime(1)
    expect([near.destroyed, upstream.destroyed]).toEqual([true, true])
    await isOver(world)
    expect(outcome()).toBe(failure.message)
  })

  it('keeps its first reason when it is ended again or a side breaks later', async () => {
    const world = await tunnelling()
    const { tunnel, caller, instance, received, ended, outcome } = world
    tunnel.end(failure)
    tunnel.end({ ...failure, message: 'another reason' })
    await until(() => ended.caller)
    instance.resetAndDestroy()
    caller.destroy()
    await isOver(world)
    expect([outcome(), received.caller]).toEqual([failure.message, `(${failure.message})`])
  })

  it('breaks the other side when one side breaks later', async () => {
    const world = await tunnelling()
    world.tunnel.end(failure)
    await until(() => world.ended.caller && world.ended.instance)
    world.instance.resetAndDestroy()
    await until(() => world.upstream.destroyed)
    await isOver(world)
    expect(world.near.destroyed).toBe(true)
  })
})
