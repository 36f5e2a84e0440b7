import { fromBinary, type Message } from '@bufbuild/protobuf'
import {
  Metadata,
  type ServerUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
  type UntypedHandleCall,
} from '@grpc/grpc-js'
import { sourceHeaders } from '../call/answered-from.js'
import type { Dispatcher } from '../dispatch/dispatcher.js'
import type { Arrival } from '../dispatch/running-call.js'
import { invalidArgument, unauthenticated } from '../errors/failure.js'
import { toFailure } from '../errors/to-failure.js'
import { MOST_VALUES } from '../limits/request-size.js'
import type { Operation } from '../operation/operation.js'
import { arrivedWith } from './authentication.js'
import { hasMoreFields } from './many-fields.js'
import { serviceError } from './service-error.js'

/** The part of grpc-js' call objects that all kinds share. */
type SurfaceCall = Pick<ServerUnaryCall<Buffer, Message>, 'metadata' | 'getDeadline' | 'request'> & {
  on(event: 'cancelled', listener: () => void): unknown
  readonly cancelled: boolean
}

/** grpc-js' handler for an operation. Its requests are bytes: the dispatcher reads them, and records it when it cannot. */
export function handlerOf(operation: Operation, dispatcher: Dispatcher): UntypedHandleCall {
  return operation.method.methodKind === 'unary'
    ? (call: ServerUnaryCall<Buffer, Message>, callback: sendUnaryData<Message>) =>
        void answerUnary(operation, dispatcher, call, callback)
    : (call: ServerWritableStream<Buffer, Message>) => void answerStream(operation, dispatcher, call)
}

async function answerUnary(
  operation: Operation,
  dispatcher: Dispatcher,
  call: ServerUnaryCall<Buffer, Message>,
  callback: sendUnaryData<Message>,
): Promise<void> {
  const { requestId } = arrivedWith(call.metadata)
  const trailer = new Metadata()
  try {
    const arrival = arrivalOf(call, trailer)
    callback(null, await dispatcher.unary(operation, () => requestOf(operation, call), arrival), trailer)
  } catch (error) {
    callback(serviceError(toFailure(error), requestId))
  }
}

async function answerStream(
  operation: Operation,
  dispatcher: Dispatcher,
  call: ServerWritableStream<Buffer, Message>,
): Promise<void> {
  const { requestId } = arrivedWith(call.metadata)
  const trailer = new Metadata()
  try {
    const arrival = arrivalOf(call, trailer)
    const messages = await dispatcher.stream(operation, () => requestOf(operation, call), arrival)
    for await (const message of messages) {
      if (!call.write(message)) await drained(call)
    }
    call.end(trailer)
  } catch (error) {
    call.emit('error', serviceError(toFailure(error), requestId))
  }
}

/** @throws Failure INVALID_ARGUMENT when the bytes are not such a message, or have too many fields */
function requestOf({ method }: Operation, { request }: SurfaceCall): Message {
  let isTooMuch = false
  try {
    isTooMuch = hasMoreFields(method.input, request, MOST_VALUES)
    if (!isTooMuch) return fromBinary(method.input, request)
  } catch (error) {
    throw invalidArgument(`the message is not a valid ${method.input.typeName}`, { cause: error })
  }
  throw invalidArgument(`the message has more than ${MOST_VALUES} fields`)
}

/** Resolves when the caller has read on or is gone; in the latter case the stream's own signal ends it. */
const drained = (call: ServerWritableStream<Buffer, Message>): Promise<void> =>
  new Promise(resolve => {
    const done = () => {
      for (const event of ['drain', 'cancelled', 'close', 'error']) call.off(event, done)
      resolve()
    }
    for (const event of ['drain', 'cancelled', 'close', 'error']) call.on(event, done)
    if (call.cancelled) done()
  })

/**
 * From here on the dispatcher records the call.
 * @param trailer gets what the answer's headers say over REST: grpc-js has sent the head by now
 */
function arrivalOf(call: SurfaceCall, trailer: Metadata): Arrival {
  const arrived = arrivedWith(call.metadata)
  arrived.handled = true
  const { requestId, caller, remote, uri, userAgent } = arrived
  if (!caller) throw unauthenticated('no credentials')
  const gone = new AbortController()
  call.on('cancelled', () => gone.abort())
  if (call.cancelled) gone.abort()
  const deadline = Number(call.getDeadline())
  return {
    wire: 'grpc',
    requestId,
    caller,
    remote,
    uri,
    userAgent,
    signal: gone.signal,
    answered: from => {
      for (const [name, value] of sourceHeaders(from)) trailer.set(name.toLowerCase(), value)
    },
    timeoutMs: Number.isFinite(deadline) ? Math.max(0, deadline - Date.now()) : undefined,
    // grpc-js says so when all was sent, too.
    delivery: {
      whenOver: then => void (call.cancelled ? then() : call.on('cancelled', then)),
      cut: () => arrived.cut(),
    },
  }
}
