import { CLUSTER_ANNOTATION } from '../../../manifests/pedia-cluster.js'
import { type Json, type JsonObject, objectAt, stringAt } from '../../apimachinery/json.js'
import type { ApiBody } from '../../apiserver/wire/exchange.js'
import { type IndexedObject, parsed } from '../index/indexed-object.js'
import type { IndexedType } from '../index/resource-index.js'
import type { Page } from '../query/select.js'

const COMMA = Buffer.from(',')
const CLOSE = Buffer.from(']}')
const JSON_TYPE = 'application/json'
/** Below this many bytes an answer goes out in one piece. */
const ONE_PIECE = 64 * 1024

/** Several objects as they stand in a JSON array. */
function joined(objects: Iterable<IndexedObject>): Buffer {
  const pieces: Buffer[] = []
  for (const { json } of objects) {
    if (pieces.length > 0) pieces.push(COMMA)
    pieces.push(json)
  }
  return Buffer.concat(pieces)
}

/** A list answered with the stored bytes of its objects; of a whole view chunk by chunk, nothing is copied. */
export function listBody(head: JsonObject, page: Page): ApiBody {
  const open = Buffer.from(`${JSON.stringify(head).slice(0, -1)},"items":[`)
  const bodies = page.whole ? page.whole.bodies(joined) : [joined(page.objects)]
  const pieces = bodies.flatMap((body, index) => (index === 0 ? [body] : [COMMA, body]))
  const size = pieces.reduce((sum, { length }) => sum + length, 0)
  if (size < ONE_PIECE) return { text: Buffer.concat([open, ...pieces, CLOSE]), contentType: JSON_TYPE }
  return { stream: inOrder([open, ...pieces, CLOSE]) }
}

async function* inOrder(pieces: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* pieces
}

/** PartialObjectMetadata of an object. */
export const metadataOf = (object: JsonObject): JsonObject => ({
  kind: 'PartialObjectMetadata',
  apiVersion: 'meta.k8s.io/v1',
  metadata: objectAt(object, 'metadata'),
})

/** `onlyMetadata=true`: the object with its type and metadata and nothing else. */
export const withoutContent = (object: JsonObject): JsonObject => ({
  apiVersion: object.apiVersion ?? '',
  kind: object.kind ?? '',
  metadata: objectAt(object, 'metadata'),
})

export const parsedObject = (object: IndexedObject): JsonObject => parsed(object) as unknown as JsonObject

/**
 * How a type's objects become a meta.k8s.io/v1 Table with a row for each, in order. Undefined for a type without columns of
 * its own: its objects get their cluster, name and time of creation.
 */
export type TableRenderer = (
  type: IndexedType,
  objects: readonly JsonObject[],
  query: URLSearchParams,
) => JsonObject | undefined

const clusterColumn = {
  name: 'Cluster',
  type: 'string',
  format: '',
  description: 'Where the object is.',
  priority: 0,
}

/** A Table with the object's cluster as its first column. */
export function tableOf(
  type: IndexedType,
  objects: readonly JsonObject[],
  metadata: JsonObject,
  query: URLSearchParams,
  render: TableRenderer,
): JsonObject {
  const table = render(type, objects, query) ?? plainTable(objects, query)
  const rows = (table.rows as readonly JsonObject[]).map((row, index) => ({
    ...row,
    cells: [clusterOf(objects[index]), ...(row.cells as readonly Json[])],
  }))
  const columns = table.columnDefinitions as readonly Json[]
  return { ...table, metadata, columnDefinitions: [clusterColumn, ...columns], rows }
}

const clusterOf = (object: JsonObject | undefined): string =>
  stringAt(object ?? {}, 'metadata', 'annotations', CLUSTER_ANNOTATION)

const plainColumns = [
  { name: 'Name', type: 'string', format: 'name', description: 'Name of the object.', priority: 0 },
  { name: 'Created At', type: 'date', format: '', description: 'Time of its creation.', priority: 0 },
]

function plainTable(objects: readonly JsonObject[], query: URLSearchParams): JsonObject {
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    columnDefinitions: plainColumns,
    rows: objects.map(object => ({
      cells: [stringAt(object, 'metadata', 'name'), stringAt(object, 'metadata', 'creationTimestamp')],
      object: query.get('includeObject') === 'Object' ? object : metadataOf(object),
    })),
  }
}
