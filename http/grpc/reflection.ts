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
import { file_google_rpc_error_details } from '../../proto/gen/google/rpc/error_details_pb.js'
import * as v1 from '../../proto/gen/grpc/reflection/v1_pb.js'
import * as v1alpha from '../../proto/gen/grpc/reflection/v1alpha_pb.js'
import { Code } from '../../transcoding/code.js'
import { unavailable } from '../errors/failure.js'
import { toFailure } from '../errors/to-failure.js'
import { arrivedWith } from './authentication.js'
import { filesOf, serviceDefinition } from './definition.js'
import { serviceError } from './service-error.js'
import { OpenStreams, REFLECTION_STREAMS, type StreamLimits } from './stream-limits.js'

type Request = MessageShape<typeof v1.ServerReflectionRequestSchema>
type Reply = NonNullable<MessageInitShape<typeof v1.ServerReflectionResponseSchema>['messageResponse']>

/** Every type by full name, every file by name, the services. */
interface Descriptors {
  readonly registry: Registry
  readonly files: ReadonlyMap<string, DescFile>
  readonly names: readonly string[]
}

/**
 * Server reflection, so that grpcurl needs no .proto files. Ours and not @grpc/reflection's, because that one drops the
 * options (google.api.http, permissions) from the descriptors. Callers are authenticated, like those of any service.
 */
export function addReflection(
  server: Server,
  services: readonly { readonly typeName: string; readonly file: DescFile }[],
  limits: StreamLimits = REFLECTION_STREAMS,
): void {
  const names = services.map(({ typeName }) => typeName)
  // Without the details of errors grpcurl prints them as base64: no service names them.
  const files = filesOf(...services.map(({ file }) => file), file_google_rpc_error_details)
  const descriptors: Descriptors = {
    registry: createRegistry(...files),
    files: new Map(files.map(file => [file.name, file])),
    names,
  }
  const open = new OpenStreams('open reflection streams', limits)
  // The two versions differ only in their name.
  for (const { ServerReflection, ServerReflectionResponseSchema } of [v1, v1alpha]) {
    const answer = (request: Request) =>
      create(ServerReflectionResponseSchema, {
        validHost: request.host,
        messageResponse: replyTo(request, descriptors),
      } as MessageInitShape<typeof v1.ServerReflectionResponseSchema>)
    server.addService(serviceDefinition(ServerReflection), {
      ServerReflectionInfo: (call: ServerDuplexStream<Request, unknown>) => serve(call, answer, open),
    })
  }
}

function serve(
  call: ServerDuplexStream<Request, unknown>,
  answer: (request: Request) => unknown,
  open: OpenStreams,
): void {
  const { requestId, caller } = arrivedWith(call.metadata)
  const fail = (error: unknown) => call.emit('error', serviceError(toFailure(error), requestId))
  try {
    const release = open.open(caller?.user ?? '', () =>
      fail(unavailable('the stream has reached its longest life: open another')),
    )
    call.on('cancelled', release)
    // Events, because grpc-js' duplex streams do not end an async iterator when the caller has no further request.
    call.on('data', request => {
      try {
        // A caller that does not read its answers is not read either.
        if (!call.write(answer(request))) call.pause()
      } catch (error) {
        fail(error)
      }
    })
    call.on('drain', () => call.resume())
    call.on('end', () => call.end())
    if (call.cancelled) release()
  } catch (error) {
    fail(error)
  }
}

function replyTo({ messageRequest }: Request, { registry, files, names }: Descriptors): Reply {
  switch (messageRequest.case) {
    case 'listServices':
      return { case: 'listServicesResponse', value: { service: names.map(name => ({ name })) } }
    case 'fileByFilename':
      return filesReply(files.get(messageRequest.value.replace(/\.proto$/, '')), messageRequest.value)
    case 'fileContainingSymbol':
      return filesReply(fileOfSymbol(registry, messageRequest.value), messageRequest.value)
    case 'fileContainingExtension': {
      const { containingType, extensionNumber } = messageRequest.value
      const extension = extensionsOf(registry, containingType).find(
        ({ number }) => number === extensionNumber,
      )
      return filesReply(extension?.file, `extension ${extensionNumber} of ${containingType}`)
    }
    case 'allExtensionNumbersOfType':
      return {
        case: 'allExtensionNumbersResponse',
        value: {
          baseTypeName: messageRequest.value,
          extensionNumber: extensionsOf(registry, messageRequest.value).map(({ number }) => number),
        },
      }
    default:
      return refusal(Code.INVALID_ARGUMENT, 'the request is empty: set one of message_request')
  }
}

const refusal = (errorCode: number, errorMessage: string): Reply => ({
  case: 'errorResponse',
  value: { errorCode, errorMessage },
})

function filesReply(file: DescFile | undefined, name: string): Reply {
  if (!file) return refusal(Code.NOT_FOUND, `${name} is not known`)
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
