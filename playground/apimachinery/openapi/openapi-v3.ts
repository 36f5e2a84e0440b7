import { createHash } from 'node:crypto'
import { isGenerated } from '../builtin/model-schemas.js'
import type { JsonObject, MutableJsonObject } from '../json.js'
import type { ResourceDefinition } from '../resource-definition.js'
import {
  type Operation,
  PATCH_COMPONENT,
  PATCH_SCHEMA,
  type Parameter,
  patchContentTypes,
  pathItems,
} from './operations.js'
import { SchemaEmitter } from './schema-emitter.js'

/** `apps/v1` → `apis/apps/v1`, `v1` → `api/v1`: how the index names a group version. */
export const documentPath = (groupVersion: string): string =>
  groupVersion.includes('/') ? `apis/${groupVersion}` : `api/${groupVersion}`

/**
 * The index at `/openapi/v3`. Each document's URL carries a hash of its content, so that clients keep what did not change.
 * @param groupVersions group version (`apps/v1`, `v1`) → the kinds served in it
 */
export function openApiV3Index(
  groupVersions: ReadonlyMap<string, readonly ResourceDefinition[]>,
): JsonObject {
  const paths: MutableJsonObject = {}
  for (const [groupVersion, definitions] of groupVersions) {
    const path = documentPath(groupVersion)
    paths[path] = { serverRelativeURL: `/openapi/v3/${path}?hash=${documentHash(definitions)}` }
  }
  return { paths }
}

const fingerprints = new WeakMap<ResourceDefinition, string>()

/** A hash that changes when anything a document of these kinds says changes; cheap, because definitions are shared. */
export function documentHash(definitions: readonly ResourceDefinition[]): string {
  const hash = createHash('sha256')
  for (const definition of definitions) hash.update(fingerprint(definition))
  return hash.digest('hex').toUpperCase()
}

function fingerprint(definition: ResourceDefinition): string {
  let known = fingerprints.get(definition)
  if (known === undefined) {
    const { group, version, plural, schema, subresources, verbs } = definition
    const content = JSON.stringify([
      group,
      version,
      plural,
      verbs,
      subresources,
      isGenerated(schema.model) ? schema.model : schema,
    ])
    known = createHash('sha256').update(content).digest('base64')
    fingerprints.set(definition, known)
  }
  return known
}

/** The OpenAPI 3.0 document of one group version: paths with their operations, and every type they use. */
export function openApiV3(definitions: readonly ResourceDefinition[]): JsonObject {
  const emitter = new SchemaEmitter('v3')
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
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: 'unversioned' },
    paths,
    components: {
      schemas: emitter.components(),
      securitySchemes: {
        BearerToken: {
          description: 'Bearer Token authentication',
          in: 'header',
          name: 'authorization',
          type: 'apiKey',
        },
      },
    },
  }
}

const written = new WeakMap<Parameter, JsonObject>()

function writeParameter(parameter: Parameter): JsonObject {
  let known = written.get(parameter)
  if (!known) {
    const { name, in: where, type, description } = parameter
    known = {
      name,
      in: where,
      description,
      ...(where === 'path' ? { required: true } : {}),
      schema: { type, uniqueItems: true },
    }
    written.set(parameter, known)
  }
  return known
}

function writeOperation(
  emitter: SchemaEmitter,
  definition: ResourceDefinition,
  operation: Operation,
): JsonObject {
  const { id, description, action, parameters, kind, method } = operation
  const answer = {
    description: 'OK',
    content: { 'application/json': { schema: answerSchema(emitter, definition, operation) } },
  }
  const body = requestBody(emitter, definition, operation)
  const created = method === 'post' || method === 'put' || method === 'patch'
  return {
    description,
    operationId: id,
    parameters: parameters.map(writeParameter),
    ...(body ? { requestBody: body } : {}),
    responses: {
      '200': answer,
      ...(created ? { '201': { ...answer, description: 'Created' } } : {}),
      '401': { description: 'Unauthorized' },
    },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': kind,
  }
}

/** The schema of what an operation answers with. */
export function answerSchema(
  emitter: SchemaEmitter,
  definition: ResourceDefinition,
  { answer }: Operation,
): JsonObject {
  if (answer === 'object') return emitter.kind(definition)
  if (answer === 'list') return emitter.kind(definition, true)
  return emitter.model(answer === 'status' ? 'V1Status' : answer.model)
}

/** The schema of an operation's body, or undefined when it has none. */
export function bodySchema(
  emitter: SchemaEmitter,
  definition: ResourceDefinition,
  { body }: Operation,
): JsonObject | undefined {
  if (body === undefined) return undefined
  if (body === 'object') return emitter.kind(definition)
  if (body === 'patch') return emitter.named(PATCH_COMPONENT, PATCH_SCHEMA)
  return emitter.model(body === 'delete' ? 'V1DeleteOptions' : body.model)
}

function requestBody(
  emitter: SchemaEmitter,
  definition: ResourceDefinition,
  operation: Operation,
): JsonObject | undefined {
  const schema = bodySchema(emitter, definition, operation)
  if (!schema) return undefined
  const types = operation.body === 'patch' ? patchContentTypes(definition) : ['application/json']
  return {
    content: Object.fromEntries(types.map(type => [type, { schema }])),
    ...(operation.body === 'delete' ? {} : { required: true }),
  }
}
