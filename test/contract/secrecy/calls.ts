import { Agent, request as httpsRequest } from 'node:https'
import {
  create,
  type DescService,
  fromBinary,
  fromJson,
  type JsonObject,
  type Message,
  toJson,
} from '@bufbuild/protobuf'
import {
  Client,
  type ClientReadableStream,
  credentials,
  type Metadata,
  makeClientConstructor,
} from '@grpc/grpc-js'
import type { Api } from '../../../http/api-options.js'
import { serviceDefinition } from '../../../http/grpc/definition.js'
import { StatusSchema } from '../../../proto/gen/google/rpc/status_pb.js'
import { bindingsOf, type HttpMethod } from '../../../transcoding/binding.js'
import { errorDetailTypes } from '../../../transcoding/error-details.js'
import { bearer, type GrpcClient, TLS_NAME, unary } from '../../http/fakes/listening.js'
import { restRequest } from '../../scenarios/support/rest-request.js'

/** One call and all that came back; of gRPC the message or the status as JSON. */
export interface Exchange {
  /** `Core_GetSecret`, or what else was asked. */
  readonly id: string
  readonly ok: boolean
  /** 0 over gRPC. */
  readonly status: number
  readonly headers: string
  readonly text: string
}

type Where = Pick<Api, 'url' | 'grpcAddress'> & { readonly certificateAuthority: string }

/** A stream that lists first is read until its list is over, others until something came, and not longer than this. */
const patienceMs = (id: string): number => (/_Watch/.test(id) ? 60_000 : 1_000)
const isEnough = (id: string, text: string): boolean =>
  /_Watch/.test(id) ? text.includes('"BOOKMARK"') : text.includes('data: ') || text.startsWith('{')

/** Calls a Kairship over both wires and keeps every answer. */
export class Calls {
  readonly exchanges: Exchange[] = []
  readonly #agent: Agent
  readonly #clients = new Map<string, GrpcClient>()

  constructor(private readonly where: Where) {
    this.#agent = new Agent({ keepAlive: true, ca: where.certificateAuthority })
  }

  /** Calls an operation over REST by a request message as JSON. */
  rest(method: HttpMethod, request: JsonObject, token: string): Promise<Exchange> {
    const [binding] = bindingsOf(method)
    if (!binding) throw new Error(`${method.name} has no path`)
    const { verb, path, body } = restRequest(method, binding, request)
    return this.http(idOf(method), verb, path, token, body)
  }

  /** Sends any request and reads the answer to its end; of a stream the beginning. */
  async http(
    id: string,
    verb: string,
    path: string,
    token: string,
    body?: object | string,
  ): Promise<Exchange> {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const answer = await new Promise<Omit<Exchange, 'id' | 'ok'>>((resolve, reject) => {
      const request = httpsRequest(`${this.where.url}${path}`, {
        agent: this.#agent,
        method: verb,
        headers: {
          ...(token && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
      })
      request.on('error', reject)
      request.on('response', response => {
        const { statusCode: status = 0, rawHeaders } = response
        let received = ''
        const end = () => {
          clearTimeout(timer)
          resolve({ status, headers: rawHeaders.join('\n'), text: received })
        }
        const stop = () => {
          end()
          request.destroy()
        }
        const isStream = /event-stream/.test(response.headers['content-type'] ?? '')
        const timer = setTimeout(stop, isStream ? patienceMs(id) : 120_000)
        response.setEncoding('utf8').on('data', chunk => {
          received += chunk
          if (isStream && isEnough(id, received)) stop()
        })
        response.on('end', end)
        response.on('error', end)
      })
      request.end(text)
    })
    return this.#keep({ id, ok: answer.status >= 200 && answer.status < 300, ...answer })
  }

  /** Calls an operation over gRPC. */
  async grpc(method: HttpMethod, request: JsonObject, token: string): Promise<Exchange> {
    const id = idOf(method)
    const message = fromJson(method.input, request, { ignoreUnknownFields: true })
    const client = this.#clientOf(method.parent)
    const json = (answer: Message) =>
      JSON.stringify(toJson(method.output, answer, { alwaysEmitImplicit: true }))
    if (method.methodKind === 'server_streaming') {
      const stream = client[method.name]!(
        message,
        bearer(token),
        {},
        undefined,
      ) as ClientReadableStream<Message>
      let text = ''
      const failure = await new Promise<string | undefined>(resolve => {
        const timer = setTimeout(() => resolve(undefined), patienceMs(id))
        stream.on('data', (step: Message) => {
          text += json(step)
          if (isEnough(id, text)) resolve(undefined)
        })
        stream.on('end', () => resolve(undefined))
        stream.on('error', (error: GrpcFailure) => resolve(statusText(error)))
        stream.once('close', () => clearTimeout(timer))
      })
      stream.cancel()
      return this.#keep({ ...GRPC, id, ok: failure === undefined, text: text + (failure ?? '') })
    }
    const { answer, error } = await unary(client, method.name, message, bearer(token))
    if (error) return this.#keep({ ...GRPC, id, ok: false, text: statusText(error) })
    return this.#keep({ ...GRPC, id, ok: true, text: json(answer as unknown as Message) })
  }

  close(): void {
    this.#agent.destroy()
    for (const client of this.#clients.values()) Client.prototype.close.call(client)
  }

  #keep(exchange: Exchange): Exchange {
    this.exchanges.push(exchange)
    return exchange
  }

  #clientOf(service: DescService): GrpcClient {
    const known = this.#clients.get(service.typeName)
    if (known) return known
    const Service = makeClientConstructor(serviceDefinition(service), service.name)
    const channel = credentials.createSsl(Buffer.from(this.where.certificateAuthority))
    const client = new Service(this.where.grpcAddress, channel, TLS_NAME) as unknown as GrpcClient
    this.#clients.set(service.typeName, client)
    return client
  }
}

/** `Core_GetSecret`. */
export const idOf = ({ parent, name }: HttpMethod): string => `${parent.name.replace(/Service$/, '')}_${name}`

const GRPC = { status: 0, headers: '' } as const

type GrpcFailure = { readonly details?: string; readonly metadata?: Metadata }

/** All that an error of gRPC says, its details decoded. */
function statusText(error: GrpcFailure): string {
  const [details] = error.metadata?.get('grpc-status-details-bin') ?? []
  const status = details ? fromBinary(StatusSchema, details as Buffer) : create(StatusSchema)
  return `${error.details}\n${JSON.stringify(toJson(StatusSchema, status, { registry: errorDetailTypes }))}`
}
