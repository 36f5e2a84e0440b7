import {
  type DescField,
  type DescMessage,
  type DescMethod,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  type DescService,
  getOption,
  hasOption,
  type MessageInitShape,
  type MessageShape,
} from '@bufbuild/protobuf'
import { http } from '../proto/gen/google/api/annotations_pb.js'
import type { HttpRule } from '../proto/gen/google/api/http_pb.js'
import type { Permission } from '../proto/gen/kairship/permission_pb.js'
import type { Call } from './call.js'
import { namingFieldsOf, type ObjectFields, objectFieldsOf, permissionOf } from './permission.js'
import { parseTemplate, type Template } from './rest/template.js'

/** One way to reach an operation over HTTP. */
export interface Binding {
  readonly verb: 'GET' | 'PUT' | 'POST' | 'DELETE' | 'PATCH'
  readonly template: Template
  /** The request field that the body holds, `*` for all that the path does not name, '' for no body. */
  readonly body: string
}

/** One rpc with everything that its proto declares. Both wires, the document and the authorizer read only this. */
export interface Operation {
  /** `Instance_ListInstances`, as the contract's operationIds are. */
  readonly id: string
  readonly method: DescMethodUnary | DescMethodServerStreaming
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
  if (!isServed(method)) {
    throw new Error(`${service.typeName}.${method.name}: ${method.methodKind} methods are not served`)
  }
  const bindings = hasOption(method, http) ? bindingsOf(method, getOption(method, http)) : []
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

const isServed = (method: DescMethod): method is Operation['method'] =>
  method.methodKind === 'unary' || method.methodKind === 'server_streaming'

/** @throws Error for what google.api.http allows and the routes do not do, instead of serving something else */
function bindingsOf(method: DescMethod, rule: HttpRule, nested = false): Binding[] {
  const { pattern, body, responseBody, additionalBindings } = rule
  const refuse = (problem: string) =>
    new Error(`${method.parent.typeName}.${method.name}: google.api.http ${problem}`)
  if (pattern.case === undefined) throw refuse('has no path')
  if (pattern.case === 'custom') throw refuse(`has the method ${pattern.value.kind}, which is not served`)
  if (responseBody) throw refuse('has a response_body, which is not served: answers are whole messages')
  if (nested && additionalBindings.length > 0)
    throw refuse('has additional_bindings inside additional_bindings')
  if (body && body !== '*' && !method.input.fields.some(({ name }) => name === body)) {
    throw refuse(`has the body ${body}, which is no field of ${method.input.name}`)
  }
  const template = parseTemplate(pattern.value)
  for (const segment of template.segments) {
    if ('literal' in segment || segment.field === '') continue
    const kind = fieldAt(method.input, segment.field)?.fieldKind
    if (kind !== 'scalar' && kind !== 'enum') {
      throw refuse(`binds {${segment.field}}, which is no plain field of ${method.input.name}`)
    }
  }
  const own = { verb: pattern.case.toUpperCase() as Binding['verb'], template, body }
  return [own, ...additionalBindings.flatMap(other => bindingsOf(method, other, true))]
}

/** The field at a path in proto names, `cluster.name`. */
function fieldAt(message: DescMessage, path: string): DescField | undefined {
  const [name, ...rest] = path.split('.')
  const field = message.fields.find(candidate => candidate.name === name)
  if (rest.length === 0) return field
  return field?.fieldKind === 'message' ? fieldAt(field.message, rest.join('.')) : undefined
}
