import { create } from '@bufbuild/protobuf'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Call } from '../../http/call/call.js'
import { InstanceFeed } from '../../http/instances/instance-feed.js'
import { watchInstances } from '../../http/rpc/instance/watch.js'
import {
  InstanceStatus_State,
  WatchInstancesRequestSchema,
  WatchInstancesResponse_Type,
} from '../../proto/gen/kairship/instance_pb.js'
import { warnedDuring } from '../node-warnings.js'
import { waitFor } from '../patience.js'
import { testApi } from './fakes/api.js'
import { open, type Received } from './fakes/events.js'
import { type FakeFleet, fakeFleet, viewOf } from './fakes/fleet.js'

const brief = (received: (Received | undefined)[]) =>
  received.map(item => [item?.data.type, item?.data.instance?.metadata.name].filter(Boolean).join(' '))

/** How many streams and watches are alive behind the API. */
const feedReaders = (fleet: FakeFleet) => fleet.watchers.size

afterEach(() => void vi.useRealTimers())

describe('watching instances', () => {
  it('starts with the present instances and then sends changes', async () => {
    const api = testApi()
    const stream = await open(api, 'viewer', '/instances:watch')
    expect(stream.response.headers.get('content-type')).toBe('text/event-stream')
    expect(brief(await stream.take(4))).toEqual(['RESET', 'ADDED north', 'ADDED south', 'BOOKMARK'])
    api.fleet.set(viewOf('north', 'degraded'))
    api.fleet.set(viewOf('west'))
    api.fleet.delete('south')
    const changes = await stream.take(3)
    expect(brief(changes)).toEqual(['MODIFIED north', 'ADDED west', 'DELETED south'])
    expect(changes[0]?.data.instance.status.state).toBe('INSTANCE_STATE_UNAVAILABLE')
    await stream.cancel()
  })

  it('resumes where a reader left off', async () => {
    const api = testApi()
    const first = await open(api, 'viewer', '/instances:watch')
    const bookmark = (await first.take(4))[3]
    await first.cancel()
    api.fleet.set(viewOf('north', 'degraded'))
    api.fleet.delete('south')
    const again = await open(api, 'viewer', '/instances:watch', { 'last-event-id': bookmark!.id! })
    expect(brief(await again.take(2))).toEqual(['MODIFIED north', 'DELETED south'])
    await again.cancel()
  })

  it.each(['', 'nonsense', 'abcdef123456.2', '.', 'x.9999999'])(
    'starts over from the token %j',
    async token => {
      const stream = await open(testApi(), 'viewer', `/instances:watch?resumeToken=${token}`)
      expect(brief(await stream.take(1))).toEqual(['RESET'])
      await stream.cancel()
    },
  )

  it('starts over from a token that is ahead of what has happened', async () => {
    const api = testApi()
    const first = await open(api, 'viewer', '/instances:watch')
    const [, , , bookmark] = await first.take(4)
    await first.cancel()
    const ahead = bookmark!.id!.replace(/\.\d+\./, '.9999.')
    expect(ahead).not.toBe(bookmark!.id)
    const again = await open(api, 'viewer', `/instances:watch?resumeToken=${ahead}`)
    expect(brief(await again.take(1))).toEqual(['RESET'])
    await again.cancel()
  })

  it('gives no token before the first state is sent completely, because a watch cannot resume from a part', async () => {
    const stream = await open(testApi(), 'viewer', '/instances:watch')
    const [reset, added, , bookmark] = await stream.take(4)
    expect([reset?.id, added?.id]).toEqual([undefined, undefined])
    expect(bookmark?.id).toBe(bookmark?.data.resumeToken)
    await stream.cancel()
  })

  const aliased = (name: string, alias: string) =>
    viewOf(name, 'ready', { kubeconfigSecretRef: { namespace: 'kairship-system', name }, alias })
  const counted = (received: (Received | undefined)[]) =>
    brief(received).map((text, index) => `${text} ${received[index]?.data.total}`)

  it('sends those whose name or alias contains the filter, when one leaves it, and how many match', async () => {
    const api = testApi()
    const stream = await open(api, 'viewer', '/instances:watch?name=ou')
    expect(counted(await stream.take(3))).toEqual(['RESET 0', 'ADDED south 1', 'BOOKMARK 1'])
    api.fleet.set(viewOf('north', 'degraded'))
    api.fleet.set(aliased('west', 'in the clouds'))
    api.fleet.set(aliased('west', 'on the ground'))
    api.fleet.set(viewOf('west'))
    api.fleet.delete('west')
    api.fleet.set(viewOf('south', 'degraded'))
    api.fleet.delete('south')
    expect(counted(await stream.take(5))).toEqual([
      'ADDED west 2',
      'MODIFIED west 2',
      'LEFT west 1',
      'MODIFIED south 1',
      'DELETED south 0',
    ])
    await stream.cancel()
  })

  it('sends those that need attention, and when one does so no longer, also to a reader that comes back', async () => {
    const api = testApi()
    const path = '/instances:watch?needsAttention=true'
    const stream = await open(api, 'viewer', path)
    expect(counted(await stream.take(3))).toEqual(['RESET 0', 'ADDED south 1', 'BOOKMARK 1'])
    api.fleet.set(viewOf('north', 'degraded'))
    const [added] = await stream.take(1)
    api.fleet.set(viewOf('west'))
    api.fleet.set(viewOf('south'))
    const [left] = await stream.take(1)
    expect(counted([added, left])).toEqual(['ADDED north 2', 'LEFT south 1'])
    await stream.cancel()
    const again = await open(api, 'viewer', path, { 'last-event-id': added!.id! })
    expect(counted(await again.take(1))).toEqual(['LEFT south 1'])
    await again.cancel()
  })

  it('resumes with what the reader has of its filter', async () => {
    const api = testApi()
    api.fleet.set(aliased('west', 'in the clouds'))
    const first = await open(api, 'viewer', '/instances:watch?name=ou')
    const bookmark = (await first.take(4))[3]
    await first.cancel()
    api.fleet.set(viewOf('west'))
    api.fleet.set(viewOf('east'))
    api.fleet.set(aliased('north', 'the south of the north'))
    api.fleet.set(viewOf('south', 'degraded'))
    const again = await open(api, 'viewer', '/instances:watch?name=ou', { 'last-event-id': bookmark!.id! })
    expect(counted(await again.take(3))).toEqual(['LEFT west 1', 'ADDED north 2', 'MODIFIED south 2'])
    const last = await open(api, 'viewer', '/instances:watch?name=ou', { 'last-event-id': bookmark!.id! })
    await last.take(2)
    const middle = (await last.take(1))[0]!.id!
    api.fleet.delete('south')
    const rest = await open(api, 'viewer', '/instances:watch?name=ou', { 'last-event-id': middle })
    expect(counted(await rest.take(1))).toEqual(['DELETED south 1'])
    await Promise.all([again, last, rest].map(stream => stream.cancel()))
  })

  it.each([
    ['another filter', 'viewer', '/instances:watch?name=th'],
    ['another filter of the same instances', 'viewer', '/instances:watch?name=sout'],
    ['no filter', 'viewer', '/instances:watch'],
    ['a filter more', 'viewer', '/instances:watch?name=south&needsAttention=true'],
    ['another caller', 'admin', '/instances:watch?name=south'],
    ['a caller who sees less', 'north-only', '/instances:watch?name=south'],
  ])('starts over from the token of a stream with %s', async (_, caller, path) => {
    const api = testApi()
    const first = await open(api, 'viewer', '/instances:watch?name=south')
    const bookmark = (await first.take(3))[2]
    const again = await open(api, caller, path, { 'last-event-id': bookmark!.id! })
    expect(brief(await again.take(1))).toEqual(['RESET'])
    await Promise.all([first.cancel(), again.cancel()])
  })

  it('sends one instance when one is requested, and only if the caller may get it', async () => {
    const api = testApi()
    const one = await open(api, 'viewer', '/instances:watch?name=south')
    expect(brief(await one.take(3))).toEqual(['RESET', 'ADDED south', 'BOOKMARK'])
    const filtered = await open(api, 'north-only', '/instances:watch')
    expect(brief(await filtered.take(3))).toEqual(['RESET', 'ADDED north', 'BOOKMARK'])
    api.fleet.set(viewOf('south'))
    api.fleet.delete('south')
    api.fleet.delete('north')
    expect(brief(await filtered.take(1))).toEqual(['DELETED north'])
    await one.cancel()
    await filtered.cancel()
  })

  it('is refused with a plain response, not with a stream', async () => {
    const { call } = testApi()
    expect((await call('unknown', 'GET', '/instances:watch')).status).toBe(401)
    expect((await call('viewer', 'GET', '/instances:watch?nmae=x')).status).toBe(400)
    expect((await call('nobody', 'GET', '/instances/north:inspect')).status).toBe(403)
    expect((await call('admin', 'GET', '/instances/west:inspect')).status).toBe(404)
  })

  it('has a limit of streams per caller, and releases them', async () => {
    const api = testApi()
    const streams = await Promise.all([1, 2, 3].map(() => open(api, 'viewer', '/instances:watch')))
    const { status, json } = await api.call('viewer', 'GET', '/instances:watch')
    expect([status, json.code]).toEqual([429, 8])
    const other = await open(api, 'admin', '/instances:watch')
    await streams[0]?.cancel()
    streams[1]?.hangUp.abort()
    const next = await open(api, 'viewer', '/instances:watch')
    expect(brief(await next.take(1))).toEqual(['RESET'])
    await Promise.all([next.cancel(), other.cancel(), streams[2]?.cancel()])
  })

  it('has as many concurrent streams as callers may hold, without a leak warning of Node.js', async () => {
    const api = testApi(undefined, { streamsPerCaller: 12 })
    const warned = await warnedDuring(async () => {
      const streams = await Promise.all(
        Array.from({ length: 12 }, () => open(api, 'viewer', '/instances:watch')),
      )
      await Promise.all(streams.map(stream => stream.cancel()))
    })
    expect(warned).toEqual([])
  })

  it('ends every stream with a status when the server stops', async () => {
    const api = testApi()
    const stream = await open(api, 'viewer', '/instances:watch')
    await stream.take(4)
    api.api.endStreams()
    expect(await stream.next()).toMatchObject({ event: 'end', data: { code: 14 } })
    expect(await stream.next()).toBeUndefined()
    await waitFor(() => expect(feedReaders(api.fleet)).toBe(0))
  })

  it('ends with DEADLINE_EXCEEDED at the caller’s deadline', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const stream = await open(testApi(), 'viewer', '/instances:watch', { 'grpc-timeout': '20m' })
    await stream.take(4)
    vi.advanceTimersByTime(20)
    expect(await stream.next()).toMatchObject({ event: 'end', data: { code: 4 } })
  })

  it('sends a comment when nothing happens for a while', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const api = testApi()
    const stream = await open(api, 'viewer', '/instances:watch')
    await stream.take(4)
    const following = stream.next()
    vi.advanceTimersByTime(15_000)
    api.fleet.set(viewOf('west'))
    expect(brief([await following])).toEqual(['ADDED west'])
    expect(stream.comments).toEqual([': alive'])
    await stream.cancel()
  })
})

describe('inspecting an instance', () => {
  it('streams the events of its machine until the reader disconnects', async () => {
    const api = testApi()
    const stream = await open(api, 'admin', '/instances/north:inspect')
    expect(await stream.next()).toMatchObject({
      data: { instance: 'north', kind: 'transition', record: { to: 'ready' } },
    })
    await stream.cancel()
  })
})

describe('the change feed', () => {
  /** Lets everything that is ready to run, run. */
  const settle = () => new Promise(resolve => setImmediate(resolve))

  it('restarts a reader that lags behind the log, and stores nothing for it', async () => {
    const fleet = fakeFleet(viewOf('a'))
    const stop = new AbortController()
    const feed = new InstanceFeed()
    const following = feed.follow(fleet, stop.signal)
    const reader = feed.read('', stop.signal)
    const next = async () => {
      const { value } = await reader.next()
      return value && 'view' in value ? `${value.type} ${value.view.name}` : value?.type
    }
    expect([await next(), await next(), await next()]).toEqual(['RESET', 'ADDED a', 'BOOKMARK'])
    for (let index = 0; index < 5_000; index++) fleet.set(viewOf(`b${index % 2}`))
    await settle()
    expect([await next(), await next(), await next(), await next(), await next()]).toEqual([
      'RESET',
      'ADDED a',
      'ADDED b0',
      'ADDED b1',
      'BOOKMARK',
    ])
    stop.abort()
    await following
  })

  it('does not send the change after which a caller may no longer see an instance', async () => {
    const fleet = fakeFleet(viewOf('a'))
    const stop = new AbortController()
    const feed = new InstanceFeed()
    const following = feed.follow(fleet, stop.signal)
    let sees = true
    const call = { caller: { user: 'a' }, signal: stop.signal, maySee: async () => sees }
    const stream = watchInstances(feed, create(WatchInstancesRequestSchema), call as unknown as Call)
    const next = async () => (await stream.next()).value
    for (let step = 1; step <= 3; step++) await next()
    sees = false
    fleet.set(viewOf('a', 'degraded'))
    expect(await next()).toMatchObject({
      ...{ type: WatchInstancesResponse_Type.DELETED, total: 0 },
      instance: { status: { state: InstanceStatus_State.INSTANCE_STATE_RUNNING } },
    })
    stop.abort()
    await following
  })

  it('fails its readers when the fleet’s stream fails', async () => {
    const feed = new InstanceFeed()
    const broken = { ...fakeFleet(), watch: () => failing() }
    await expect(feed.follow(broken, new AbortController().signal)).rejects.toThrow('broken')
    await expect(feed.read('', new AbortController().signal).next()).rejects.toThrow('no longer be followed')
  })
})

// biome-ignore lint/correctness/useYield: it fails before it yields
async function* failing(): AsyncGenerator<never> {
  throw new Error('broken')
}
