import { type JsonObject, objectAt } from '../../apimachinery/json.js'
import type { ResourceDefinition } from '../../apimachinery/resource-definition.js'
import { type IncludeObject, toTable } from '../../apimachinery/table/to-table.js'
import { badRequest } from '../api-status.js'
import type { WatchItem } from '../operations/watch-item.js'

/** What a table is made with: the columns of a type, and the time of the cluster that makes it. */
export interface TableMaker {
  readonly definition: ResourceDefinition
  readonly cluster: { now(): number }
}

/** Objects as a `meta.k8s.io/v1` Table. @param metadata of the list they come from */
export const tableOf = (
  { cluster, definition }: TableMaker,
  objects: readonly JsonObject[],
  metadata: JsonObject,
  query: URLSearchParams,
): JsonObject =>
  toTable(definition, objects, {
    now: new Date(cluster.now()),
    includeObject: includeObject(query),
    listMetadata: metadata,
  })

/** One watch event as a table of one row. @param first the first table of a watch names its columns, later ones do not */
export function tableRow(
  { cluster, definition }: TableMaker,
  { object }: WatchItem,
  query: URLSearchParams,
  first: boolean,
): JsonObject {
  return toTable(definition, [object], {
    now: new Date(cluster.now()),
    includeObject: includeObject(query),
    listMetadata: { resourceVersion: objectAt(object, 'metadata').resourceVersion ?? '' },
    withoutColumns: !first,
  })
}

function includeObject(query: URLSearchParams): IncludeObject {
  const value = query.get('includeObject') || 'Metadata'
  if (value === 'None' || value === 'Metadata' || value === 'Object') return value
  throw badRequest(`unrecognized includeObject value: ${JSON.stringify(value)}`)
}
