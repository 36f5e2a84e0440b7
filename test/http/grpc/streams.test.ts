import { once } from 'node:events'
import { connect } from 'node:http2'
import { Server, ServerCredentials } from '@grpc/grpc-js'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { authentication } from '../../../http/grpc/authentication.js'
import { HealthService } from '../../../http/grpc/health.js'
import { OpenStreams, type StreamLimits } from '../../../http/grpc/stream-limits.js'
import { Health, HealthCheckResponse_ServingStatus as Status } from '../../../proto/gen/grpc/health/v1_pb.js'
import { waitFor } from '../../patience.js'
import { unmetered } from '../../silent.js'
import { listeningApi } from '../fakes/listening.js'
import { endingOf, frame, RawGrpc } from '../fakes/raw-grpc.js'

const cleanUps: (() => Promise<unknown> | unknown)[] = []
afterEach(async () => {
  vi.useRealTimers()
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

async function connected() {
  const api = await listeningApi()
  const client = new RawGrpc(api.running)
  cleanUps.push(
    () => api.running.close(),
    () => client.close(),
  )
  return { ...api, client }
}

const watchOf = (client: RawGrpc, service = '') => {
  const stream = client.begin('/grpc.health.v1.Health/Watch')
  const name = Buffer.from(service)
  stream.end(frame(Buffer.concat([Buffer.from([10, name.length]), name])))
  return stream
}

describe('health watches of anonymous clients', () => {
  it('are refused beyond 100 per address, while checks still succeed', async () => {
    const { client } = await connected()
    const watches = Array.from({ length: 100 }, (_, index) => watchOf(client, `made-up-${index}`))
    await Promise.all(watches.map(watch => new Promise(resolve => watch.once('data', resolve))))
    expect(await endingOf(watchOf(client))).toMatchObject({
      code: 8,
      message: expect.stringContaining('127.0.0.1 already has 100 open health watches'),
    })
    expect((await client.call('/grpc.health.v1.Health/Check', Buffer.alloc(0))).code).toBe(0)
    watches[0]!.close()
    await waitFor(async () => {
      const again = watchOf(client)
      await new Promise(resolve => again.once('data', resolve).once('close', resolve))
      expect(again.closed).toBe(false)
    })
  })
})

describe('reflection streams', () => {
  it('are refused beyond 10 per caller', async () => {
    const { client } = await connected()
    const path = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo'
    const listServices = frame(Buffer.from([58, 1, 42]))
    const open = (token: string) => {
      const stream = client.begin(path, { authorization: `Bearer ${token}` })
      stream.write(listServices)
      return stream
    }
    const streams = Array.from({ length: 10 }, () => open('viewer'))
    await Promise.all(streams.map(stream => once(stream, 'data')))
    expect(await endingOf(open('viewer'))).toMatchObject({
      code: 8,
      message: expect.stringContaining('viewer already has 10 open reflection streams'),
    })
    await once(open('admin'), 'data')
  })
})

describe('the limit of open streams', () => {
  it('counts by owner and in total, and releases each slot once', () => {
    const streams = new OpenStreams('streams', { each: 1, all: 2, lifeMs: 1_000 })
    const none = () => undefined
    const release = streams.open('a', none)
    expect(() => streams.open('a', none)).toThrow('a already has 1 streams')
    streams.open('b', none)
    expect(() => streams.open('c', none)).toThrow('this server already has 2 streams')
    release()
    release()
    streams.open('c', none)
    expect(() => streams.open('d', none)).toThrow('this server already has 2 streams')
  })

  it('ends a stream after its maximum life, unless it ended before', () => {
    vi.useFakeTimers()
    const streams = new OpenStreams('streams', { each: 5, all: 5, lifeMs: 1_000 })
    const expired: string[] = []
    streams.open('a', () => expired.push('kept'))
    streams.open('a', () => expired.push('ended'))()
    vi.advanceTimersByTime(999)
    expect(expired).toEqual([])
    vi.advanceTimersByTime(1)
    expect(expired).toEqual(['kept'])
  })
})

/** A health service on a server of its own, and a watch of one of its services. */
async function watched(limits: StreamLimits, service: string) {
  const { api, log } = await connected()
  const anonymous = new Set([Health.typeName])
  const unhandled = { watch: () => () => undefined }
  const server = new Server({
    interceptors: [
      authentication({ ...api, audit: log.audit, meter: unmetered, anonymous, unhandled, requestMs: 60_000 }),
    ],
  })
  const state = { ready: true }
  const health = new HealthService({
    checked: ['', 'x.Y'],
    always: [Health.typeName],
    ready: async () => state.ready,
    limits,
    everyMs: 5,
  })
  health.addTo(server)
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  )
  const session = connect(`http://127.0.0.1:${port}`)
  cleanUps.push(
    () => server.forceShutdown(),
    () => session.destroy(),
  )
  const stream = session.request({
    ':method': 'POST',
    ':path': '/grpc.health.v1.Health/Watch',
    'content-type': 'application/grpc',
    te: 'trailers',
  })
  const statuses: string[] = []
  stream.on('data', (bytes: Buffer) => statuses.push(Status[bytes.at(-1) ?? 0] ?? ''))
  stream.end(frame(Buffer.from([10, service.length, ...Buffer.from(service)])))
  return { health, state, stream, statuses }
}
const ample: StreamLimits = { each: 5, all: 5, lifeMs: 3_600_000 }

describe('the health service', () => {
  it('sends each status change of a watched service, and the end of serving', async () => {
    const { health, state, statuses } = await watched(ample, 'x.Y')
    await waitFor(() => expect(statuses).toEqual(['SERVING']))
    state.ready = false
    await waitFor(() => expect(statuses).toEqual(['SERVING', 'NOT_SERVING']))
    state.ready = true
    await waitFor(() => expect(statuses).toEqual(['SERVING', 'NOT_SERVING', 'SERVING']))
    health.stop()
    await waitFor(() => expect(statuses.at(-1)).toBe('NOT_SERVING'))
  })

  it('reports itself as serving independently of the others, and has no other service', async () => {
    const own = await watched(ample, Health.typeName)
    own.state.ready = false
    await waitFor(() => expect(own.statuses).toEqual(['SERVING']))
    const other = await watched(ample, 'made.Up')
    await waitFor(() => expect(other.statuses).toEqual(['SERVICE_UNKNOWN']))
  })

  it('ends a watch after its maximum life', async () => {
    const { stream } = await watched({ ...ample, lifeMs: 50 }, '')
    expect(await endingOf(stream)).toMatchObject({
      code: 14,
      message: expect.stringContaining('watch again'),
    })
  })

  it('reports the server as serving only while it is ready', async () => {
    const { client, host } = await connected()
    const check = async () => {
      const stream = client.begin('/grpc.health.v1.Health/Check')
      stream.end(frame(Buffer.alloc(0)))
      const [bytes] = (await once(stream, 'data')) as [Buffer]
      return Status[bytes.length > 5 ? (bytes.at(-1) ?? 0) : 0]
    }
    host.script = ({ path }) => (path === '/readyz' ? 'ok' : undefined)
    expect(await check()).toBe('SERVING')
    const other = await connected()
    const stream = other.client.begin('/grpc.health.v1.Health/Check')
    stream.end(frame(Buffer.alloc(0)))
    const [bytes] = (await once(stream, 'data')) as [Buffer]
    expect(Status[bytes.at(-1) ?? 0]).toBe('NOT_SERVING')
  })
})
