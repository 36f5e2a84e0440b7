import { isDeepStrictEqual } from 'node:util'
import {
  create,
  type DescMethodUnary,
  type DescService,
  fromBinary,
  fromJson,
  type JsonObject,
  type JsonValue,
  type Message,
  toJson,
} from '@bufbuild/protobuf'
import { Client, credentials, makeClientConstructor } from '@grpc/grpc-js'
import { expect } from 'vitest'
import { serviceDefinition } from '../../../http/grpc/definition.js'
import { operationsOf, type ServiceHandlers } from '../../../http/operation.js'
import type { Api } from '../../../http/server.js'
import { StatusSchema } from '../../../proto/gen/google/rpc/status_pb.js'
import type { Binding } from '../../../transcoding/binding.js'
import { errorDetailTypes } from '../../../transcoding/error-details.js'
import { bearer, curl, type GrpcClient, TLS_NAME, unary } from '../../http/fakes/listening.js'
import { type Following, followGrpc, followRest } from './following.js'

/**
 * What a call ended with: its answer, or google.rpc.Status, both as proto3 JSON with zero values; and as text, of a refusal its
 * message with the fields that are wrong.
 */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
export type Outcome = { readonly ok: boolean; readonly json: any; readonly text: string }

/** Calls of one service over REST and over gRPC, made from the same request message by the proto's own path. */
export class Wires<S extends DescService> {
  readonly #client: GrpcClient
  readonly #bindings: ReadonlyMap<string, Binding>

  constructor(
    private readonly api: Api,
    private readonly service: S,
    private readonly token: string,
  ) {
    const Service = makeClientConstructor(serviceDefinition(service), service.name)
    const channel = credentials.createSsl(Buffer.from(api.certificateAuthority ?? ''))
    this.#client = new Service(api.grpcAddress, channel, TLS_NAME) as unknown as GrpcClient
    const handlers = new Proxy({}, { get: () => () => ({}) }) as ServiceHandlers<S>
    this.#bindings = new Map(
      operationsOf(service, handlers).map(({ method, bindings }) => [method.localName, bindings[0]!]),
    )
  }

  close(): void {
    Client.prototype.close.call(this.#client)
  }

  /** The same calls by somebody else. */
  as(token: string): Wires<S> {
    return new Wires(this.api, this.service, token)
  }

  /** The answer over REST; fails the test when the call is refused. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  async rest(rpc: Rpc<S>, request: JsonObject): Promise<any> {
    const outcome = await this.overRest(rpc, request)
    expect(outcome.ok, outcome.text).toBe(true)
    return outcome.json
  }

  /**
   * Reads over both wires, which must answer alike, also when they refuse. What changed between two reads over the same wire
   * is read again.
   */
  async both(rpc: Rpc<S>, request: JsonObject): Promise<Outcome> {
    for (let rest = await this.overRest(rpc, request); ; ) {
      const grpc = await this.overGrpc(rpc, request)
      const again = isSame(rest, grpc) ? rest : await this.overRest(rpc, request)
      if (isSame(rest, again)) {
        expect(withoutRequestId(grpc.json)).toEqual(withoutRequestId(rest.json))
        return rest
      }
      rest = again
    }
  }

  /** Reads over both wires; fails the test when the call is refused. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  async read(rpc: Rpc<S>, request: JsonObject): Promise<any> {
    const outcome = await this.both(rpc, request)
    expect(outcome.ok, outcome.text).toBe(true)
    return outcome.json
  }

  async overRest(rpc: Rpc<S>, request: JsonObject): Promise<Outcome> {
    const method = this.#method(rpc)
    const { verb, path, body } = restRequest(method, this.#bindings.get(rpc)!, request)
    const { status, text } = await curl(this.api, path, { token: this.token }, {}, verb, body)
    const json = JSON.parse(text)
    return { ok: status === 200, json, text: textOf(json) }
  }

  async overGrpc(rpc: Rpc<S>, request: JsonObject): Promise<Outcome> {
    const method = this.#method(rpc)
    const message = fromJson(method.input, request)
    const { answer, error } = await unary(this.#client, method.name, message, bearer(this.token))
    if (!error) {
      const json = toJson(method.output, answer as unknown as Message, { alwaysEmitImplicit: true })
      return { ok: true, json, text: textOf(json) }
    }
    const [details] = error.metadata.get('grpc-status-details-bin')
    const status = details ? fromBinary(StatusSchema, details as Buffer) : create(StatusSchema)
    const json = toJson(StatusSchema, status, { registry: errorDetailTypes, alwaysEmitImplicit: true })
    return { ok: false, json, text: textOf(json) }
  }

  /** Follows a stream over both wires. To be closed. */
  follow(rpc: Rpc<S>, request: JsonObject): { readonly rest: Following; readonly grpc: Following } {
    const method = this.#method(rpc)
    const { path } = restRequest(method, this.#bindings.get(rpc)!, request)
    return {
      rest: followRest(this.api, path, this.token),
      grpc: followGrpc(this.#client, method, fromJson(method.input, request), this.token),
    }
  }

  #method(rpc: Rpc<S>): DescMethodUnary {
    return this.service.method[rpc] as DescMethodUnary
  }
}

type Rpc<S extends DescService> = keyof S['method'] & string

/** The HTTP request that google.api.http makes of a message: fields of the path, then body or query. */
function restRequest({ input }: DescMethodUnary, { verb, template, body }: Binding, request: JsonObject) {
  const rest = { ...request }
  const fieldOf = (name: string) => input.fields.find(field => field.name === name)!.jsonName
  const segments = template.segments.map(segment => {
    if ('literal' in segment) return segment.literal
    const field = fieldOf(segment.field)
    const value = rest[field]
    delete rest[field]
    return encodeURIComponent(String(value))
  })
  const query = new URLSearchParams()
  if (!body)
    for (const [field, value] of Object.entries(rest))
      for (const one of Array.isArray(value) ? value : [value]) query.append(field, String(one))
  const path = `/${segments.join('/')}${template.verb && `:${template.verb}`}`
  return {
    verb,
    path: query.size > 0 ? `${path}?${query}` : path,
    ...(body && { body: rest }),
  }
}

const isSame = (one: Outcome, other: Outcome): boolean =>
  isDeepStrictEqual(withoutRequestId(one.json), withoutRequestId(other.json))

function textOf(json: JsonValue): string {
  const { message, details } = json as { message?: string; details?: { fieldViolations?: object[] }[] }
  if (message === undefined || !details) return JSON.stringify(json)
  const fields = details.flatMap(({ fieldViolations = [] }) => fieldViolations)
  return [message, ...fields.map(violation => Object.values(violation).join(' '))].join('\n')
}

function withoutRequestId(json: JsonValue): JsonValue {
  if (typeof json !== 'object' || json === null || Array.isArray(json) || !Array.isArray(json.details))
    return json
  return {
    ...json,
    details: json.details.filter(
      detail => !String((detail as JsonObject)['@type']).endsWith('google.rpc.RequestInfo'),
    ),
  }
}
