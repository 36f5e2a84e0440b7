import { type ClientHttp2Session, connect } from 'node:http2'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { UnfinishedRequests } from '../../../http/grpc/unfinished-requests.js'
import { waitFor } from '../../patience.js'
import { listeningApi } from '../fakes/listening.js'
import { endingOf, frame } from '../fakes/raw-grpc.js'

const half = frame(Buffer.alloc(3_000_000, 'a')).subarray(0, 2_900_000)
const health = '/grpc.health.v1.Health/Check'
const instances = '/kairship.io.api.instance.v1alpha1.InstanceService/ListInstances'

describe('an unfinished gRPC request', () => {
  let api: Awaited<ReturnType<typeof listeningApi>>
  let session: ClientHttp2Session
  beforeAll(async () => {
    api = await listeningApi()
    const { grpcAddress, certificateAuthority } = api.running
    // As harsh as a client that does not limit itself: Node's own sends 10 MB at most.
    const unlimited = { maxSessionMemory: 1_000, ca: certificateAuthority, servername: 'localhost' }
    session = connect(`https://${grpcAddress}`, unlimited)
    session.on('error', () => undefined)
  })
  afterAll(async () => {
    session.destroy()
    await api.running.close()
  })

  function begin(path: string, headers: Record<string, string> = {}) {
    const head = { ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' }
    const stream = session.request({ ...head, ...headers })
    for (let at = 0; at < half.length; at += 16_384) stream.write(half.subarray(at, at + 16_384))
    return endingOf(stream)
  }

  it('of an anonymous caller is refused when it announces a long message, before the message arrives', async () => {
    const endings = await Promise.all(Array.from({ length: 20 }, () => begin(health)))
    expect(new Set(endings.map(({ code }) => code))).toEqual(new Set([8]))
  })

  it('of an anonymous caller may be as long as a name', async () => {
    const stream = session.request({ ':method': 'POST', ':path': health, 'content-type': 'application/grpc' })
    stream.end(frame(Buffer.alloc(0)))
    expect((await endingOf(stream)).code).toBe(0)
  })

  it('of an authenticated caller is refused beyond 16 slow ones', async () => {
    const endings = Array.from({ length: 20 }, () => begin(instances, { authorization: 'Bearer admin' }))
    const refused: number[] = []
    for (const ending of endings) void ending.then(({ code }) => refused.push(code))
    await waitFor(() => expect(refused).toEqual([8, 8, 8, 8]))
  })
})

describe('the slots of slow requests', () => {
  afterEach(() => void vi.useRealTimers())

  function watching(longestMs = 600_000) {
    vi.useFakeTimers()
    const requests = new UnfinishedRequests(longestMs)
    const failures: (number | string)[] = []
    const watch = (holder: string) => requests.watch(holder, ({ code }) => failures.push(code))
    return { watch, failures }
  }

  it('are not used by requests that are soon complete, however many there are', () => {
    const { watch, failures } = watching()
    const stops = Array.from({ length: 1_000 }, () => watch('ada'))
    vi.advanceTimersByTime(1_999)
    for (const stop of stops) stop()
    vi.advanceTimersByTime(600_000)
    expect([failures, vi.getTimerCount()]).toEqual([[], 0])
  })

  it('are counted by caller and released', () => {
    const { watch, failures } = watching()
    const stops = Array.from({ length: 17 }, () => watch('ada'))
    watch('bob')
    vi.advanceTimersByTime(2_000)
    expect(failures).toEqual([8])
    for (const stop of stops) stop()
    for (let count = 0; count < 16; count++) watch('ada')
    vi.advanceTimersByTime(2_000)
    expect(failures).toEqual([8])
  })

  it('are held at most for the longest request time', () => {
    const { watch, failures } = watching()
    for (let count = 0; count < 16; count++) watch('ada')
    vi.advanceTimersByTime(599_999)
    expect(failures).toEqual([])
    vi.advanceTimersByTime(1)
    expect(new Set(failures)).toEqual(new Set([4]))
    watch('ada')
    vi.advanceTimersByTime(2_000)
    expect(failures).toHaveLength(16)
  })
})
