import { request as httpsRequest } from 'node:https'
import { type DescMessage, type JsonObject, type Message, toJson } from '@bufbuild/protobuf'
import type { ClientReadableStream } from '@grpc/grpc-js'
import type { Api } from '../../../http/api-options.js'
import { bearer, type GrpcClient } from '../../http/fakes/listening.js'

/** The messages of a stream as proto3 JSON with zero values, as far as they have come. */
export interface Following {
  readonly steps: readonly JsonObject[]
  /** Everything that came, for the story of a failure. */
  readonly text: () => string
  close(): void
}

/** Follows a stream as Server-Sent Events. @param path with its query */
export function followRest({ url, certificateAuthority }: Api, path: string, token: string): Following {
  let text = ''
  const request = httpsRequest(`${url}${path}`, {
    agent: false,
    ca: certificateAuthority,
    headers: { authorization: `Bearer ${token}` },
  })
  request.on('error', error => (text += `\n${error}`))
  request.on('response', response => {
    response.setEncoding('utf8').on('data', chunk => (text += chunk))
    response.on('error', () => undefined)
  })
  request.end()
  return {
    get steps() {
      return [...text.matchAll(/^data: (.*)\n/gm)].map(([, json = '']) => JSON.parse(json))
    },
    text: () => text,
    close: () => request.destroy(),
  }
}

/** Follows a stream over gRPC. */
export function followGrpc(
  client: GrpcClient,
  { name, output }: { readonly name: string; readonly output: DescMessage },
  message: Message,
  token: string,
): Following {
  const steps: JsonObject[] = []
  let end = ''
  const stream = client[name]!(message, bearer(token), {}, undefined) as ClientReadableStream<Message>
  stream.on('data', (step: Message) =>
    steps.push(toJson(output, step, { alwaysEmitImplicit: true }) as JsonObject),
  )
  stream.on('error', error => (end = String(error)))
  return { steps, text: () => `${JSON.stringify(steps)}\n${end}`, close: () => stream.cancel() }
}
