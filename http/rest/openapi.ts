import type { DescService } from '@bufbuild/protobuf'
import { OpenAPIHono } from '@hono/zod-openapi'
import { StatusSchema } from '../../proto/gen/google/rpc/status_pb.js'
import type { Binding } from '../../transcoding/binding.js'
import type { Operation } from '../operation/operation.js'
import { comments } from './comments.js'
import { bodySchema, queryParameters, SchemaBook } from './schemas.js'

type Registry = OpenAPIHono['openAPIRegistry']
type RouteConfig = Parameters<Registry['registerPath']>[0]

/** The OpenAPI 3.1 document of these services, derived from their descriptors. */
export function openApiDocument(
  services: readonly { readonly service: DescService; readonly operations: readonly Operation[] }[],
) {
  const { openAPIRegistry: registry, getOpenAPI31Document } = new OpenAPIHono()
  const book = new SchemaBook(registry)
  registry.registerComponent('securitySchemes', 'token', {
    type: 'http',
    scheme: 'bearer',
    description: 'A token that the host cluster’s TokenReview accepts. A client certificate serves as well.',
  })
  for (const { service, operations } of services) {
    for (const operation of operations) {
      for (const [index, binding] of operation.bindings.entries()) {
        // Each path needs an id of its own; the first has the contract's.
        const operationId = index === 0 ? operation.id : `${operation.id}_${index + 1}`
        registry.registerPath({ ...routeOf(service, operation, binding, book), operationId })
      }
    }
  }
  const document = getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Kairship',
      version: 'v1alpha1',
      description: 'Karmada control planes under management. Errors are google.rpc.Status.',
      license: { name: 'Apache 2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    // The server that the document was read from.
    servers: [{ url: '/' }],
    security: [{ token: [] }],
    tags: services.map(({ service }) => ({
      name: tagOf(service),
      description: comments[service.typeName] ?? '',
    })),
  })
  return withSiblings(document)
}

/**
 * Writes `{allOf: [{$ref}, {description}]}` as `{$ref, description}`. OpenAPI 3.1 allows keywords beside a reference, which
 * the library does not know; generators make a second class of each allOf, or give up.
 */
function withSiblings<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withSiblings) as T
  if (typeof value !== 'object' || value === null) return value
  const { allOf, ...rest } = value as Readonly<Record<string, unknown>>
  const inner = Object.fromEntries(Object.entries(rest).map(([key, item]) => [key, withSiblings(item)]))
  if (!Array.isArray(allOf)) return inner as T
  const parts = allOf.map(withSiblings)
  const isReference = parts.filter(part => '$ref' in part).length === 1
  return (isReference ? Object.assign({}, ...parts, inner) : { ...inner, allOf: parts }) as T
}

const tagOf = (service: DescService): string => service.name.replace(/Service$/, '')

function routeOf(
  service: DescService,
  operation: Operation,
  binding: Binding,
  book: SchemaBook,
): RouteConfig {
  const { method } = operation
  const text = comments[`${service.typeName}.${method.name}`] ?? `${wordsOf(method.name)}.`
  const bound = binding.template.segments.flatMap(segment => ('literal' in segment ? [] : [segment.field]))
  const request = {
    params: book.parameters(method.input, bound),
    ...(binding.body === '*' ? {} : { query: queryParameters(book, method.input, [...bound, binding.body]) }),
    ...(binding.body
      ? {
          body: {
            required: true,
            content: { 'application/json': { schema: bodySchema(book, method.input, binding.body, bound) } },
          },
        }
      : {}),
  }
  const media = method.methodKind === 'unary' ? 'application/json' : 'text/event-stream'
  return {
    method: binding.verb.toLowerCase() as RouteConfig['method'],
    path: pathOf(binding),
    tags: [tagOf(service)],
    description: text,
    summary: firstSentence(text),
    request,
    responses: {
      200: {
        description: method.methodKind === 'unary' ? 'OK' : 'The data of each event is one of these.',
        content: { [media]: { schema: book.message(method.output) } },
      },
      default: {
        description: 'A refusal.',
        content: { 'application/json': { schema: book.message(StatusSchema) } },
      },
    },
  }
}

/** Up to the first full stop that a capital follows: not up to one in `e.g.` or in a version. */
export const firstSentence = (text: string): string => text.split(/(?<=\.)\s+(?=[A-Z`])/)[0] ?? text

/** `GetPodLogs` is "Gets pod logs", for a method without a comment. */
function wordsOf(name: string): string {
  const [verb = '', ...rest] = name
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .replace(/ [A-Z](?=[a-z])/g, letter => letter.toLowerCase())
    .split(' ')
  const third = /(s|sh|ch|x)$/.test(verb) ? `${verb}es` : `${verb}s`
  return [third, ...rest].join(' ')
}

/** OpenAPI's way to write a template: `{name}` whatever its pattern, the custom verb after it. */
function pathOf({ template: { segments, verb } }: Binding): string {
  const parts = segments.map(segment => ('literal' in segment ? segment.literal : `{${segment.field}}`))
  return `/${parts.join('/')}${verb ? `:${verb}` : ''}`
}
