import {
  type DescFile,
  type DescMessage,
  type DescService,
  fromBinary,
  type Message,
  toBinary,
} from '@bufbuild/protobuf'
import type { MethodDefinition, ServiceDefinition } from '@grpc/grpc-js'

/**
 * The service as grpc-js needs it, from our descriptors. It reads and writes the same message types as REST and the handlers.
 * Not by proto-loader, which would parse every file again for each service, and whose codecs would have to be replaced.
 */
export const serviceDefinition = (service: DescService): ServiceDefinition =>
  Object.fromEntries(
    service.methods.map(method => {
      const { name, localName, methodKind, input, output } = method
      return [
        name,
        {
          // https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md#requests
          path: `/${service.typeName}/${name}`,
          originalName: localName,
          requestStream: methodKind === 'client_streaming' || methodKind === 'bidi_streaming',
          responseStream: methodKind === 'server_streaming' || methodKind === 'bidi_streaming',
          requestSerialize: writerOf(input),
          requestDeserialize: readerOf(input),
          responseSerialize: writerOf(output),
          responseDeserialize: readerOf(output),
        } satisfies MethodDefinition<Message, Message>,
      ]
    }),
  )

const writerOf = (schema: DescMessage) => (message: Message) => Buffer.from(toBinary(schema, message))
const readerOf = (schema: DescMessage) => (bytes: Buffer) => fromBinary(schema, bytes)

/** The same service with its requests left as bytes, for handlers that decode after they have authorized and can record. */
export const withRawRequests = (definition: ServiceDefinition): ServiceDefinition =>
  Object.fromEntries(
    Object.entries(definition).map(([name, method]) => [
      name,
      { ...method, requestDeserialize: (bytes: Buffer) => bytes },
    ]),
  )

/** A file and all its imports, imports first, each once. */
export function filesOf(...files: readonly DescFile[]): readonly DescFile[] {
  const found = new Map<string, DescFile>()
  const visit = (file: DescFile) => {
    if (found.has(file.name)) return
    for (const dependency of file.dependencies) visit(dependency)
    found.set(file.name, file)
  }
  for (const file of files) visit(file)
  return [...found.values()]
}
