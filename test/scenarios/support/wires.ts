import { type DescMethodUnary, type DescService, fromJson, type JsonObject } from '@bufbuild/protobuf'
import { Client, credentials, makeClientConstructor } from '@grpc/grpc-js'
import { expect } from 'vitest'
import type { Api } from '../../../http/api-options.js'
import { serviceDefinition } from '../../../http/grpc/definition.js'
import { operationsOf, type ServiceHandlers } from '../../../http/operation/operation.js'
import type { Binding } from '../../../transcoding/binding.js'
import { bearer, curl, type GrpcClient, TLS_NAME, unary } from '../../http/fakes/listening.js'
import { type Following, followGrpc, followRest } from './following.js'
import { isSame, type Outcome, outcomeOfGrpc, outcomeOfRest, withoutRequestId } from './outcome.js'
import { restRequest } from './rest-request.js'

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
    return outcomeOfRest(status, text)
  }

  async overGrpc(rpc: Rpc<S>, request: JsonObject): Promise<Outcome> {
    const method = this.#method(rpc)
    const message = fromJson(method.input, request)
    return outcomeOfGrpc(method.output, await unary(this.#client, method.name, message, bearer(this.token)))
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
