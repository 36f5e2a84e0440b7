import {
  create,
  type DescMethod,
  type DescService,
  fromJson,
  type JsonValue,
  type Message,
  type MessageInitShape,
  type MessageShape,
} from '@bufbuild/protobuf'
import { type HttpMethod, isHttpMethod } from '../transcoding/binding.js'
import { errorDetailTypes } from '../transcoding/error-details.js'
import type { CallOptions, Rest } from './rest.js'

/** The methods of a service by their names in JavaScript: `listInstances`. A streaming method is read with `for await`. */
export type ServiceClient<S extends DescService> = Methods<S, 'messages'>

/** The same with answers as the server sent them: proto3 JSON, with fields that this client does not know. */
export type JsonClient<S extends DescService> = Methods<S, 'json'>

type Methods<S extends DescService, Form> = {
  readonly [K in keyof S['method']]: S['method'][K] extends {
    methodKind: infer Kind
    input: infer I extends DescMethod['input']
    output: infer O extends DescMethod['output']
  }
    ? (
        request: MessageInitShape<I>,
        options?: CallOptions,
      ) => Kind extends 'unary' ? Promise<Answered<O, Form>> : AsyncGenerator<Answered<O, Form>>
    : never
}
type Answered<O extends DescMethod['output'], Form> = Form extends 'json' ? JsonValue : MessageShape<O>

/**
 * The typed client of one service: paths, queries and bodies follow from its descriptor. Unknown fields and enum values in
 * answers are ignored, so that an older client works with a newer server.
 */
export const serviceClient = <S extends DescService>(service: S, rest: Rest): ServiceClient<S> =>
  methodsOf(service, rest, messageIn) as ServiceClient<S>

/** The client of one service that leaves answers as they were sent. */
export const jsonClient = <S extends DescService>(service: S, rest: Rest): JsonClient<S> =>
  methodsOf(service, rest, (_method, json) => json) as JsonClient<S>

/** The message that an answer is. */
const messageIn = (method: HttpMethod, json: JsonValue): Message =>
  fromJson(method.output, json, { registry: errorDetailTypes, ignoreUnknownFields: true })

type Read = (method: HttpMethod, json: JsonValue) => unknown

function methodsOf(service: DescService, rest: Rest, read: Read): Readonly<Record<string, unknown>> {
  const methods = service.methods.filter(isHttpMethod)
  return Object.fromEntries(methods.map(method => [method.localName, callOf(method, rest, read)]))
}

function callOf(method: HttpMethod, rest: Rest, read: Read) {
  const message = (request: MessageInitShape<typeof method.input>) => create(method.input, request)
  if (method.methodKind === 'unary')
    return async (request: MessageInitShape<typeof method.input>, options?: CallOptions) =>
      read(method, await rest.unary(method, message(request), options))
  return async function* (request: MessageInitShape<typeof method.input>, options?: CallOptions) {
    for await (const json of rest.stream(method, message(request), options)) yield read(method, json)
  }
}
