import { readFileSync } from 'node:fs'
import type { Schema } from '../schema/schema.js'
import { FREE_FORM } from '../schema/walk.js'
import { DEFAULTS, MEANT_EMPTY, MEANT_EMPTY_COLLECTIONS, QUANTITIES, VANISHING_ZEROS } from './field-facts.js'
import { ATOMIC_OBJECTS, LIST_FACTS, OBJECT_PATCH_STRATEGIES } from './merge-facts.js'
import { type Model, type ModelFile, modelPath } from './model-file.js'

/** Whether a model was generated: those of built-in kinds are, those of CRDs and aggregated APIs are not. */
export const isGenerated = (model: string | undefined): model is string =>
  model !== undefined && models()[model] !== undefined

/**
 * The schema of a built-in type, made of the generated model and our tables of facts. Types are shared nodes, built when
 * first requested and then kept: all logical clusters of a process walk the same graph.
 * @throws Error when the models were not generated (`npm run build` does it)
 */
export function modelSchema(model: string): Schema {
  const known = built.get(model)
  if (known) return known
  const fields = models()[model]
  if (!fields) throw new Error(`no model ${model}: it is not reachable from builtin/kinds.ts`)
  const node: { -readonly [K in keyof Schema]: Schema[K] } = { type: 'object', model }
  // Registered before its fields are built, because a type may hold itself (JSONSchemaProps).
  built.set(model, node)
  if (ATOMIC_OBJECTS.has(typeName(model))) node['x-kubernetes-map-type'] = 'atomic'
  node.properties = Object.fromEntries(
    Object.entries(fields).map(([name, token]) => [name, fieldSchema(typeName(model), name, token)]),
  )
  const documented = Object.keys(fields).filter(name => fields[name]?.endsWith('!'))
  if (documented.length > 0) node.documentedRequired = documented
  return node
}

/** `V1PodSpec` → `PodSpec`, `CoreV1Event` → `Event`. */
export const typeName = (model: string): string => model.replace(/^([A-Z][a-z]+)?V\d+((alpha|beta)\d+)?/, '')

const built = new Map<string, Schema>()
let loaded: Readonly<Record<string, Model>> | undefined

function models(): Readonly<Record<string, Model>> {
  if (!loaded) {
    try {
      loaded = (JSON.parse(readFileSync(modelPath(), 'utf8')) as ModelFile).models
    } catch (cause) {
      throw new Error(`cannot read ${modelPath()}: run \`npm run build\` first`, { cause })
    }
  }
  return loaded
}

/** The names of all generated models. */
export const modelNames = (): readonly string[] => Object.keys(models())

function fieldSchema(type: string, field: string, token: string): Schema {
  const optional = !token.endsWith('!')
  const fact = `${type}.${field}`
  const schema = withDefault(fact, typed(fact, optional ? token : token.slice(0, -1)))
  return optional && vanishes(fact, schema) ? { ...schema, vanishes: true } : schema
}

function withDefault(fact: string, schema: Schema): Schema {
  const value = DEFAULTS[fact]
  return value === undefined ? schema : { ...schema, default: value }
}

/** Whether the empty value of an optional field is not kept. Objects with named fields always are. */
function vanishes(fact: string, schema: Schema): boolean {
  if (schema.type === 'array' || (schema.type === 'object' && schema.additionalProperties !== undefined)) {
    return !MEANT_EMPTY_COLLECTIONS.has(fact)
  }
  if (schema.type === 'string') return !MEANT_EMPTY.has(fact)
  return VANISHING_ZEROS.has(fact)
}

function typed(fact: string, token: string): Schema {
  if (token.startsWith('[')) return listSchema(fact, token.slice(1, -1))
  if (token.startsWith('{')) {
    const map: Schema = { type: 'object', additionalProperties: typed(`${fact}{}`, token.slice(1, -1)) }
    const quantities: Schema = QUANTITIES.has(fact) ? { ...map, additionalProperties: QUANTITY } : map
    return ATOMIC_OBJECTS.has(fact) ? { ...quantities, 'x-kubernetes-map-type': 'atomic' } : quantities
  }
  if (QUANTITIES.has(fact)) return QUANTITY
  const scalar = SCALARS[token]
  if (scalar) return scalar
  const strategy = OBJECT_PATCH_STRATEGIES[fact]
  const node = modelSchema(token)
  return strategy === undefined ? node : { ...node, 'x-kubernetes-patch-strategy': strategy }
}

function listSchema(fact: string, token: string): Schema {
  const items = typed(`${fact}[]`, token)
  const known = LIST_FACTS[fact]
  if (!known) return { type: 'array', items, 'x-kubernetes-list-type': 'atomic' }
  const { type, keys, patchStrategy, patchMergeKey } = known
  return {
    type: 'array',
    items,
    'x-kubernetes-list-type': type,
    ...(keys.length > 0 ? { 'x-kubernetes-list-map-keys': keys } : {}),
    ...(patchStrategy === undefined ? {} : { 'x-kubernetes-patch-strategy': patchStrategy }),
    ...(patchMergeKey === undefined ? {} : { 'x-kubernetes-patch-merge-key': patchMergeKey }),
  }
}

const QUANTITY: Schema = {
  model: 'Quantity',
  'x-kubernetes-int-or-string': true,
  canonical: 'quantity',
}

const SCALARS: Readonly<Record<string, Schema>> = {
  string: { type: 'string' },
  boolean: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  double: { type: 'number', format: 'double' },
  byte: { type: 'string', format: 'byte' },
  'date-time': { type: 'string', format: 'date-time', model: 'Time', canonical: 'time' },
  'micro-time': { type: 'string', format: 'date-time', model: 'MicroTime', canonical: 'micro-time' },
  IntOrString: { 'x-kubernetes-int-or-string': true, model: 'IntOrString' },
  any: { ...FREE_FORM, 'x-kubernetes-map-type': 'atomic' },
}
