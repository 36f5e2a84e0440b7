import { EventEmitter } from 'node:events'
import { create, type Message, toBinary } from '@bufbuild/protobuf'
import { Metadata, type ServerInterceptingCall, status } from '@grpc/grpc-js'
import { describe, expect, it } from 'vitest'
import type { Dispatcher } from '../../../http/dispatch/dispatcher.js'
import type { Arrival, ReadRequest } from '../../../http/dispatch/running-call.js'
import { permissionDenied } from '../../../http/errors/failure.js'
import { authentication } from '../../../http/grpc/authentication.js'
import { handlerOf } from '../../../http/grpc/calls.js'
import type { Operation } from '../../../http/operation/operation.js'
import {
  GetInstanceRequestSchema,
  InstanceSchema,
  InstanceService,
} from '../../../proto/gen/kairship/instance_pb.js'
import { unaudited, unmetered } from '../../silent.js'

const ada = { user: 'ada', groups: [], extra: {} }
const turn = () => new Promise(setImmediate)
const unary = { method: InstanceService.method.getInstance } as unknown as Operation
const streaming = { method: InstanceService.method.watchInstances } as unknown as Operation

/** Metadata as the interceptor hands it on. */
async function metadataOf(authenticated = true): Promise<Metadata> {
  const metadata = new Metadata()
  const intercept = authentication({
    authenticator: { authenticate: async () => ada },
    audit: unaudited,
    meter: unmetered,
    anonymous: new Set(authenticated ? [] : ['a.Service']),
    requestMs: 60_000,
    unhandled: { watch: () => () => undefined },
  })
  let listener: { onReceiveMetadata(metadata: Metadata): void; onCancel(): void } | undefined
  const passed = new Promise<void>(resolve => {
    const intercepting = intercept(
      { path: '/a.Service/Get', requestStream: false } as never,
      {
        start: (own: typeof listener) => {
          listener = own
        },
        sendMetadata: () => undefined,
        sendStatus: () => undefined,
        getConnectionInfo: () => ({ remoteAddress: '10.0.0.1', remotePort: 1 }),
        getAuthContext: () => ({}),
        maxReceiveMessageSize: 4_000_000,
        decoder: { maxReadMessageLength: 4_000_000, readPartialMessage: [] },
      } as unknown as ServerInterceptingCall,
    ) as ServerInterceptingCall
    const ignore = () => undefined
    intercepting.start({
      onReceiveMetadata: () => resolve(),
      ...{ onReceiveMessage: ignore, onReceiveHalfClose: ignore, onCancel: ignore },
    } as never)
  })
  listener?.onReceiveMetadata(metadata)
  await passed
  // No timer is left behind.
  listener?.onCancel()
  return metadata
}

/** A call as grpc-js hands it to a handler. `isFull` is whether its buffer takes no more. */
class FakeCall extends EventEmitter {
  cancelled = false
  isFull = false
  deadline: number | Date = Number.POSITIVE_INFINITY
  readonly written: unknown[] = []
  trailer: Metadata | undefined
  constructor(
    readonly metadata: Metadata,
    readonly request = Buffer.from(
      toBinary(GetInstanceRequestSchema, create(GetInstanceRequestSchema, { name: 'north' })),
    ),
  ) {
    super()
  }
  getDeadline() {
    return this.deadline
  }
  write(message: unknown): boolean {
    this.written.push(message)
    return !this.isFull
  }
  end(trailer: Metadata) {
    this.trailer = trailer
  }
}

/** A stream of some messages. @param made gets the number of each message that is made */
const messages = (count: number, made: number[] = []) =>
  async function* () {
    for (let n = 1; n <= count; n += 1) {
      made.push(n)
      yield create(InstanceSchema)
    }
  }

/** A dispatcher that remembers the arrival of a call, and reads its request. */
function dispatcher(parts: {
  readonly unary?: (request: Message, arrival: Arrival) => Promise<Message>
  readonly stream?: (arrival: Arrival) => AsyncIterable<Message>
}) {
  const arrivals: Arrival[] = []
  const fake = {
    unary: async (_: Operation, read: ReadRequest, arrival: Arrival) => {
      arrivals.push(arrival)
      return (parts.unary ?? (async () => create(InstanceSchema)))(await read(), arrival)
    },
    stream: async (_: Operation, _read: ReadRequest, arrival: Arrival) => {
      arrivals.push(arrival)
      return (parts.stream ?? messages(0))(arrival)
    },
  } as unknown as Dispatcher
  return { fake, arrivals }
}

/** Calls a unary handler, and resolves with what it calls back. */
function answered(call: FakeCall, fake: Dispatcher) {
  return new Promise<{
    error: { code?: number; message?: string } | null
    message: unknown
    trailer?: Metadata
  }>(resolve => {
    const handler = handlerOf(unary, fake) as unknown as (call: FakeCall, callback: unknown) => void
    handler(call, (error: never, message: unknown, trailer?: Metadata) =>
      resolve({ error, message, ...(trailer && { trailer }) }),
    )
  })
}
const stream = (call: FakeCall, fake: Dispatcher) =>
  (handlerOf(streaming, fake) as unknown as (call: FakeCall) => void)(call)

describe('a unary gRPC call', () => {
  it('has its message decoded, and its source in the trailer in lower case', async () => {
    const { fake, arrivals } = dispatcher({
      unary: async (request, { answered }) => {
        answered?.({ source: 'index', reason: 'Fresh' })
        return request
      },
    })
    const { error, message, trailer } = await answered(new FakeCall(await metadataOf()), fake)
    expect([error, (message as { name: string }).name]).toEqual([null, 'north'])
    expect(trailer?.getMap()).toMatchObject({ 'kairship-source': 'index', 'kairship-source-reason': 'Fresh' })
    expect(arrivals).toMatchObject([{ wire: 'grpc', caller: ada, remote: '10.0.0.1' }])
    expect(arrivals[0]?.timeoutMs).toBeUndefined()
  })

  it.each([
    ['in the future', 5_000, 5_000],
    ['in the past', -5_000, 0],
  ])('with a deadline %s has the rest of it as its time', async (_, inMs, atMost) => {
    const { fake, arrivals } = dispatcher({})
    const call = new FakeCall(await metadataOf())
    call.deadline = new Date(Date.now() + inMs)
    await answered(call, fake)
    const { timeoutMs = Number.NaN } = arrivals[0] ?? {}
    expect(timeoutMs).toBeLessThanOrEqual(atMost)
    expect(timeoutMs).toBeGreaterThanOrEqual(Math.max(0, atMost - 4_000))
  })

  it('that was cancelled before its handler ran arrives with an aborted signal', async () => {
    const { fake, arrivals } = dispatcher({})
    const call = new FakeCall(await metadataOf())
    call.cancelled = true
    await answered(call, fake)
    expect(arrivals[0]?.signal?.aborted).toBe(true)
  })

  it('that is cancelled later aborts its signal', async () => {
    const { fake, arrivals } = dispatcher({ unary: () => new Promise(() => undefined) })
    const call = new FakeCall(await metadataOf())
    void answered(call, fake)
    await turn()
    expect(arrivals[0]?.signal?.aborted).toBe(false)
    call.emit('cancelled')
    expect(arrivals[0]?.signal?.aborted).toBe(true)
  })

  it.each([
    ['malformed', Buffer.from([0xff, 0xff]), 'the message is not a valid'],
    ['with too many fields', Buffer.alloc(100_002, Buffer.from([0x50, 0x00])), 'more than 50000 fields'],
  ])('with a message %s is INVALID_ARGUMENT', async (_, bytes, words) => {
    const { error } = await answered(new FakeCall(await metadataOf(), bytes), dispatcher({}).fake)
    expect(error?.code).toBe(status.INVALID_ARGUMENT)
    expect(error?.message).toContain(words)
  })

  it('without a caller is UNAUTHENTICATED, and does not reach the dispatcher', async () => {
    const { fake, arrivals } = dispatcher({})
    const { error } = await answered(new FakeCall(await metadataOf(false)), fake)
    expect([error?.code, arrivals]).toEqual([status.UNAUTHENTICATED, []])
  })

  it('that is refused has the code and the message of the refusal', async () => {
    const { fake } = dispatcher({ unary: () => Promise.reject(permissionDenied('not you')) })
    const { error } = await answered(new FakeCall(await metadataOf()), fake)
    expect(error).toMatchObject({ code: status.PERMISSION_DENIED, message: 'not you' })
  })
})

describe('a streaming gRPC call', () => {
  it('sends every message, and ends with its trailer', async () => {
    const { fake } = dispatcher({
      stream: arrival => {
        arrival.answered?.({ source: 'karmada', reason: 'Watch' })
        return messages(3)()
      },
    })
    const call = new FakeCall(await metadataOf())
    stream(call, fake)
    await expect.poll(() => call.trailer).toBeDefined()
    expect(call.written).toHaveLength(3)
    expect(call.trailer?.getMap()).toMatchObject({ 'kairship-source': 'karmada' })
  })

  it('makes one message for a reader that does not read, and goes on when it does', async () => {
    const made: number[] = []
    const { fake } = dispatcher({ stream: messages(3, made) })
    const call = new FakeCall(await metadataOf())
    call.isFull = true
    stream(call, fake)
    await expect.poll(() => call.written).toHaveLength(1)
    for (let n = 0; n < 20; n += 1) await turn()
    expect(made).toEqual([1])
    call.emit('drain')
    await expect.poll(() => call.written).toHaveLength(2)
    call.isFull = false
    call.emit('drain')
    await expect.poll(() => call.trailer).toBeDefined()
    expect(made).toEqual([1, 2, 3])
  })

  it.each(['cancelled', 'close', 'error'])('does not wait for a reader whose call emits %s', async event => {
    const made: number[] = []
    const { fake } = dispatcher({ stream: messages(2, made) })
    const call = new FakeCall(await metadataOf())
    call.isFull = true
    call.on('error', () => undefined)
    stream(call, fake)
    await expect.poll(() => call.written).toHaveLength(1)
    call.isFull = false
    call.emit(event)
    await expect.poll(() => made).toEqual([1, 2])
  })

  it('does not wait for a reader whose call was cancelled before', async () => {
    const made: number[] = []
    const { fake } = dispatcher({ stream: messages(2, made) })
    const call = new FakeCall(await metadataOf())
    call.isFull = true
    call.cancelled = true
    stream(call, fake)
    await expect.poll(() => made).toEqual([1, 2])
  })

  it('leaves no listener of a wait that is over', async () => {
    const { fake } = dispatcher({ stream: messages(2) })
    const call = new FakeCall(await metadataOf())
    call.isFull = true
    stream(call, fake)
    await expect.poll(() => call.written).toHaveLength(1)
    const waiting = call.listenerCount('close')
    call.isFull = false
    call.emit('drain')
    await expect.poll(() => call.trailer).toBeDefined()
    expect([waiting, call.listenerCount('close'), call.listenerCount('drain')]).toEqual([1, 0, 0])
  })

  it('that breaks emits the error, and does not end as a whole answer', async () => {
    const { fake } = dispatcher({
      stream: async function* () {
        yield create(InstanceSchema)
        throw permissionDenied('not any more')
      },
    })
    const call = new FakeCall(await metadataOf())
    const failed = new Promise(resolve => call.once('error', resolve))
    stream(call, fake)
    expect(await failed).toMatchObject({ code: status.PERMISSION_DENIED, message: 'not any more' })
    expect(call.trailer).toBeUndefined()
  })
})
