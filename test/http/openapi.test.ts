import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import { operationsOf, type ServiceHandlers } from '../../http/operation/operation.js'
import { firstSentence, openApiDocument } from '../../http/rest/openapi.js'
import { services } from '../proto/services.js'
import { testApi } from './fakes/api.js'

const { api } = testApi()
const document = openApiDocument(api.services) as unknown as {
  openapi: string
  paths: Record<string, Record<string, DocumentedOperation>>
  components: { schemas: Record<string, { properties?: Record<string, unknown>; enum?: string[] }> }
}

interface DocumentedOperation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
}

describe('the OpenAPI document', () => {
  it('is 3.1 and has every served operation of the contract with its path, verb and operationId', () => {
    const contract = JSON.parse(
      readFileSync(join(import.meta.dirname, '../proto/contract.json'), 'utf8'),
    ) as {
      operations: { service: string; rpc: string; method: string; path: string }[]
    }
    const served = api.services.map(({ service }) => service.name)
    expect(document.openapi).toBe('3.1.0')
    for (const { service, rpc, method, path } of contract.operations) {
      const id = document.paths[path]?.[method.toLowerCase()]?.operationId
      expect(id).toBe(served.includes(`${service}Service`) ? `${service}_${rpc}` : undefined)
    }
  })

  it('distinguishes types of one name from different services', () => {
    const { components } = openApiDocument(
      ['Instance', 'Workspace', 'Cluster', 'Core', 'Policy'].map(name => {
        const service = services.find(described => described.name === `${name}Service`)!
        const handlers = new Proxy({}, { get: () => () => ({}) }) as ServiceHandlers<typeof service>
        return { service, operations: operationsOf(service, handlers) }
      }),
    ) as unknown as typeof document
    const { LocalSecretReference, ClusterLocalSecretReference, Toleration, PolicyToleration } =
      components.schemas
    expect(Object.keys(LocalSecretReference?.properties ?? {})).toEqual(['name', 'namespace'])
    expect(Object.keys(ClusterLocalSecretReference?.properties ?? {})).toContain('resourceVersion')
    expect(JSON.stringify(components.schemas.ClusterSpec)).toContain('/ClusterLocalSecretReference"')
    expect(JSON.stringify(components.schemas.HostCluster)).toContain('/LocalSecretReference"')
    expect(Toleration?.properties).toBeDefined()
    expect(JSON.stringify(components.schemas.Placement)).toContain('/PolicyToleration"')
    expect(PolicyToleration?.properties).toBeDefined()
  })

  it('gives each path of an operation an operationId of its own, the first that of the contract', () => {
    const { service, operations } = api.services[0]!
    const operation = operations[0]!
    const first = operation.bindings[0]!
    const second = { ...first, template: { ...first.template, verb: 'other' } }
    const twice = { service, operations: [{ ...operation, bindings: [first, second] }] }
    const { paths } = openApiDocument([twice]) as unknown as typeof document
    const ids = Object.values(paths).flatMap(path =>
      Object.values(path).map(({ operationId }) => operationId),
    )
    expect(ids).toEqual([operation.id, `${operation.id}_2`])
  })

  it('writes custom verbs and streams', () => {
    expect(document.paths['/apis/kairship.io/v1alpha1/instances:watch']?.get).toMatchObject({
      operationId: 'Instance_WatchInstances',
      responses: { 200: { content: { 'text/event-stream': {} } } },
    })
    expect(document.paths['/apis/kairship.io/v1alpha1/instances/{name}:explain']?.get).toMatchObject({
      parameters: [{ name: 'name', in: 'path', required: true }],
    })
  })

  it('names query parameters as REST reads them, with their types', () => {
    const parameters = document.paths['/apis/kairship.io/v1alpha1/instances']?.get?.parameters
    expect(parameters?.map(({ name }) => name)).toEqual([
      ...['name', 'page', 'pageSize', 'sortBy', 'sortDir', 'pageToken', 'needsAttention'],
    ])
  })

  it('has int64 as text, enums by name, and required fields', () => {
    const { ObjectMeta, InstanceStatusState, CreateInstanceRequest } = document.components.schemas
    expect(ObjectMeta?.properties?.creationTimestamp).toMatchObject({ type: 'string', format: 'int64' })
    expect(InstanceStatusState?.enum).toContain('INSTANCE_STATE_RUNNING')
    expect(CreateInstanceRequest).toMatchObject({ required: ['data'] })
  })

  it('has every schema that it refers to', () => {
    const references = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(
      ([, name]) => name,
    )
    expect(references.length).toBeGreaterThan(20)
    expect(references.filter(name => !document.components.schemas[name!])).toEqual([])
  })

  it('passes two public validators without an error', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document))
    expect([valid, errors]).toEqual([true, undefined])
    const config = await createConfig({ extends: ['recommended'] })
    const problems = await lintFromString({ source: JSON.stringify(document), config })
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([])
  })

  it('has one type per message: a reference keeps its description beside it, not in an allOf', () => {
    expect(JSON.stringify(document)).not.toContain('allOf')
    expect(document.components.schemas.InstanceSpec?.properties?.kubeconfigSecretRef).toEqual({
      $ref: '#/components/schemas/SecretReference',
      description: expect.stringContaining('Secret holding the kubeconfig'),
    })
    expect(document.components.schemas.Status?.properties?.details).toMatchObject({
      items: { type: 'object', required: ['@type'] },
    })
  })

  it('summarizes each operation with the first sentence of its comment', () => {
    for (const operation of Object.values(document.paths).flatMap(path => Object.values(path))) {
      expect(operation.description).toContain(operation.summary)
      expect(operation.summary).toMatch(/\.$/)
    }
    expect(firstSentence('Does this: and that, e.g. v1.2. Then more.')).toBe(
      'Does this: and that, e.g. v1.2.',
    )
    expect(document.paths['/apis/kairship.io/v1alpha1/instances']?.post?.summary).toMatch(
      /^Creates an Instance: adopts .* installed\.$/,
    )
    expect(document.paths['/apis/kairship.io/v1alpha1/instances/{name}']?.get?.summary).toBe(
      'Returns one instance: its desired state, and its observed state in `status`.',
    )
  })
})
