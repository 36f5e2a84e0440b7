import type { DescService } from '@bufbuild/protobuf'
import { Server } from '@grpc/grpc-js'
import { HealthImplementation } from 'grpc-health-check'
import { LARGEST_BODY } from '../limits.js'
import type { Operation } from '../operation.js'
import type { ServingCertificate } from '../serving-certificate.js'
import { type Door, handlerOf } from './calls.js'
import { serverCredentials } from './credentials.js'
import { serviceDefinition } from './definition.js'
import { addReflection } from './reflection.js'

/** One service with its operations, as both wires serve it. */
export interface ServedService {
  readonly service: DescService
  readonly operations: readonly Operation[]
}

/** What the gRPC listener needs. */
export interface GrpcOptions extends Door {
  readonly services: readonly ServedService[]
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
  readonly tls: ServingCertificate
  readonly clientCertificateAuthority?: string | undefined
}

/** The running gRPC listener. */
export interface GrpcListener {
  /** `host:port` as bound. */
  readonly address: string
  /** What health answers, for the whole server and each service. Health is the one thing anyone may ask. */
  setServing(serving: boolean): void
  /** Takes no new calls, waits for those under way, and cuts off what is left after `graceMs`. */
  close(graceMs: number): Promise<void>
}

/** Starts gRPC over TLS on a port of its own. */
export async function startGrpc(options: GrpcOptions): Promise<GrpcListener> {
  const { services, host, port, tls, clientCertificateAuthority } = options
  const server = new Server({
    'grpc.max_receive_message_length': LARGEST_BODY,
    // A dead peer is found out after a minute and a half, and its streams are freed.
    'grpc.keepalive_time_ms': 60_000,
    'grpc.keepalive_timeout_ms': 30_000,
    'grpc.max_concurrent_streams': 1_000,
  })
  for (const { service, operations } of services) {
    const handlers = Object.fromEntries(
      operations.map(operation => [operation.method.name, handlerOf(operation, options)]),
    )
    server.addService(serviceDefinition(service), handlers)
  }
  addReflection(
    server,
    services.map(({ service }) => service),
    options,
  )
  const names = ['', ...services.map(({ service }) => service.typeName)]
  const health = new HealthImplementation(Object.fromEntries(names.map(name => [name, 'NOT_SERVING'])))
  health.addToServer(server)
  const bound = await new Promise<number>((resolve, reject) =>
    server.bindAsync(
      `${host.includes(':') ? `[${host}]` : host}:${port}`,
      serverCredentials(tls, clientCertificateAuthority),
      (error, boundPort) => (error ? reject(error) : resolve(boundPort)),
    ),
  )
  return {
    address: `${host.includes(':') ? `[${host}]` : host}:${bound}`,
    setServing(serving) {
      for (const name of names) health.setStatus(name, serving ? 'SERVING' : 'NOT_SERVING')
    },
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
