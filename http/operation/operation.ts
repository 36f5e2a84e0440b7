import type { DescMethod, DescService, MessageInitShape, MessageShape } from '@bufbuild/protobuf'
import type { Permission } from '../../proto/gen/kairship/permission_pb.js'
import { type Binding, bindingsOf, type HttpMethod, isHttpMethod } from '../../transcoding/binding.js'
import type { Call } from '../call/call.js'
import { namingFieldsOf, type ObjectFields, objectFieldsOf, permissionOf } from './permission.js'

/** One rpc with everything that its proto declares. Both wires, the document and the authorizer read only this. */
export interface Operation {
  /** `Instance_ListInstances`, as the contract's operationIds are. */
  readonly id: string
  readonly method: HttpMethod
  readonly bindings: readonly Binding[]
  /** Absent if the proto has none: then every call is refused. */
  readonly permission: Permission | undefined
  /** The fields that name an object inside an instance; absent where the method is about none. */
  readonly object: ObjectFields | undefined
  /** Fields that must not be empty, by their paths in proto names, beside those that the proto calls REQUIRED. */
  readonly namingFields: readonly string[]
  readonly handle: (request: never, call: Call) => unknown
}

/** One service with its operations, as both wires serve it. */
export interface ServedService {
  readonly service: DescService
  readonly operations: readonly Operation[]
}

/**
 * The handlers of one service, one for each rpc of its proto: the compiler demands them all. A unary handler returns its
 * answer; a streaming one checks the request first and then returns an iterable.
 */
export type ServiceHandlers<S extends DescService> = {
  readonly [K in keyof S['method']]: S['method'][K] extends {
    methodKind: infer Kind
    input: infer I extends DescMethod['input']
    output: infer O extends DescMethod['output']
  }
    ? Kind extends 'unary'
      ? (request: MessageShape<I>, call: Call) => Awaitable<MessageInitShape<O>>
      : Kind extends 'server_streaming'
        ? (request: MessageShape<I>, call: Call) => Awaitable<AsyncIterable<MessageInitShape<O>>>
        : never
    : never
}

type Awaitable<T> = T | Promise<T>

/**
 * Reads a service's descriptors into operations.
 * @throws Error at start for client streaming and parts of google.api.http that are not served, and for a broken path template
 */
export function operationsOf<S extends DescService>(
  service: S,
  handlers: ServiceHandlers<S>,
): readonly Operation[] {
  const byName = handlers as Readonly<Record<string, Operation['handle'] | undefined>>
  return declaredBy(service).map(declared => {
    const { method } = declared
    const handle = byName[method.localName]
    if (!handle) throw new Error(`${service.typeName}.${method.name} has no handler`)
    return { ...declared, handle }
  })
}

/** What the proto of each service declares, read once: that takes longer than everything else of an API's start. */
const read = new WeakMap<DescService, readonly Declared[]>()
type Declared = Omit<Operation, 'handle'>

function declaredBy(service: DescService): readonly Declared[] {
  const known = read.get(service)
  if (known) return known
  const declared = service.methods.map(declaredOf)
  read.set(service, declared)
  return declared
}

function declaredOf(method: DescMethod): Declared {
  const { parent: service } = method
  if (!isHttpMethod(method)) {
    throw new Error(`${service.typeName}.${method.name}: ${method.methodKind} methods are not served`)
  }
  const bindings = bindingsOf(method)
  const object = objectFieldsOf(method)
  return {
    id: `${service.name.replace(/Service$/, '')}_${method.name}`,
    method,
    bindings,
    permission: permissionOf(method),
    object,
    namingFields: namingFieldsOf(
      bindings.map(({ template }) => template),
      object,
    ),
  }
}
