/** The product's published REST contract: types, enums and formats only. */
export interface Contract {
  readonly operations: readonly ContractOperation[]
  readonly definitions: Readonly<Record<string, Schema>>
}

export interface ContractOperation {
  readonly service: string
  readonly rpc: string
  readonly method: string
  readonly path: string
  readonly params: readonly Parameter[]
  readonly body: Schema | null
  readonly response: Schema
}

export interface Parameter extends Schema {
  readonly name: string
  readonly in: 'path' | 'query'
}

export interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly format?: string
  readonly enum?: readonly string[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema
}

export type Json = string | number | boolean | readonly Json[] | { readonly [name: string]: Json }

export const resolve = ({ definitions }: Contract, schema: Schema): Schema =>
  schema.$ref ? definitions[schema.$ref.split('/').pop()!]! : schema

/** A value of a schema with every field set to something other than its zero value, as proto3 JSON writes it. */
export function sampleOf(contract: Contract, given: Schema): Json {
  const schema = resolve(contract, given)
  const inner = (item: Schema) => sampleOf(contract, item)
  if (schema.type === 'array') return [inner(schema.items!)]
  if (schema.additionalProperties) return { key: inner(schema.additionalProperties) }
  if (schema.enum) return schema.enum.at(-1)!
  const scalar = samples[`${schema.type}:${schema.format ?? ''}`]
  if (scalar !== undefined) return scalar
  return Object.fromEntries(
    Object.entries(schema.properties ?? {}).map(([name, item]) => [name, inner(item)]),
  )
}

const samples: Readonly<Record<string, Json>> = {
  'string:': 'text',
  'string:byte': 'Ynl0ZXM=',
  // Beyond what a double holds exactly.
  'string:int64': '9007199254740993',
  'integer:int32': 7,
  'number:double': 1.5,
  'boolean:': true,
}
