import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DescField, DescMessage, DescService } from '@bufbuild/protobuf'
import { ScalarType } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { operationsOf, type ServiceHandlers } from '../../http/operation.js'
import { InstanceService } from '../../proto/gen/kairship/instance_pb.js'
import { testApi } from '../http/fakes/api.js'

/** The product's published REST contract for this service: types, enums and formats only. */
interface Contract {
  readonly operations: readonly {
    readonly service: string
    readonly rpc: string
    readonly method: string
    readonly path: string
    readonly params: readonly Parameter[]
    readonly body: Schema | null
    readonly response: Schema
  }[]
  readonly definitions: Readonly<Record<string, Schema>>
}
interface Parameter extends Schema {
  readonly name: string
  readonly in: 'path' | 'query'
}
interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly format?: string
  readonly enum?: readonly string[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema
}

const contract = JSON.parse(
  readFileSync(join(import.meta.dirname, 'contract-instance.json'), 'utf8'),
) as Contract
const service: DescService = InstanceService
const operations = operationsOf(
  InstanceService,
  new Proxy({}, { get: () => () => ({}) }) as ServiceHandlers<typeof InstanceService>,
)
const methodNamed = (name: string) => service.methods.find(method => method.name === name)!

describe.each(contract.operations)(
  'the contract’s $rpc',
  ({ service: name, rpc, method, path, params, body, response }) => {
    it('has its verb and path, and says what its caller must be allowed', () => {
      const operation = operations.find(({ id }) => id === `${name}_${rpc}`)
      expect(operation?.bindings.map(({ verb, template }) => `${verb} ${template.source}`)).toContain(
        `${method} ${path}`,
      )
      expect(operation?.permission?.anyCaller || operation?.permission?.verb).toBeTruthy()
    })

    it('resolves to its own rpc and to no other', async () => {
      const { app, counts } = testApi()
      await app.request(
        path.replace(/\{\w+\}/g, 'north'),
        {
          method,
          headers: { authorization: 'Bearer admin', 'content-type': 'application/json' },
          ...(body ? { body: '{}' } : {}),
        },
        {},
      )
      const called = [...counts.keys()].filter(key => key.startsWith('kairship_api_requests_total'))
      expect(called).toHaveLength(1)
      expect(called[0]).toContain(`"operation":"${name}_${rpc}"`)
    })

    it('takes its parameters and body, and answers its fields', () => {
      const { input, output } = methodNamed(rpc)
      for (const parameter of params) {
        const field = fieldOf(input, parameter.name, parameter.in === 'path')
        expect(typeOf(field, parameter), parameter.name).toBe(true)
      }
      if (body) expect(differences(input, body, rpc)).toEqual([])
      expect(differences(output, response, rpc)).toEqual([])
    })
  },
)

const fieldOf = (message: DescMessage, name: string, byProtoName = false): DescField | undefined =>
  message.fields.find(field => (byProtoName ? field.name : field.jsonName) === name)

/** Every field of the contract's schema that the message lacks or types otherwise. The message may have more. */
function differences(message: DescMessage, schema: Schema, path: string, seen = new Set<string>()): string[] {
  if (schema.$ref && seen.has(schema.$ref)) return []
  if (schema.$ref) seen.add(schema.$ref)
  return Object.entries(resolve(schema).properties ?? {}).flatMap(([name, property]) => {
    const field = fieldOf(message, name)
    const at = `${path}.${name}`
    if (!typeOf(field, property)) return [`${at} is ${JSON.stringify(resolve(property))}`]
    const inner = property.items ?? property.additionalProperties ?? property
    return field && 'message' in field && field.message ? differences(field.message, inner, at, seen) : []
  })
}

const resolve = (schema: Schema): Schema =>
  schema.$ref ? contract.definitions[schema.$ref.split('/').pop()!]! : schema

function typeOf(field: DescField | undefined, schema: Schema): boolean {
  if (!field) return false
  const found = resolve(schema)
  if (found.type === 'array') return field.fieldKind === 'list'
  if (found.additionalProperties) return field.fieldKind === 'map'
  if (found.enum) {
    return (
      field.fieldKind === 'enum' &&
      found.enum.every(name => field.enum.values.some(value => value.name === name))
    )
  }
  if (field.fieldKind === 'message') return found.type === 'object'
  return field.fieldKind === 'scalar' && scalarNames[field.scalar] === `${found.type}:${found.format ?? ''}`
}

const scalarNames: Partial<Record<ScalarType, string>> = {
  [ScalarType.STRING]: 'string:',
  [ScalarType.BOOL]: 'boolean:',
  [ScalarType.INT32]: 'integer:int32',
  [ScalarType.INT64]: 'string:int64',
  [ScalarType.DOUBLE]: 'number:double',
}
