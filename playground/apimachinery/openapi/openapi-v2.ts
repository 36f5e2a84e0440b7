import type { JsonObject, MutableJsonObject } from '../json.js'
import type { ResourceDefinition } from '../resource-definition.js'
import { answerSchema, bodySchema } from './openapi-v3.js'
import { type Operation, type Parameter, patchContentTypes, pathItems } from './operations.js'
import { SchemaEmitter } from './schema-emitter.js'

/**
 * The Swagger 2.0 document of everything a server serves, at `/openapi/v2`. Older clients (kubectl before 1.27) know no
 * other, and take from it what can be explained, how lists merge, and whether a write can be tried with dryRun.
 */
export function openApiV2(definitions: readonly ResourceDefinition[], version = 'unversioned'): JsonObject {
  const emitter = new SchemaEmitter('v2')
  const paths: MutableJsonObject = {}
  for (const definition of definitions) {
    for (const { path, parameters, operations } of pathItems(definition)) {
      const item: MutableJsonObject = { parameters: parameters.map(writeParameter) }
      for (const operation of operations)
        item[operation.method] = writeOperation(emitter, definition, operation)
      paths[path] = item
    }
  }
  return {
    swagger: '2.0',
    info: { title: 'Kubernetes', version },
    paths,
    definitions: emitter.components(),
    securityDefinitions: {
      BearerToken: {
        description: 'Bearer Token authentication',
        in: 'header',
        name: 'authorization',
        type: 'apiKey',
      },
    },
    security: [{ BearerToken: [] }],
  }
}

const writeParameter = ({ name, in: where, type, description }: Parameter): JsonObject => ({
  name,
  in: where,
  description,
  type,
  uniqueItems: true,
  ...(where === 'path' ? { required: true } : {}),
})

function writeOperation(
  emitter: SchemaEmitter,
  definition: ResourceDefinition,
  operation: Operation,
): JsonObject {
  const { id, description, action, parameters, kind, method } = operation
  const schema = bodySchema(emitter, definition, operation)
  const answer = { description: 'OK', schema: answerSchema(emitter, definition, operation) }
  const created = method === 'post' || method === 'put' || method === 'patch'
  return {
    description,
    operationId: id,
    consumes: operation.body === 'patch' ? patchContentTypes(definition) : ['*/*'],
    produces: ['application/json', 'application/yaml'],
    schemes: ['https'],
    parameters: [
      ...(schema
        ? [{ name: 'body', in: 'body', schema, ...(operation.body === 'delete' ? {} : { required: true }) }]
        : []),
      ...parameters.map(writeParameter),
    ],
    responses: {
      '200': answer,
      ...(created ? { '201': { ...answer, description: 'Created' } } : {}),
      '401': { description: 'Unauthorized' },
    },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': kind,
  }
}
