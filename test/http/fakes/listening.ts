import { request as httpsRequest } from 'node:https'
import { join, resolve } from 'node:path'
import {
  type ChannelCredentials,
  type Client,
  credentials,
  loadPackageDefinition,
  Metadata,
} from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'
import { afterEach } from 'vitest'
import type { Api, ApiOptions } from '../../../http/api-options.js'
import { startApi } from '../../../http/server.js'
import { unmetered } from '../../silent.js'
import { noConnector, testApi } from './api.js'
import type { FakeFleet } from './fleet.js'

/** The API on real sockets over fakes. */
export async function listeningApi(fleet?: FakeFleet, options: Partial<ApiOptions> = {}) {
  const fakes = testApi(fleet)
  const { api, host, log, counts } = fakes
  api.endStreams()
  const running = await startApi({
    fleet: fakes.fleet,
    host,
    connector: noConnector,
    log,
    auditSink: log.auditSink,
    meter: unmetered,
    listen: '127.0.0.1:0',
    grpcListen: '127.0.0.1:0',
    ...options,
  })
  return { api, host, fleet: fakes.fleet, log, counts, running }
}

/** Such an API on real sockets. */
export type Listening = Awaited<ReturnType<typeof listeningApi>>

/** Starts such APIs for the tests of the file that calls it, and closes them after each. */
export function closedAfterEach(): typeof listeningApi {
  const open: Listening[] = []
  afterEach(async () => {
    await Promise.all(open.splice(0).map(({ running }) => running.close()))
  })
  return async (...parameters) => {
    const api = await listeningApi(...parameters)
    open.push(api)
    return api
  }
}

/** An answer over HTTPS. */
export interface Answer {
  readonly status: number
  readonly headers: Record<string, unknown>
  readonly text: string
}

/** What a client presents. */
export interface Identity {
  readonly token?: string
  readonly cert?: string
  readonly key?: string
}

/** One request on a connection of its own, as curl makes it. */
export function curl(
  { url, certificateAuthority }: Pick<Api, 'url' | 'certificateAuthority'>,
  path: string,
  { token, cert, key }: Identity = {},
  headers: Record<string, string> = {},
  method = 'GET',
  body?: object,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    httpsRequest(
      `${url}${path}`,
      {
        agent: false,
        method,
        ca: certificateAuthority,
        cert,
        key,
        headers: {
          ...(token ? { authorization: `Bearer ${token}` } : {}),
          ...(body ? { 'content-type': 'application/json' } : {}),
          ...headers,
        },
      },
      response => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', chunk => (text += chunk))
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
        )
        response.on('error', reject)
      },
    )
      .on('error', reject)
      .end(body && JSON.stringify(body))
  })
}

const folder = resolve(import.meta.dirname, '../../../proto')

/** What proto-loader makes of the .proto file. */
interface Loaded {
  readonly kairship: {
    io: { api: { instance: { v1alpha1: { InstanceService: new (...args: unknown[]) => GrpcClient } } } }
  }
}
let loaded: Loaded | undefined

/** A client as others would write it: proto-loader on the .proto file, and nothing of our code. */
export function grpcClient({ grpcAddress, certificateAuthority = '' }: Api, { cert, key }: Identity = {}) {
  loaded ??= loadPackageDefinition(
    loadSync(join(folder, 'kairship/instance.proto'), {
      includeDirs: [folder],
      longs: String,
      enums: String,
      defaults: true,
      json: true,
    }),
  ) as unknown as Loaded
  const channel: ChannelCredentials = credentials.createSsl(
    Buffer.from(certificateAuthority),
    key ? Buffer.from(key) : null,
    cert ? Buffer.from(cert) : null,
  )
  return new loaded.kairship.io.api.instance.v1alpha1.InstanceService(grpcAddress, channel, TLS_NAME)
}

/**
 * Channel options of a grpc-js client that dials an IP address. grpc-js asks TLS for the server by the dialled host, and
 * Node.js 26 refuses an IP address there (RFC 6066 allows names only). Every certificate here is also for `localhost`.
 */
export const TLS_NAME = { 'grpc.ssl_target_name_override': 'localhost' }

type Method = (request: object, metadata: Metadata, options: object, callback: unknown) => unknown
export type GrpcClient = Client & Record<string, Method>

export interface GrpcError {
  readonly code: number
  readonly details: string
  readonly metadata: Metadata
}

export const bearer = (token: string): Metadata => {
  const metadata = new Metadata()
  metadata.set('authorization', `Bearer ${token}`)
  return metadata
}

/** A unary call: its answer, or its error as a value. */
export const unary = (
  client: GrpcClient,
  method: string,
  request: object,
  metadata: Metadata,
  options: object = {},
): Promise<{ answer?: Record<string, unknown>; error?: GrpcError }> =>
  new Promise(resolve =>
    client[method]!(request, metadata, options, (error: GrpcError | null, answer: Record<string, unknown>) =>
      resolve(error ? { error } : { answer }),
    ),
  )
