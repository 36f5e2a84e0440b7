import type { DescService } from '@bufbuild/protobuf'
import { OpenAPIHono } from '@hono/zod-openapi'
import { comments } from '../../proto/gen/comments.js'
import { StatusSchema } from '../../proto/gen/google/rpc/status_pb.js'
import type { Binding, Operation } from '../operation.js'
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
      for (const binding of operation.bindings) {
        registry.registerPath(routeOf(service, operation, binding, book))
      }
    }
  }
  return getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Kairship',
      version: 'v1alpha1',
      description: 'Karmada control planes under management. Errors are google.rpc.Status.',
    },
    security: [{ token: [] }],
    tags: services.map(({ service }) => ({
      name: tagOf(service),
      description: comments[service.typeName] ?? '',
    })),
  })
}

const tagOf = (service: DescService): string => service.name.replace(/Service$/, '')

function routeOf(
  service: DescService,
  operation: Operation,
  binding: Binding,
  book: SchemaBook,
): RouteConfig {
  const { method } = operation
  const text = comments[`${service.typeName}.${method.name}`]
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
    operationId: operation.id,
    tags: [tagOf(service)],
    ...(text ? { description: text, summary: text.split(/(?<=[.:])\s/)[0] ?? text } : {}),
    request,
    responses: {
      200: {
        description: method.methodKind === 'unary' ? 'OK' : 'Each event’s data is one of these.',
        content: { [media]: { schema: book.message(method.output) } },
      },
      default: {
        description: 'A refusal.',
        content: { 'application/json': { schema: book.message(StatusSchema) } },
      },
    },
  }
}

/** OpenAPI's way to write a template: `{name}` whatever its pattern, the custom verb after it. */
function pathOf({ template: { segments, verb } }: Binding): string {
  const parts = segments.map(segment => ('literal' in segment ? segment.literal : `{${segment.field}}`))
  return `/${parts.join('/')}${verb ? `:${verb}` : ''}`
}
