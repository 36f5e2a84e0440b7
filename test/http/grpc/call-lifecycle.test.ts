import { Metadata, type ServerInterceptingCall } from '@grpc/grpc-js'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { authentication } from '../../../http/grpc/authentication.js'
import type { Caller } from '../../../http/identity/caller.js'
import { unaudited, unmetered } from '../../silent.js'
import { deferred } from '../fakes/deferred.js'

const REQUEST_MS = 600_000
const ada: Caller = { user: 'ada', groups: [], extra: {} }

/** What grpc-js tells an interceptor of a call. */
interface Listener {
  onReceiveMetadata(metadata: Metadata): void
  onReceiveHalfClose(): void
  onCancel(): void
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Calls of one server as grpc-js hands them to its interceptor; nothing but headers is sent unless a test says so. */
function serving({ caller = async () => ada }: { caller?: () => Promise<Caller> } = {}) {
  const ended: string[] = []
  const intercept = authentication({
    authenticator: { authenticate: caller },
    audit: unaudited,
    meter: unmetered,
    anonymous: new Set(['grpc.health.v1.Health']),
    requestMs: REQUEST_MS,
    unhandled: { watch: path => () => void ended.push(path) },
  })
  /** A call whose headers have come. */
  async function call({ path = '/a.Service/Get', requestStream = false } = {}) {
    const statuses: number[] = []
    let listener: Listener | undefined
    let passed = 0
    const next = {
      start: (own: Listener) => {
        listener = own
      },
      sendMetadata: () => undefined,
      sendStatus: ({ code }: { code: number }) => void statuses.push(code),
      getConnectionInfo: () => ({ remoteAddress: '10.0.0.1', remotePort: 1 }),
      getAuthContext: () => ({}),
      maxReceiveMessageSize: 4_000_000,
      decoder: { maxReadMessageLength: 4_000_000, readPartialMessage: [Buffer.alloc(9)] },
    }
    const intercepting = intercept(
      { path, requestStream } as never,
      next as unknown as ServerInterceptingCall,
    ) as ServerInterceptingCall
    intercepting.start({
      onReceiveMetadata: () => {
        passed += 1
      },
      onReceiveMessage: () => undefined,
      onReceiveHalfClose: () => undefined,
      onCancel: () => undefined,
    } as never)
    listener?.onReceiveMetadata(new Metadata())
    await vi.advanceTimersByTimeAsync(0)
    return { next, statuses, listener: listener as Listener, passed: () => passed }
  }
  return { call, ended }
}

/** Longer than a request may take. */
const forLong = () => vi.advanceTimersByTimeAsync(2 * REQUEST_MS)

describe('a gRPC call whose request has arrived whole', () => {
  it('has no time limit, and leaves no timer', async () => {
    const { call } = serving()
    const { listener, statuses } = await call()
    listener.onReceiveHalfClose()
    expect(vi.getTimerCount()).toBe(0)
    await forLong()
    expect(statuses).toEqual([])
  })

  it('takes no slot of its caller, for any number of calls', async () => {
    const { call } = serving()
    const calls = await Promise.all(Array.from({ length: 30 }, () => call()))
    for (const { listener } of calls) listener.onReceiveHalfClose()
    await vi.advanceTimersByTimeAsync(2_000)
    expect(calls.flatMap(({ statuses }) => statuses)).toEqual([])
  })
})

describe('a gRPC call whose request does not end', () => {
  it('is refused after the longest time, and the received part of its message is freed', async () => {
    const { call } = serving()
    const { next, statuses } = await call()
    await vi.advanceTimersByTimeAsync(REQUEST_MS - 1)
    expect(next.decoder.readPartialMessage).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(1)
    expect([statuses, next.decoder.readPartialMessage]).toEqual([[4], []])
  })

  it('is not refused if the method takes a stream of requests', async () => {
    const { call } = serving()
    const { statuses } = await call({ requestStream: true })
    await forLong()
    expect(statuses).toEqual([])
  })
})

describe('a gRPC call that is cancelled', () => {
  it('releases its slot', async () => {
    const { call } = serving()
    const slow = await Promise.all(Array.from({ length: 16 }, () => call()))
    await vi.advanceTimersByTimeAsync(2_000)
    for (const { listener } of slow) listener.onCancel()
    expect(vi.getTimerCount()).toBe(0)
    const { statuses } = await call()
    await vi.advanceTimersByTimeAsync(2_000)
    expect(statuses).toEqual([])
  })

  it('is reported as ended, once', async () => {
    const { call, ended } = serving()
    const { listener } = await call()
    expect(ended).toEqual([])
    listener.onCancel()
    expect(ended).toEqual(['/a.Service/Get'])
  })

  it('during authentication is reported as ended, and takes no slot', async () => {
    const caller = deferred<Caller>()
    const { call, ended } = serving({ caller: () => caller.promise })
    const { listener } = await call()
    listener.onCancel()
    caller.resolve(ada)
    await vi.advanceTimersByTimeAsync(0)
    expect([ended, vi.getTimerCount()]).toEqual([['/a.Service/Get'], 0])
  })
})

it.each([
  ['anyone', '/grpc.health.v1.Health/Check', 4_096],
  ['an accepted caller', '/a.Service/Get', 4_000_000],
])('a message of %s is refused above its limit of bytes, also decompressed', async (_, path, bytes) => {
  const { next, passed } = await serving().call({ path })
  expect([passed(), next.maxReceiveMessageSize, next.decoder.maxReadMessageLength]).toEqual([1, bytes, bytes])
})
