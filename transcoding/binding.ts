import {
  type DescField,
  type DescMessage,
  type DescMethod,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  getOption,
  hasOption,
} from '@bufbuild/protobuf'
import { http } from '../proto/gen/google/api/annotations_pb.js'
import type { HttpRule } from '../proto/gen/google/api/http_pb.js'
import { parseTemplate, type Template } from './template.js'

/** One way to reach a method over HTTP. */
export interface Binding {
  readonly verb: 'GET' | 'PUT' | 'POST' | 'DELETE' | 'PATCH'
  readonly template: Template
  /** The request field that the body holds, `*` for all that the path does not name, '' for no body. */
  readonly body: string
}

/** A method that has one request message: those that HTTP serves. */
export type HttpMethod = DescMethodUnary | DescMethodServerStreaming

/** Whether a method is served: client streaming is not. */
export const isHttpMethod = (method: DescMethod): method is HttpMethod =>
  method.methodKind === 'unary' || method.methodKind === 'server_streaming'

/**
 * The paths of a method as its google.api.http option declares them, the method's own first.
 * @throws Error for parts of google.api.http that are not served, and for a broken path template
 */
export function bindingsOf(method: DescMethod): readonly Binding[] {
  return hasOption(method, http) ? bindingsOfRule(method, getOption(method, http)) : []
}

/** @throws Error for what google.api.http allows and the routes do not do, instead of serving something else */
function bindingsOfRule(method: DescMethod, rule: HttpRule, nested = false): Binding[] {
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
  return [own, ...additionalBindings.flatMap(other => bindingsOfRule(method, other, true))]
}

/** The field at a path in proto names, `cluster.name`. */
export function fieldAt(message: DescMessage, path: string): DescField | undefined {
  const [name, ...rest] = path.split('.')
  const field = message.fields.find(candidate => candidate.name === name)
  if (rest.length === 0) return field
  return field?.fieldKind === 'message' ? fieldAt(field.message, rest.join('.')) : undefined
}

/** Well-known types whose JSON is a string: in a query such a field is a plain value. */
export const WRITTEN_AS_TEXT: ReadonlySet<string> = new Set([
  'google.protobuf.Timestamp',
  'google.protobuf.Duration',
  'google.protobuf.FieldMask',
  'google.protobuf.StringValue',
  'google.protobuf.BytesValue',
  'google.protobuf.Int64Value',
  'google.protobuf.UInt64Value',
])
