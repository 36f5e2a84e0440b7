import {
  create,
  type DescFile,
  type DescMessage,
  type DescService,
  fromBinary,
  type Message,
  toBinary,
} from '@bufbuild/protobuf'
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import type { MethodDefinition, ServiceDefinition } from '@grpc/grpc-js'
import { loadFileDescriptorSetFromBuffer } from '@grpc/proto-loader'

/**
 * The service as grpc-js needs it, made by proto-loader from our descriptors. It reads and writes the same message types
 * as REST and the handlers.
 */
export function serviceDefinition(service: DescService): ServiceDefinition {
  const set = create(FileDescriptorSetSchema, { file: filesOf(service.file).map(({ proto }) => proto) })
  const loaded = loadFileDescriptorSetFromBuffer(Buffer.from(toBinary(FileDescriptorSetSchema, set)))
  const definition = loaded[service.typeName] as unknown as Readonly<Record<string, LoadedMethod>>
  return Object.fromEntries(
    service.methods.map(method => {
      const found = definition[method.name]
      if (!found) throw new Error(`proto-loader does not know ${service.typeName}.${method.name}`)
      const codec: Partial<LoadedMethod> = {
        requestSerialize: writerOf(method.input),
        requestDeserialize: readerOf(method.input),
        responseSerialize: writerOf(method.output),
        responseDeserialize: readerOf(method.output),
      }
      return [method.name, { ...found, ...codec }]
    }),
  )
}

type LoadedMethod = MethodDefinition<Message, Message>

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
