import { jsonPath } from '../custom/json-path.js'
import { timeSince } from '../human-duration.js'
import { isArray, isObject, type Json, type JsonObject, objectAt, stringAt } from '../json.js'
import type { PrinterColumn, ResourceDefinition } from '../resource-definition.js'

/** What each row carries of its object (`includeObject`): nothing, its metadata (the default), or all of it. */
export type IncludeObject = 'None' | 'Metadata' | 'Object'

export interface TableOptions {
  readonly now: Date
  readonly includeObject?: IncludeObject
  /** `metadata` of the list the rows come from: resourceVersion, continue, remainingItemCount. */
  readonly listMetadata?: JsonObject
  /** Rows of a watch leave the column definitions out after the first event. */
  readonly withoutColumns?: boolean
}

/** A `meta.k8s.io/v1` Table, the form in which `kubectl get` asks for objects. */
export function toTable(
  definition: ResourceDefinition,
  objects: readonly JsonObject[],
  { now, includeObject = 'Metadata', listMetadata = {}, withoutColumns = false }: TableOptions,
): JsonObject {
  const columns = definition.custom ? [CUSTOM_NAME, ...definition.printerColumns] : definition.printerColumns
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: listMetadata,
    columnDefinitions: withoutColumns ? null : columns.map(columnDefinition),
    rows: objects.map(object => ({
      cells: columns.map(column => cell(column, object, now)),
      object: included(object, includeObject),
    })),
  }
}

/** The object with its metadata only (`application/json;as=PartialObjectMetadata`). */
export const partialObjectMetadata = (object: JsonObject): JsonObject => ({
  kind: 'PartialObjectMetadata',
  apiVersion: 'meta.k8s.io/v1',
  metadata: objectAt(object, 'metadata'),
})

const CUSTOM_NAME: PrinterColumn = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description:
    'Name must be unique within a namespace. It is given when the object is created and cannot be changed.',
  priority: 0,
  value: object => stringAt(object, 'metadata', 'name'),
}

const columnDefinition = ({ name, type, format = '', description, priority }: PrinterColumn): JsonObject => ({
  name,
  type,
  format,
  description,
  priority,
})

function included(object: JsonObject, include: IncludeObject): Json {
  if (include === 'None') return null
  return include === 'Object' ? object : partialObjectMetadata(object)
}

function cell(column: PrinterColumn, object: JsonObject, now: Date): Json {
  if (column.value) return column.value(object, now)
  // A path may select several values; the server shows the first.
  const [value = null] = jsonPath(object, column.jsonPath ?? '')
  return value === null ? null : shown(column.type, value, now)
}

/** The value as the column's type; null, an empty cell, when it is of another type. */
function shown(type: PrinterColumn['type'], value: Json, now: Date): Json {
  switch (type) {
    case 'date':
      return typeof value === 'string' ? timeSince(value, now) : null
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null
    case 'number':
      return typeof value === 'number' ? value : null
    case 'boolean':
      return typeof value === 'boolean' ? value : null
    default:
      return isObject(value) || isArray(value) ? JSON.stringify(value) : String(value)
  }
}
