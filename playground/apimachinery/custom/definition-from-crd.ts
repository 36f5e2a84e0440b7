import { createHash } from 'node:crypto'
import { at, isObject, type Json, type JsonObject, listAt, objectAt, stringAt } from '../json.js'
import {
  type PrinterColumn,
  type ResourceDefinition,
  type ScalePaths,
  STORED_VERBS,
  type Subresources,
} from '../resource-definition.js'
import type { Schema } from '../schema/schema.js'
import { validate } from '../schema/validate.js'
import { FREE_FORM } from '../schema/walk.js'
import { simplePath } from './json-path.js'

/** CRDs with the same text share one definition, and with it compiled rules and schema, across all logical clusters. */
const shared = new Map<string, WeakRef<ResourceDefinition>>()

/**
 * The definition that a (valid, defaulted) CustomResourceDefinition makes of one of its versions.
 * @throws RangeError when the CRD has no such version
 */
export function definitionFromCrd(crd: JsonObject, version: string): ResourceDefinition {
  const entry = listAt(crd, 'spec', 'versions').find(one => stringAt(one, 'name') === version)
  if (!isObject(entry)) throw new RangeError(`${stringAt(crd, 'metadata', 'name')} has no version ${version}`)
  const { group, names, scope, preserveUnknownFields } = objectAt(crd, 'spec')
  const key = createHash('sha256')
    .update(JSON.stringify([group, names, scope, preserveUnknownFields, entry]))
    .digest('base64')
  const known = shared.get(key)?.deref()
  if (known) return known
  const definition = build(objectAt(crd, 'spec'), entry)
  shared.set(key, new WeakRef(definition))
  return definition
}

function build(spec: JsonObject, version: JsonObject): ResourceDefinition {
  const kind = stringAt(spec, 'names', 'kind')
  const selectable = listAt(version, 'selectableFields').map(field => stringAt(field, 'jsonPath'))
  const preserve = spec.preserveUnknownFields === true
  const schema = (at(version, 'schema', 'openAPIV3Schema') as Schema | undefined) ?? FREE_FORM
  return {
    group: stringAt(spec, 'group'),
    version: stringAt(version, 'name'),
    kind,
    listKind: stringAt(spec, 'names', 'listKind') || `${kind}List`,
    plural: stringAt(spec, 'names', 'plural'),
    singular: stringAt(spec, 'names', 'singular') || kind.toLowerCase(),
    shortNames: listAt(spec, 'names', 'shortNames').map(String),
    categories: listAt(spec, 'names', 'categories').map(String),
    namespaced: spec.scope === 'Namespaced',
    verbs: STORED_VERBS,
    subresources: subresources(objectAt(version, 'subresources')),
    schema,
    printerColumns: printerColumns(listAt(version, 'additionalPrinterColumns')),
    selectableFields: object =>
      Object.fromEntries(selectable.map(path => [path.replace(/^\./, ''), fieldText(object, path)])),
    strategy: { validate: (object, old) => validate(schema, object, old) },
    custom: true,
    ...(preserve ? { preserveUnknownFields: true } : {}),
  }
}

const fieldText = (object: JsonObject, path: string): string => {
  const value = simplePath(object, path)
  return value === undefined || value === null ? '' : String(value)
}

function subresources(declared: JsonObject): Subresources {
  const scale = isObject(declared.scale) ? (declared.scale as JsonObject & ScalePaths) : undefined
  return {
    ...(isObject(declared.status) ? { status: true as const } : {}),
    ...(scale ? { scale } : {}),
  }
}

const AGE: PrinterColumn = {
  name: 'Age',
  type: 'date',
  description:
    'When the object was created, in server time; objects created by the same second may show in any order.',
  priority: 0,
  jsonPath: '.metadata.creationTimestamp',
}

function printerColumns(declared: readonly Json[]): readonly PrinterColumn[] {
  if (declared.length === 0) return [AGE]
  return declared.map(column => {
    const format = stringAt(column, 'format')
    const priority = at(column, 'priority')
    return {
      name: stringAt(column, 'name'),
      type: stringAt(column, 'type') as PrinterColumn['type'],
      description:
        stringAt(column, 'description') ||
        `Custom resource definition column (in JSONPath format): ${stringAt(column, 'jsonPath')}`,
      priority: typeof priority === 'number' ? priority : 0,
      jsonPath: stringAt(column, 'jsonPath'),
      ...(format === '' ? {} : { format }),
    }
  })
}
