import { readFileSync } from 'node:fs'
import { type DescriptionFile, descriptionPath } from '../builtin/model-file.js'
import { isGenerated, modelSchema } from '../builtin/model-schemas.js'
import type { Json, JsonObject, MutableJsonObject } from '../json.js'
import { apiVersionOf, type ResourceDefinition } from '../resource-definition.js'
import type { Schema } from '../schema/schema.js'
import { componentName, kindComponent } from './component-names.js'

/** OpenAPI 3.0 and Swagger 2.0 differ in where components live and in what a schema may say. */
export type Dialect = 'v3' | 'v2'

let descriptions: DescriptionFile | undefined

function describe(model: string, field: string): string {
  descriptions ??= JSON.parse(readFileSync(descriptionPath(), 'utf8')) as DescriptionFile
  return descriptions[model]?.[field] ?? ''
}

/** What fields of every object mean; the generated models leave references without a text. */
const COMMON: Readonly<Record<string, string>> = {
  apiVersion: 'Version of the schema that this representation of the object follows.',
  kind: 'The type of the object, in CamelCase. Cannot be changed.',
  metadata: 'Name, labels, annotations and what the server keeps about the object.',
  spec: 'What is wanted of the object.',
  status: 'What was observed of the object. Written by controllers, not by users.',
}

const INTERNAL = new Set(['model', 'documentedRequired', 'vanishes', 'canonical'])
/** What Swagger 2.0 cannot say; the API server publishes custom types without it there. */
const V3_ONLY = new Set(['nullable', 'anyOf', 'oneOf', 'not', 'allOf'])

/** Collects components while documents are written: one entry for each type that anything refers to. */
export class SchemaEmitter {
  readonly #dialect: Dialect
  readonly #components = new Map<string, JsonObject>()
  readonly #pending: string[] = []

  constructor(dialect: Dialect) {
    this.#dialect = dialect
  }

  /** All components referred to so far, with those they refer to, by name. */
  components(): JsonObject {
    for (let model = this.#pending.pop(); model !== undefined; model = this.#pending.pop()) {
      this.#components.set(componentName(model), this.#modelComponent(model))
    }
    return Object.fromEntries([...this.#components].sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  /** A reference to a generated model. */
  model(model: string): JsonObject {
    const name = componentName(model)
    if (!this.#components.has(name)) {
      this.#components.set(name, {})
      this.#pending.push(model)
    }
    return this.#reference(name)
  }

  /** A reference to a served kind; `list` refers to the list of them. */
  kind(definition: ResourceDefinition, list = false): JsonObject {
    const name = `${kindComponent(definition)}${list ? 'List' : ''}`
    if (!this.#components.has(name)) {
      this.#components.set(name, {})
      this.#components.set(name, list ? this.#listComponent(definition) : this.#kindComponent(definition))
    }
    return this.#reference(name)
  }

  /** A component that belongs to no type (`Patch`, `WatchEvent`). */
  named(name: string, schema: JsonObject): JsonObject {
    this.#components.set(name, schema)
    return this.#reference(name)
  }

  #reference(name: string): JsonObject {
    return { $ref: `${this.#dialect === 'v3' ? '#/components/schemas/' : '#/definitions/'}${name}` }
  }

  #kindComponent(definition: ResourceDefinition): JsonObject {
    const { group, version, kind, schema } = definition
    // Types of CRDs and of aggregated APIs bring their schema along; only built-in kinds have a generated model.
    const component = isGenerated(schema.model)
      ? this.#modelComponent(schema.model)
      : this.#customComponent(schema)
    return { ...component, 'x-kubernetes-group-version-kind': [{ group, kind, version }] }
  }

  #listComponent(definition: ResourceDefinition): JsonObject {
    const { group, version, kind, listKind } = definition
    return {
      description: `${listKind} is a list of ${kind}`,
      type: 'object',
      required: ['items'],
      properties: {
        apiVersion: { description: COMMON.apiVersion ?? '', type: 'string' },
        kind: { description: COMMON.kind ?? '', type: 'string' },
        metadata: this.#refer(this.model('V1ListMeta'), {
          description: 'Version and continuation of the list.',
        }),
        items: {
          description: `The ${definition.plural}, in ${apiVersionOf(definition)}.`,
          type: 'array',
          items: this.#refer(this.kind(definition), {}),
        },
      },
      'x-kubernetes-group-version-kind': [{ group, kind: listKind, version }],
    }
  }

  #customComponent(schema: Schema): JsonObject {
    const { model: _, ...own } = schema
    const emitted = this.#emit(own, '', '')
    const properties = typeof emitted.properties === 'object' ? (emitted.properties as JsonObject) : {}
    return {
      ...emitted,
      type: 'object',
      properties: {
        ...properties,
        apiVersion: { description: COMMON.apiVersion ?? '', type: 'string' },
        kind: { description: COMMON.kind ?? '', type: 'string' },
        metadata: this.#refer(this.model('V1ObjectMeta'), { description: COMMON.metadata ?? '' }),
      },
    }
  }

  #modelComponent(model: string): JsonObject {
    const scalar = SCALAR_COMPONENTS[model]
    if (scalar) return scalar[this.#dialect]
    const schema = modelSchema(model)
    const properties = Object.entries(schema.properties ?? {}).map(([field, property]) => [
      field,
      this.#property(property, model, field),
    ])
    const description = describe(model, '')
    return {
      ...(description === '' ? {} : { description }),
      type: 'object',
      properties: Object.fromEntries(properties) as JsonObject,
      ...(schema.documentedRequired ? { required: schema.documentedRequired } : {}),
      ...(schema['x-kubernetes-map-type']
        ? { 'x-kubernetes-map-type': schema['x-kubernetes-map-type'] }
        : {}),
    }
  }

  #property(property: Schema, model: string, field: string): JsonObject {
    return this.#emit(property, describe(model, field) || (COMMON[field] ?? ''), field)
  }

  #emit(schema: Schema, description: string, field: string): JsonObject {
    if (schema.model !== undefined) {
      const extras: MutableJsonObject = {}
      const text = description || (field === '' ? '' : describe(schema.model, '') || (COMMON[field] ?? ''))
      if (text !== '') extras.description = text
      const strategy = schema['x-kubernetes-patch-strategy']
      if (strategy !== undefined) extras['x-kubernetes-patch-strategy'] = strategy
      return this.#refer(this.model(schema.model), extras)
    }
    const emitted: MutableJsonObject = description === '' ? {} : { description }
    for (const [word, value] of Object.entries(schema) as [string, Json][]) {
      if (INTERNAL.has(word) || (this.#dialect === 'v2' && V3_ONLY.has(word))) continue
      emitted[word] = this.#word(word, value)
    }
    return emitted
  }

  #word(word: string, value: Json): Json {
    if (word === 'items' || (word === 'additionalProperties' && typeof value === 'object')) {
      return this.#emit(value as Schema, '', '')
    }
    if (word !== 'properties') return value
    const properties = value as Readonly<Record<string, Schema>>
    return Object.fromEntries(
      Object.entries(properties).map(([key, property]) => [
        key,
        this.#emit(property, property.description ?? '', key),
      ]),
    )
  }

  /** OpenAPI 3.0 ignores what stands beside a `$ref`, so it is wrapped; Swagger readers of Kubernetes accept it. */
  #refer(reference: JsonObject, extras: JsonObject): JsonObject {
    if (Object.keys(extras).length === 0) return reference
    return this.#dialect === 'v3' ? { allOf: [reference], ...extras } : { ...extras, ...reference }
  }
}

const time = (precision: string): JsonObject => ({
  description: `A time in RFC 3339, to the ${precision}.`,
  type: 'string',
  format: 'date-time',
})
const QUANTITY =
  'A number with a suffix: 100m, 1.5, 2k, 512Mi, 1e3. Decimal suffixes are powers of 1000, those with i powers of 1024.'
const INT_OR_STRING = 'A number, or a string such as a percentage.'

const SCALAR_COMPONENTS: Readonly<Record<string, Readonly<Record<Dialect, JsonObject>>>> = {
  Time: { v3: time('second'), v2: time('second') },
  MicroTime: { v3: time('microsecond'), v2: time('microsecond') },
  Quantity: {
    v3: { description: QUANTITY, oneOf: [{ type: 'string' }, { type: 'number' }] },
    v2: { description: QUANTITY, type: 'string' },
  },
  IntOrString: {
    v3: {
      description: INT_OR_STRING,
      format: 'int-or-string',
      oneOf: [{ type: 'integer' }, { type: 'string' }],
    },
    v2: { description: INT_OR_STRING, format: 'int-or-string', type: 'string' },
  },
}
