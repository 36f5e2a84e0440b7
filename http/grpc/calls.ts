import { randomUUID } from 'node:crypto'
import type { Message } from '@bufbuild/protobuf'
import { toBinary } from '@bufbuild/protobuf'
import {
  Metadata,
  type ServerUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
  type UntypedHandleCall,
} from '@grpc/grpc-js'
import type { Log } from '../../ports/log.js'
import type { Meter } from '../../ports/meter.js'
import { StatusSchema } from '../../proto/gen/google/rpc/status_pb.js'
import { audit } from '../audit.js'
import { Code } from '../code.js'
import type { Arrival, Dispatcher } from '../dispatch.js'
import { statusOf, toFailure } from '../errors.js'
import type { Failure } from '../failure.js'
import type { Authenticator } from '../identity/authenticate.js'
import type { Caller } from '../identity/caller.js'
import type { Operation } from '../operation.js'

/** What a gRPC call passes before the dispatcher. */
export interface Door {
  readonly authenticator: Authenticator
  readonly dispatcher: Dispatcher
  readonly log: Log
  readonly meter: Meter
}

/** The part of grpc-js' call objects that all kinds share. */
type SurfaceCall = Pick<
  ServerUnaryCall<unknown, unknown>,
  'metadata' | 'getPeer' | 'getDeadline' | 'getAuthContext' | 'sendMetadata' | 'getPath'
> & { on(event: 'cancelled', listener: () => void): unknown; readonly cancelled: boolean }

/** grpc-js' handler for an operation: the same steps as REST's chain, the same dispatcher behind them. */
export function handlerOf(operation: Operation, door: Door): UntypedHandleCall {
  return operation.method.methodKind === 'unary'
    ? (call: ServerUnaryCall<Message, Message>, callback: sendUnaryData<Message>) =>
        void answerUnary(operation, door, call, callback)
    : (call: ServerWritableStream<Message, Message>) => void answerStream(operation, door, call)
}

async function answerUnary(
  operation: Operation,
  door: Door,
  call: ServerUnaryCall<Message, Message>,
  callback: sendUnaryData<Message>,
): Promise<void> {
  const requestId = requestIdOf(call)
  try {
    const arrival = await arrive(door, call, requestId)
    callback(null, await door.dispatcher.unary(operation, call.request, arrival))
  } catch (error) {
    callback(serviceError(toFailure(error), requestId))
  }
}

async function answerStream(
  operation: Operation,
  door: Door,
  call: ServerWritableStream<Message, Message>,
): Promise<void> {
  const requestId = requestIdOf(call)
  try {
    const arrival = await arrive(door, call, requestId)
    const messages = await door.dispatcher.stream(operation, call.request, arrival)
    for await (const message of messages) {
      if (!call.write(message)) await drained(call)
    }
    call.end()
  } catch (error) {
    call.emit('error', serviceError(toFailure(error), requestId))
  }
}

/** Resolves when the caller has read on, or is gone (the stream's own signal then ends it). */
const drained = (call: ServerWritableStream<Message, Message>): Promise<void> =>
  new Promise(resolve => {
    const done = () => {
      for (const event of ['drain', 'cancelled', 'close', 'error']) call.off(event, done)
      resolve()
    }
    for (const event of ['drain', 'cancelled', 'close', 'error']) call.on(event, done)
    if (call.cancelled) done()
  })

function requestIdOf(call: SurfaceCall): string {
  const given = textOf(call.metadata, 'x-request-id')
  const id = given && /^[\w.-]{1,64}$/.test(given) ? given : randomUUID()
  const answer = new Metadata()
  answer.set('x-request-id', id)
  call.sendMetadata(answer)
  return id
}

async function arrive(door: Door, call: SurfaceCall, requestId: string): Promise<Arrival> {
  const gone = new AbortController()
  call.on('cancelled', () => gone.abort())
  if (call.cancelled) gone.abort()
  const caller = await authenticate(door, call, requestId)
  const deadline = Number(call.getDeadline())
  return {
    wire: 'grpc',
    requestId,
    caller,
    remote: remoteOf(call),
    signal: gone.signal,
    timeoutMs: Number.isFinite(deadline) ? Math.max(0, deadline - Date.now()) : undefined,
  }
}

/** Finds out who calls, and leaves the same records as REST when nobody can be made out. */
export async function authenticate(
  { authenticator, log, meter }: Omit<Door, 'dispatcher'>,
  call: SurfaceCall,
  requestId: string,
): Promise<Caller> {
  try {
    return await authenticator.authenticate({
      authorization: textOf(call.metadata, 'authorization'),
      // grpc-js names a peer certificate only where TLS verified it.
      certificate: call.getAuthContext().sslPeerCertificate?.subject,
    })
  } catch (error) {
    const failure = toFailure(error)
    if (failure.code === Code.UNAUTHENTICATED) {
      meter.count('kairship_api_unauthenticated_total', { wire: 'grpc' })
      const remote = remoteOf(call)
      audit(log, {
        requestId,
        wire: 'grpc',
        operation: call.getPath(),
        ...(remote ? { remote } : {}),
        code: failure.code,
        durationMs: 0,
      })
    }
    throw failure
  }
}

const textOf = (metadata: Metadata, key: string): string | undefined => {
  const [value] = metadata.get(key)
  return typeof value === 'string' ? value : undefined
}

/** grpc-js says `host:port`, or `unknown`. */
const remoteOf = (call: SurfaceCall): string | undefined => /^\[?(.+?)\]?:\d+$/.exec(call.getPeer())?.[1]

/** The error door of gRPC: code, message and the google.rpc.Status whole in `grpc-status-details-bin`. */
export function serviceError(failure: Failure, requestId: string) {
  const metadata = new Metadata()
  const status = toBinary(StatusSchema, statusOf(failure, requestId))
  metadata.set('grpc-status-details-bin', Buffer.from(status))
  return Object.assign(new Error(failure.message), {
    code: failure.code,
    details: failure.message,
    metadata,
  })
}
