import {
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
import { type Permission, permission } from '../proto/gen/kairship/permission_pb.js'
import type { Call } from './call.js'
import { parseTemplate, type Template } from './rest/template.js'

/** One way to reach an operation over HTTP. */
export interface Binding {
  readonly verb: 'GET' | 'PUT' | 'POST' | 'DELETE' | 'PATCH'
  readonly template: Template
  /** The request field that the body holds, `*` for all that the path does not name, '' for no body. */
  readonly body: string
}

/** One rpc with all that its proto says of it. Both wires, the document and the authorizer read only this. */
export interface Operation {
  /** `Instance_ListInstances`, as the contract's operationIds are. */
  readonly id: string
  readonly method: DescMethodUnary | DescMethodServerStreaming
  readonly bindings: readonly Binding[]
  /** Absent: the proto does not say, and nobody may call it. */
  readonly permission: Permission | undefined
  readonly handle: (request: never, call: Call) => unknown
}

/**
 * The handlers of one service, one for each rpc of its proto: the compiler demands them all. A unary handler returns its
 * answer; a streaming one returns an iterable, having refused by then what it refuses.
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
 * @throws Error at start when a proto asks for what is not served: client streaming, or a broken path template
 */
export function operationsOf<S extends DescService>(
  service: S,
  handlers: ServiceHandlers<S>,
): readonly Operation[] {
  const byName = handlers as Readonly<Record<string, Operation['handle'] | undefined>>
  return service.methods.map(method => {
    const handle = byName[method.localName]
    if (!handle) throw new Error(`${service.typeName}.${method.name} has no handler`)
    if (!isServed(method)) {
      throw new Error(`${service.typeName}.${method.name}: ${method.methodKind} methods are not served`)
    }
    return {
      id: `${service.name.replace(/Service$/, '')}_${method.name}`,
      method,
      bindings: hasOption(method, http) ? bindingsOf(getOption(method, http)) : [],
      permission: hasOption(method, permission) ? getOption(method, permission) : undefined,
      handle,
    }
  })
}

const isServed = (method: DescMethod): method is Operation['method'] =>
  method.methodKind === 'unary' || method.methodKind === 'server_streaming'

function bindingsOf(rule: HttpRule): Binding[] {
  const { pattern } = rule
  const own =
    pattern.case === undefined || pattern.case === 'custom'
      ? []
      : [
          {
            verb: pattern.case.toUpperCase() as Binding['verb'],
            template: parseTemplate(pattern.value),
            body: rule.body,
          },
        ]
  return [...own, ...rule.additionalBindings.flatMap(bindingsOf)]
}
