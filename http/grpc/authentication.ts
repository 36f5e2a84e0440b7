import {
  Metadata,
  type ServerInterceptingCall as NextCall,
  ServerInterceptingCall,
  type ServerInterceptor,
} from '@grpc/grpc-js'
import type { Meter } from '../../ports/meter.js'
import { Code } from '../../transcoding/code.js'
import type { Audit } from '../audit/audit.js'
import { requestIdOf } from '../call/request-id.js'
import { type Failure, internal } from '../errors/failure.js'
import { toFailure } from '../errors/to-failure.js'
import { asksToImpersonate, refuseToImpersonate } from '../identity/acting-as.js'
import type { Authenticator } from '../identity/authenticate.js'
import type { Caller } from '../identity/caller.js'
import { subjectOf } from '../identity/certificate.js'
import { serviceError } from './service-error.js'
import { boundMessages, cutStream, dropMessage, UnfinishedRequests } from './unfinished-requests.js'

/** Bytes of a message that anyone may send. A health check names a service, and nothing else. */
const LARGEST_ANONYMOUS_MESSAGE = 4_096

/** What is known of a call before a byte of its messages is read. */
export interface Arrived {
  readonly requestId: string
  /** Absent for the services that anyone may call. */
  readonly caller?: Caller
  /** The path of its method. */
  readonly uri: string
  readonly userAgent?: string
  /** Address of the connection. */
  readonly remote?: string
  /** The record of the call has it. */
  handled?: boolean
  /** Ends the call, also while its answer is being sent. */
  cut(): void
}

/** The part of a call by which its status is sent. */
export type StatusSender = Pick<NextCall, 'sendStatus'>

/** Records calls that end before they are handled. */
export interface Unhandled {
  /** Watches a call whose caller is known, or may be anyone. Returns what is to be called when it is over. */
  watch(path: string, call: StatusSender, arrived: Arrived): () => void
}

/** What the interceptor needs. */
export interface AuthenticationOptions {
  readonly authenticator: Authenticator
  readonly audit: Audit
  readonly meter: Meter
  /** Full names of the services that anyone may call. */
  readonly anonymous: ReadonlySet<string>
  /** Milliseconds that the request of a call may take to arrive whole; streams of requests are not limited. */
  readonly requestMs: number
  readonly unhandled: Unhandled
}

/** By the metadata of its call, which grpc-js hands to the handler as the interceptor passed it on. */
const arrivals = new WeakMap<Metadata, Arrived>()

/** @throws Failure INTERNAL for a call that did not pass the interceptor */
export function arrivedWith(metadata: Metadata): Arrived {
  const arrived = arrivals.get(metadata)
  if (!arrived) throw internal('the call was not authenticated')
  return arrived
}

/**
 * Authenticates every call on its headers. grpc-js reads no message before the interceptor lets the call pass, so an
 * anonymous caller can make this process neither buffer nor decompress nor decode more than a name.
 */
export function authentication(options: AuthenticationOptions): ServerInterceptor {
  const unfinished = new UnfinishedRequests(options.requestMs)
  return ({ path, requestStream }, call) => {
    let arrivedWhole: () => void = () => undefined
    let ended: () => void = () => undefined
    let isOver = false
    return new ServerInterceptingCall(call, {
      start: next =>
        next({
          onReceiveMetadata: (metadata, proceed) => {
            const id = requestIdOf(textOf(metadata, 'x-request-id'))
            const head = new Metadata()
            head.set('x-request-id', id)
            call.sendMetadata(head)
            const letPass = (arrived: Arrived) => {
              const { caller, remote = 'unknown' } = arrived
              arrivals.set(metadata, arrived)
              ended = options.unhandled.watch(path, call, arrived)
              if (isOver) ended()
              if (!caller) boundMessages(call, LARGEST_ANONYMOUS_MESSAGE)
              // Nothing else would stop the watch of a call that was cancelled while its caller was authenticated.
              if (!requestStream && !isOver)
                arrivedWhole = unfinished.watch(caller?.user ?? remote, failure => {
                  refuse(call, failure, id)
                  dropMessage(call)
                })
              proceed(metadata)
            }
            arrive(options, path, id, metadata, call)
              .then(letPass)
              .catch(error => refuse(call, toFailure(error), id))
          },
          onReceiveHalfClose: proceed => {
            arrivedWhole()
            proceed()
          },
          onCancel: () => {
            isOver = true
            arrivedWhole()
            ended()
          },
        }),
    })
  }
}

const refuse = (call: Pick<NextCall, 'sendStatus'>, failure: Failure, requestId: string): void =>
  call.sendStatus(serviceError(failure, requestId))

async function arrive(
  { authenticator, audit, meter, anonymous }: AuthenticationOptions,
  path: string,
  requestId: string,
  metadata: Metadata,
  call: Pick<NextCall, 'getConnectionInfo' | 'getAuthContext'>,
): Promise<Arrived> {
  const { remoteAddress: address, remotePort: port } = call.getConnectionInfo()
  const userAgent = textOf(metadata, 'user-agent')
  const from = {
    uri: path,
    ...(address !== undefined && { remote: address }),
    ...(userAgent && { userAgent }),
  }
  const cut = () => cutStream(call)
  if (anonymous.has(path.slice(1, path.lastIndexOf('/')))) return { requestId, cut, ...from }
  try {
    const caller = await authenticator.authenticate({
      authorization: textOf(metadata, 'authorization'),
      // grpc-js names a peer certificate only where TLS verified it.
      certificate: subjectOf(call.getAuthContext().sslPeerCertificate),
      ...(address !== undefined && { remote: address }),
      port,
    })
    if (asksToImpersonate(Object.entries(metadata.getMap()).flatMap(([key, value]) => [key, String(value)])))
      refuseToImpersonate()
    return { requestId, caller, cut, ...from }
  } catch (error) {
    const failure = toFailure(error)
    if (failure.code === Code.UNAUTHENTICATED) {
      meter.count('kairship_api_unauthenticated_total', { wire: 'grpc' })
      audit.record({
        ...{ requestId, wire: 'grpc', operation: path },
        ...{ ...from, code: failure.code, durationMs: 0 },
      })
    }
    throw failure
  }
}

const textOf = (metadata: Metadata, key: string): string | undefined => {
  const [value] = metadata.get(key)
  return typeof value === 'string' ? value : undefined
}
