import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  create,
  type DescField,
  type DescMessage,
  fromJson,
  type Message,
  ScalarType,
  toJson,
} from '@bufbuild/protobuf'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import type { Dispatcher } from '../../http/dispatch/dispatcher.js'
import { operationsOf, type ServiceHandlers } from '../../http/operation/operation.js'
import type { RestEnv } from '../../http/rest/env.js'
import { addRoutes } from '../../http/rest/routes.js'
import { testApi } from '../http/fakes/api.js'
import { type Contract, type ContractOperation, type Json, resolve, type Schema, sampleOf } from './sample.js'
import { services } from './services.js'

const contract = JSON.parse(readFileSync(join(import.meta.dirname, 'contract.json'), 'utf8')) as Contract

/** The operations of all services, as the server would have them if each had handlers. */
const operations = services.flatMap(service =>
  operationsOf(service, new Proxy({}, { get: () => () => ({}) }) as ServiceHandlers<typeof service>),
)
const operationOf = ({ service, rpc }: ContractOperation) =>
  operations.find(({ id }) => id === `${service}_${rpc}`)!

/** REST routes of all services over a dispatcher that only reads requests and remembers them. */
const received: { readonly id: string; readonly request: Message }[] = []
const dispatcher: Dispatcher = {
  async unary(operation, read) {
    received.push({ id: operation.id, request: await read() })
    return create(operation.method.output)
  },
  async stream(operation) {
    throw new Error(`${operation.id} is not in the contract`)
  },
  refused: () => undefined,
}
const app = new Hono<RestEnv>()
addRoutes(app, operations, dispatcher)

describe('the contract', () => {
  it('has 178 operations in 14 services, and each service has a .proto file', () => {
    expect(contract.operations).toHaveLength(178)
    const named = [...new Set(contract.operations.map(({ service }) => `${service}Service`))]
    expect(named).toHaveLength(14)
    const beyond = [
      'AccessLockService',
      'AccessReviewService',
      'AuditService',
      'FleetService',
      'PlacementService',
      'PropagationService',
      'RoleBindingService',
      'WorkloadPodsService',
      'WorkloadService',
    ]
    expect(services.map(({ name }) => name).sort()).toEqual([...named, ...beyond].sort())
  })

  it('is served only where there are handlers', () => {
    const { api } = testApi()
    const served = api.services.map(({ service }) => service.name)
    expect(
      services.map(({ name }) => name).filter(name => !served.includes(name)),
      'described but not served yet: a service with handlers leaves this list',
    ).toEqual([])
  })

  it('is loaded by the server only for served services, because generated code costs start-up time', () => {
    const served = testApi().api.services.flatMap(({ service }) => [
      service.file.name,
      ...service.file.dependencies.map(({ name }) => name),
    ])
    const folder = join(import.meta.dirname, '../../http')
    const imported = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter(name => name.endsWith('.ts'))
      .flatMap(name => [
        ...readFileSync(join(folder, name), 'utf8').matchAll(
          /gen\/(?:kairship|comments)\/(\w+?)(?:_pb)?\.js'/g,
        ),
      ])
      .map(([, name]) => `kairship/${name}`)
    expect([...new Set(imported)].filter(name => !served.includes(name))).toEqual([])
    expect(imported.length).toBeGreaterThan(5)
  })

  it('paths of services that are not served are answered as unknown paths', async () => {
    const { api, app: served } = testApi()
    const ids = api.services.flatMap(service => service.operations.map(({ id }) => id))
    for (const { service, rpc, method, path } of contract.operations) {
      if (ids.includes(`${service}_${rpc}`)) continue
      const headers = { authorization: 'Bearer admin', 'content-type': 'application/json' }
      const { status } = await served.request(path.replace(/\{(\w+)\}/g, 'text'), { method, headers }, {})
      expect([404, 405], `${service}_${rpc}`).toContain(status)
    }
  })
})

describe.each(contract.operations)('the contract’s $service.$rpc', operation => {
  const { service, rpc, method, path, params, body, response } = operation

  it('has its verb, path and permission', () => {
    const { bindings, permission } = operationOf(operation)
    expect(bindings.map(({ verb, template }) => `${verb} ${template.source}`)).toContain(`${method} ${path}`)
    expect(permission?.anyCaller || (permission?.verb && permission.resource)).toBeTruthy()
    if (permission?.nameField) {
      expect(fieldAt(operationOf(operation).method.input, permission.nameField, true)?.scalar).toBe(
        ScalarType.STRING,
      )
    }
  })

  it('is reached by its path, which no other RPC takes, with path, query and body in the request', async () => {
    const inPath = params.filter(parameter => parameter.in === 'path').map(({ name }) => [name, `my-${name}`])
    const query = params.filter(parameter => parameter.in === 'query' && !isListOfMessages(parameter))
    const fields = body ? (sampleOf(contract, body) as Readonly<Record<string, Json>>) : {}
    const url = path.replace(/\{(\w+)\}/g, 'my-$1')
    const search = new URLSearchParams(
      query.map((parameter): [string, string] => [parameter.name, textOf(parameter)]),
    )
    received.length = 0
    const answer = await app.request(
      query.length > 0 ? `${url}?${search}` : url,
      {
        method,
        ...(body ? { body: JSON.stringify(fields), headers: { 'content-type': 'application/json' } } : {}),
      },
      {},
    )
    expect(answer.status, await answer.text()).toBe(200)
    expect(received.map(({ id }) => id)).toEqual([`${service}_${rpc}`])
    const read = toJson(operationOf(operation).method.input, received[0]!.request)
    expect(read).toMatchObject({ ...fields, ...Object.fromEntries(inPath) })
    for (const parameter of query) {
      expect([valueAt(read, parameter.name)].flat().join(), parameter.name).toBe(textOf(parameter))
    }
  })

  it('has its parameters, body and response fields, by name and type', () => {
    const { input, output } = operationOf(operation).method
    for (const parameter of params) {
      const field = fieldAt(input, parameter.name, parameter.in === 'path')
      expect(typeOf(field, parameter), parameter.name).toBe(true)
    }
    if (body) expect(differences(input, body, rpc)).toEqual([])
    expect(differences(output, response, rpc)).toEqual([])
  })

  it('encodes its response as the contract does', () => {
    const { output } = operationOf(operation).method
    const answer = sampleOf(contract, response)
    expect(toJson(output, fromJson(output, answer as never))).toEqual(answer)
  })
})

/** A query cannot hold these. */
const isListOfMessages = (schema: Schema) => schema.type === 'array' && !!schema.items?.$ref

const textOf = (schema: Schema): string => String([sampleOf(contract, schema)].flat()[0])

const valueAt = (json: unknown, path: string): unknown =>
  path.split('.').reduce((value, name) => (value as Readonly<Record<string, unknown>>)?.[name], json)

const fieldNamed = (message: DescMessage, name: string, byProtoName = false): DescField | undefined =>
  message.fields.find(field => (byProtoName ? field.name : field.jsonName) === name)

/** A field by its path, `cluster.spec.region`. */
function fieldAt(message: DescMessage, path: string, byProtoName: boolean): DescField | undefined {
  const [name = '', ...rest] = path.split('.')
  const field = fieldNamed(message, name, byProtoName)
  if (rest.length === 0) return field
  return field?.message ? fieldAt(field.message, rest.join('.'), byProtoName) : undefined
}

/** Every field of the contract's schema that the message lacks or types otherwise. The message may have more. */
function differences(message: DescMessage, schema: Schema, path: string, seen = new Set<string>()): string[] {
  if (schema.$ref && seen.has(schema.$ref)) return []
  if (schema.$ref) seen.add(schema.$ref)
  return Object.entries(resolve(contract, schema).properties ?? {}).flatMap(([name, property]) => {
    const field = fieldNamed(message, name)
    const at = `${path}.${name}`
    if (!typeOf(field, property)) return [`${at} is ${JSON.stringify(resolve(contract, property))}`]
    const inner = property.items ?? property.additionalProperties ?? property
    return field?.message ? differences(field.message, inner, at, seen) : []
  })
}

/** Whether a field has the type of the contract's schema, the types of lists and maps included. */
function typeOf(field: DescField | undefined, schema: Schema): boolean {
  if (!field) return false
  const found = resolve(contract, schema)
  if (found.type === 'array') return field.fieldKind === 'list' && singleTypeOf(field, found.items!)
  if (found.additionalProperties) {
    return field.fieldKind === 'map' && singleTypeOf(field, found.additionalProperties)
  }
  return field.fieldKind !== 'list' && field.fieldKind !== 'map' && singleTypeOf(field, found)
}

function singleTypeOf(field: DescField, schema: Schema): boolean {
  const found = resolve(contract, schema)
  if (found.enum) {
    const names = field.enum?.values.map(({ name }) => name)
    return found.enum.every((name, number) => names?.[number] === name)
  }
  if (field.message) return found.type === 'object' || found.properties !== undefined
  return field.scalar !== undefined && scalarNames[field.scalar] === `${found.type}:${found.format ?? ''}`
}

const scalarNames: Partial<Record<ScalarType, string>> = {
  [ScalarType.STRING]: 'string:',
  [ScalarType.BYTES]: 'string:byte',
  [ScalarType.BOOL]: 'boolean:',
  [ScalarType.INT32]: 'integer:int32',
  [ScalarType.INT64]: 'string:int64',
  [ScalarType.DOUBLE]: 'number:double',
}
