import { randomUUID } from 'node:crypto'
import {
  create,
  createRegistry,
  type DescFile,
  type MessageInitShape,
  type MessageShape,
  type Registry,
  toBinary,
} from '@bufbuild/protobuf'
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt'
import type { Server, ServerDuplexStream } from '@grpc/grpc-js'
import * as v1 from '../../proto/gen/grpc/reflection/v1_pb.js'
import * as v1alpha from '../../proto/gen/grpc/reflection/v1alpha_pb.js'
import { Code } from '../code.js'
import { toFailure } from '../errors.js'
import { authenticate, type Door, serviceError } from './calls.js'
import { filesOf, serviceDefinition } from './definition.js'

type Request = MessageShape<typeof v1.ServerReflectionRequestSchema>
type Reply = NonNullable<MessageInitShape<typeof v1.ServerReflectionResponseSchema>['messageResponse']>

/** What is shown: every type by full name, every file by name, the services. */
interface Known {
  readonly registry: Registry
  readonly files: ReadonlyMap<string, DescFile>
  readonly names: readonly string[]
}

/**
 * Server reflection, so that grpcurl needs no .proto files. Ours and not @grpc/reflection's because that one drops the
 * options (google.api.http, permissions) from what it shows and answers anyone; this one asks for credentials.
 */
export function addReflection(
  server: Server,
  services: readonly { readonly typeName: string; readonly file: DescFile }[],
  door: Omit<Door, 'dispatcher'>,
): void {
  const names = services.map(({ typeName }) => typeName)
  const files = filesOf(...services.map(({ file }) => file))
  const known: Known = {
    registry: createRegistry(...files),
    files: new Map(files.map(file => [file.name, file])),
    names,
  }
  // The two versions differ in nothing but their name.
  for (const { ServerReflection, ServerReflectionResponseSchema } of [v1, v1alpha]) {
    const answer = (request: Request) =>
      create(ServerReflectionResponseSchema, {
        validHost: request.host,
        messageResponse: replyTo(request, known),
      } as MessageInitShape<typeof v1.ServerReflectionResponseSchema>)
    server.addService(serviceDefinition(ServerReflection), {
      ServerReflectionInfo: (call: ServerDuplexStream<Request, unknown>) => void serve(call, answer, door),
    })
  }
}

async function serve(
  call: ServerDuplexStream<Request, unknown>,
  answer: (request: Request) => unknown,
  door: Omit<Door, 'dispatcher'>,
): Promise<void> {
  const requestId = randomUUID()
  try {
    await authenticate(door, call, requestId)
    // Events, because grpc-js' duplex streams do not end an async iterator when the caller has no more to ask.
    call.on('data', request => tell(call, () => answer(request), requestId))
    call.on('end', () => call.end())
  } catch (error) {
    call.emit('error', serviceError(toFailure(error), requestId))
  }
}

function tell(call: ServerDuplexStream<Request, unknown>, answer: () => unknown, requestId: string): void {
  try {
    call.write(answer())
  } catch (error) {
    call.emit('error', serviceError(toFailure(error), requestId))
  }
}

function replyTo({ messageRequest: asked }: Request, { registry, files, names }: Known): Reply {
  switch (asked.case) {
    case 'listServices':
      return { case: 'listServicesResponse', value: { service: names.map(name => ({ name })) } }
    case 'fileByFilename':
      return filesReply(files.get(asked.value.replace(/\.proto$/, '')), asked.value)
    case 'fileContainingSymbol':
      return filesReply(fileOfSymbol(registry, asked.value), asked.value)
    case 'fileContainingExtension': {
      const { containingType, extensionNumber } = asked.value
      const extension = extensionsOf(registry, containingType).find(
        ({ number }) => number === extensionNumber,
      )
      return filesReply(extension?.file, `extension ${extensionNumber} of ${containingType}`)
    }
    case 'allExtensionNumbersOfType':
      return {
        case: 'allExtensionNumbersResponse',
        value: {
          baseTypeName: asked.value,
          extensionNumber: extensionsOf(registry, asked.value).map(({ number }) => number),
        },
      }
    default:
      return refusal(Code.INVALID_ARGUMENT, 'the request asks for nothing')
  }
}

const refusal = (errorCode: number, errorMessage: string): Reply => ({
  case: 'errorResponse',
  value: { errorCode, errorMessage },
})

function filesReply(file: DescFile | undefined, asked: string): Reply {
  if (!file) return refusal(Code.NOT_FOUND, `${asked} is not known`)
  const fileDescriptorProto = filesOf(file).map(({ proto }) => toBinary(FileDescriptorProtoSchema, proto))
  return { case: 'fileDescriptorResponse', value: { fileDescriptorProto } }
}

/** A symbol may be a message, enum, service or extension, or a member of one: `pkg.Service.Method`. */
function fileOfSymbol(registry: Registry, symbol: string): DescFile | undefined {
  const parent = symbol.slice(0, Math.max(0, symbol.lastIndexOf('.')))
  return (registry.get(symbol) ?? registry.get(parent))?.file
}

const extensionsOf = (registry: Registry, typeName: string) =>
  [...registry].filter(item => item.kind === 'extension' && item.extendee.typeName === typeName) as {
    readonly kind: 'extension'
    readonly number: number
    readonly file: DescFile
  }[]
