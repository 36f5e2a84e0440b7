import { constants } from 'node:crypto'
import { createServer } from 'node:https'
import { getRequestListener } from '@hono/node-server'
import type { Hono } from 'hono'
import type { Fleet } from '../ports/fleet.js'
import type { KubeApi } from '../ports/kube-api.js'
import type { Log } from '../ports/log.js'
import type { Meter } from '../ports/meter.js'
import { formatAddress, parseAddress } from './address.js'
import { startGrpc } from './grpc/server.js'
import { type Check, leadershipNote, type Readiness, readiness, readyChecks } from './health.js'
import {
  hardened,
  LARGEST_HEADERS,
  type Listener,
  listen,
  SLOW_REQUESTS,
  type SlowRequests,
} from './listener.js'
import { managementApi } from './management-api.js'
import { InstanceAccess } from './native-door/access.js'
import { nativeDoor } from './native-door/door.js'
import { type DoorLimits, limitsOf } from './native-door/limits.js'
import { Arrivals } from './read-your-writes/arrivals.js'
import { CatchUp } from './read-your-writes/catch-up.js'
import { WriteLedger } from './read-your-writes/ledger.js'
import { restApp } from './rest/app.js'
import { addDocuments } from './rest/documents.js'
import type { RestEnv } from './rest/env.js'
import { type ServingCertificate, selfSigned } from './serving-certificate.js'

/** What the API needs and where it listens. */
export interface ApiOptions {
  readonly fleet: Fleet
  /** The host cluster under Kairship's own credential: it authenticates, authorizes and stores. */
  readonly host: KubeApi
  readonly log: Log
  readonly meter: Meter
  /** `host:port` of REST over TLS. */
  readonly listen: string
  /** `host:port` of gRPC over TLS. */
  readonly grpcListen: string
  /** What the listeners show; a self-signed certificate for the addresses listened on when absent. */
  readonly tls?: ServingCertificate
  /** PEM of the authorities whose client certificates are accepted; none are when absent. */
  readonly clientCertificateAuthority?: string
  /** The Karmada version that is installed when none is asked for; callers are told '' when absent. */
  readonly karmadaVersion?: string
  /** Streams that one caller may hold open at once, over all wires. */
  readonly streamsPerCaller?: number
  /** `https://host:port` by which callers reach REST, where that is not the address listened on. */
  readonly externalUrl?: string
  /** How long REST and the native door wait for a request to be said. */
  readonly slowRequests?: SlowRequests
  /** Whether the native door shows callers what they wrote before they came to this replica: through another, or one that ended. */
  readonly checkNewcomers?: boolean
  /** What the native door lets through at once. */
  readonly doorLimits?: Partial<DoorLimits>
  /** How long calls under way may go on once `close` was called. */
  readonly graceMs?: number
}

/** The running API. */
export interface Api {
  /** `https://host:port` of REST. */
  readonly url: string
  /** `host:port` of gRPC. */
  readonly grpcAddress: string
  /** PEM of what clients must trust, where it is known: always for a self-signed certificate. */
  readonly certificateAuthority?: string
  /** For `/readyz`, here and on the health listener: not ready from the moment `close` was called. */
  readiness(): Promise<Readiness>
  /** Says not ready, ends streams with a proper end, lets calls under way finish, closes. Idempotent. */
  close(): Promise<void>
}

const DEFAULT_STREAMS_PER_CALLER = 100
const DEFAULT_GRACE_MS = 5_000

/** An option of the sockets beneath, which the types of the HTTPS server do not know. */
const HALF_OPEN = { allowHalfOpen: true } as object

/** Starts REST and gRPC, each on its TLS listener, over the same services. */
export async function startApi(options: ApiOptions): Promise<Api> {
  const {
    fleet,
    log,
    clientCertificateAuthority,
    graceMs = DEFAULT_GRACE_MS,
    slowRequests = SLOW_REQUESTS,
  } = options
  const [address, grpcAddress] = [parseAddress(options.listen), parseAddress(options.grpcListen)]
  const tls = options.tls ?? (await selfSigned([address.host, grpcAddress.host, 'localhost', 'kairship']))
  let url = ''
  const { certificateAuthority } = tls
  const now = () => performance.now()
  const ledger = new WriteLedger(now)
  const api = managementApi({
    ...options,
    catchUp: new CatchUp(ledger),
    now,
    door: () => ({
      url: options.externalUrl?.replace(/\/$/, '') ?? url,
      ...(certificateAuthority ? { certificateAuthority } : {}),
    }),
    karmadaVersion: options.karmadaVersion ?? '',
    streamsPerCaller: options.streamsPerCaller ?? DEFAULT_STREAMS_PER_CALLER,
  })
  let closing: Promise<void> | undefined
  const running: Check = {
    name: 'running',
    problem: async () => (closing ? 'the server is shutting down' : undefined),
  }
  const checks = [running, ...readyChecks(options)]
  const askReady = () => readiness(checks, [leadershipNote(fleet)])

  const operations = api.services.flatMap(service => service.operations)
  const app = restApp({
    ...options,
    ...api,
    operations,
    anonymous: app => addHealth(app, askReady),
    further: app => addDocuments(app, api.services),
  })
  const limits = limitsOf(options.doorLimits ?? {}, { ...options, now })
  const catchUp = new CatchUp(ledger, options.checkNewcomers ? new Arrivals(now) : undefined)
  const reading = { access: new InstanceAccess(now), ledger, catchUp }
  const door = nativeDoor({ ...options, ...api, ...limits, ...reading, now })
  const rest = getRequestListener(app.fetch)
  const server = hardened(
    createServer(
      {
        cert: tls.certificate,
        key: tls.key,
        maxHeaderSize: LARGEST_HEADERS,
        // As without TLS: an upgraded connection may end on one side while the other goes on. Requests are not affected.
        ...HALF_OPEN,
        connectionsCheckingInterval: slowRequests.lookMs,
        // Half-open sockets are not closed by a client that left before it shook hands; Node gives those two minutes.
        handshakeTimeout: slowRequests.headersMs,
        // A connection has one identity. Also, renegotiating costs us more than who asks for it.
        secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
        // A caller whose network went away without a word is noticed in minutes and not never.
        keepAlive: true,
        keepAliveInitialDelay: 60_000,
        // Asked for, not demanded: who has none sends a token. What cannot be verified counts as none.
        requestCert: clientCertificateAuthority !== undefined,
        rejectUnauthorized: false,
        ...(clientCertificateAuthority ? { ca: clientCertificateAuthority } : {}),
      },
      (request, response) => {
        if (!door.request(request, response)) void rest(request, response)
      },
    ),
    slowRequests,
  )
  server.on('upgrade', (request, socket, head) => {
    if (!door.upgrade(request, socket, head))
      socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n')
  })
  const grpc = await startGrpc({
    ...options,
    ...api,
    ...grpcAddress,
    tls,
    clientCertificateAuthority,
  })
  let listener: Listener
  try {
    listener = await listen(server, address)
  } catch (error) {
    await grpc.close(0)
    throw error
  }
  grpc.setServing(true)
  url = `https://${formatAddress({ host: address.host, port: listener.port })}`
  log.info({ url, grpc: grpc.address }, 'the API is listening')

  const stop = async () => {
    grpc.setServing(false)
    api.endStreams()
    door.endStreams()
    await Promise.all([listener.close(graceMs), grpc.close(graceMs)])
    door.close()
    log.info({ url }, 'the API has stopped')
  }
  return {
    url,
    grpcAddress: grpc.address,
    ...(certificateAuthority ? { certificateAuthority } : {}),
    readiness: askReady,
    close() {
      closing ??= Promise.resolve().then(stop)
      return closing
    },
  }
}

/** The only paths that ask for no credentials. */
function addHealth(app: Hono<RestEnv>, readiness: () => Promise<Readiness>): void {
  for (const path of ['/healthz', '/livez']) app.get(path, c => c.text('ok'))
  app.get('/readyz', async c => {
    const { ready, text } = await readiness()
    return c.text(text, ready ? 200 : 503)
  })
}
