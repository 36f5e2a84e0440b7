import type { Server as NetServer } from 'node:net'
import { logVerbosity, Server, setLogVerbosity } from '@grpc/grpc-js'
import type { Meter } from '../../ports/meter.js'
import { Health } from '../../proto/gen/grpc/health/v1_pb.js'
import type { Audit } from '../audit/audit.js'
import type { Dispatcher } from '../dispatch/dispatcher.js'
import { internal } from '../errors/failure.js'
import type { Authenticator } from '../identity/authenticate.js'
import { LARGEST_BODY } from '../limits/request-size.js'
import { formatAddress } from '../listener/address.js'
import type { ServingCertificate } from '../listener/serving-certificate.js'
import type { ServedService } from '../operation/operation.js'
import { authentication } from './authentication.js'
import { handlerOf } from './calls.js'
import { serverCredentials } from './credentials.js'
import { serviceDefinition, withRawRequests } from './definition.js'
import { HealthService } from './health.js'
import { addReflection } from './reflection.js'
import { UnhandledCalls } from './unhandled-calls.js'
import { answerUnknownMethods } from './unknown-methods.js'

/** What the gRPC listener needs. */
export interface GrpcOptions {
  readonly authenticator: Authenticator
  readonly dispatcher: Dispatcher
  readonly audit: Audit
  readonly meter: Meter
  readonly services: readonly ServedService[]
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
  readonly tls: ServingCertificate
  readonly clientCertificateAuthority?: string | undefined
  /** Milliseconds that the request of a call may take to arrive whole. */
  readonly requestMs: number
  /** Looks after the connections of a listener, before one is accepted. */
  readonly guard: (listener: NetServer) => void
  /** Whether the server as a whole and each management service serve, for the health service. Must not reject. */
  readonly ready: () => Promise<boolean>
}

/** The running gRPC listener. */
export interface GrpcListener {
  /** `host:port` as bound. */
  readonly address: string
  /** From now on the health service reports that nothing serves. */
  stopServing(): void
  /** Takes no new calls, waits for those under way, and aborts the rest after `graceMs`. */
  close(graceMs: number): Promise<void>
}

/** A connection without calls is closed after this, also one that anyone opened and never used. */
const LONGEST_IDLE_MS = 5 * 60_000

// grpc-js writes lines of its own to stderr, between the log's. What it would say is in the errors that it throws, too.
if (process.env.GRPC_VERBOSITY === undefined) setLogVerbosity(logVerbosity.NONE)

/** Starts gRPC over TLS on a port of its own. */
export async function startGrpc(options: GrpcOptions): Promise<GrpcListener> {
  const { services, host, port, tls, clientCertificateAuthority } = options
  const operations = services.flatMap(service => service.operations)
  const unhandled = new UnhandledCalls(operations, options.dispatcher)
  const server = new Server({
    'grpc.max_receive_message_length': LARGEST_BODY,
    // The streams of a dead peer are freed after a minute and a half.
    'grpc.keepalive_time_ms': 60_000,
    'grpc.keepalive_timeout_ms': 30_000,
    'grpc.max_concurrent_streams': 1_000,
    'grpc.max_connection_idle_ms': LONGEST_IDLE_MS,
    interceptors: [authentication({ ...options, unhandled, anonymous: new Set([Health.typeName]) })],
  })
  answerUnknownMethods(server, options.audit, options.meter)
  for (const { service, operations } of services) {
    const handlers = Object.fromEntries(
      operations.map(operation => [operation.method.name, handlerOf(operation, options.dispatcher)]),
    )
    server.addService(withRawRequests(serviceDefinition(service)), handlers)
  }
  const management = services.map(({ service }) => service)
  addReflection(server, [...management, Health])
  const health = new HealthService({
    checked: ['', ...management.map(({ typeName }) => typeName)],
    always: [Health.typeName],
    ready: options.ready,
  })
  health.addTo(server)
  const bound = await new Promise<number>((resolve, reject) =>
    server.bindAsync(
      formatAddress({ host, port }),
      serverCredentials(tls, clientCertificateAuthority),
      (error, boundPort) => (error ? reject(error) : resolve(boundPort)),
    ),
  )
  for (const listener of listenersOf(server)) options.guard(listener)
  return {
    address: formatAddress({ host, port: bound }),
    stopServing: () => health.stop(),
    close: graceMs =>
      new Promise(resolve => {
        const timer = setTimeout(() => server.forceShutdown(), graceMs)
        server.tryShutdown(() => {
          clearTimeout(timer)
          resolve()
        })
      }),
  }
}

/** The listeners of a bound server, which grpc-js has no API for. @throws Failure INTERNAL where it keeps them in another way */
function listenersOf(server: Server): readonly NetServer[] {
  const listeners: unknown = Reflect.get(server, 'http2Servers')
  if (!(listeners instanceof Map) || listeners.size === 0)
    throw internal('this version of grpc-js keeps its listeners in another way')
  return [...(listeners.keys() as Iterable<NetServer>)]
}
