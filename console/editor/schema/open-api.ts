import type { JsonValue } from '@bufbuild/protobuf'
import { isJsonObject } from '../../../transcoding/json-object.js'
import type { Path } from './path-at.js'

/** An OpenAPI schema of a value. */
export interface Schema {
  readonly type?: string
  readonly format?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
  readonly items?: Schema
  readonly required?: readonly string[]
  readonly enum?: readonly JsonValue[]
  readonly default?: JsonValue
  readonly allOf?: readonly Schema[]
  readonly $ref?: string
  readonly 'x-kubernetes-int-or-string'?: boolean
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean
  readonly 'x-kubernetes-group-version-kind'?: readonly {
    readonly group: string
    readonly version: string
    readonly kind: string
  }[]
}

/** The most references that are followed in a row; references may form a cycle. */
const MOST_REFERENCES = 8

/** The schemas of one group's version, as an API server publishes them at `/openapi/v3`. */
export class OpenApi {
  readonly #schemas: Readonly<Record<string, Schema>>

  /** @throws SyntaxError where the text is no OpenAPI document */
  constructor(text: string) {
    const document: unknown = JSON.parse(text)
    const components = isJsonObject(document) ? document.components : undefined
    const schemas = isJsonObject(components) ? components.schemas : undefined
    if (!isJsonObject(schemas)) throw new SyntaxError('the answer is no OpenAPI document with schemas')
    this.#schemas = schemas as unknown as Record<string, Schema>
  }

  /** The schema of a kind; undefined where the document has none. */
  kind(group: string, version: string, kind: string): Schema | undefined {
    return Object.values(this.#schemas).find(schema =>
      schema['x-kubernetes-group-version-kind']?.some(
        each => each.group === group && each.version === version && each.kind === kind,
      ),
    )
  }

  /** Resolves references of a schema. Its own description wins over that of the referenced one. */
  resolved(schema: Schema | undefined): Schema | undefined {
    let current = schema
    for (let followed = 0; current && followed < MOST_REFERENCES; followed += 1) {
      const { $ref, allOf, ...own }: Schema = current
      const [only] = allOf ?? []
      if ($ref === undefined && only === undefined) return current
      const target: Schema | undefined =
        $ref === undefined ? only : this.#schemas[decodeURIComponent($ref.split('/').at(-1) ?? '')]
      current = target && { ...target, ...own }
    }
    return undefined
  }

  /** The schema of a path below another schema. */
  at(schema: Schema | undefined, path: Path): Schema | undefined {
    let current = this.resolved(schema)
    for (const step of path) {
      if (!current) return undefined
      const { properties, additionalProperties, items }: Schema = current
      const own = properties && Object.hasOwn(properties, step) ? properties[step] : undefined
      const others = typeof additionalProperties === 'object' ? additionalProperties : undefined
      current = this.resolved(step === '[]' ? items : (own ?? others))
    }
    return current
  }

  /** The fields of a schema, in the document's order. */
  fields(
    schema: Schema | undefined,
  ): { readonly name: string; readonly schema: Schema; readonly isRequired: boolean }[] {
    const { properties = {}, required = [] } = this.resolved(schema) ?? {}
    return Object.entries(properties).map(([name, each]) => ({
      name,
      schema: this.resolved(each) ?? each,
      isRequired: required.includes(name),
    }))
  }
}

/** The name of a schema's type: `[]object`, `int-or-string`. */
export function typeText(schema: Schema): string {
  if (schema['x-kubernetes-int-or-string'] || schema.format === 'int-or-string') return 'int-or-string'
  if (schema.type === 'array') return '[]'
  return schema.type ?? 'any'
}
