import { type JsonObject, objectAt } from '../../apimachinery/json.js'
import { apiVersionOf } from '../../apimachinery/resource-definition.js'
import { partialObjectMetadata } from '../../apimachinery/table/to-table.js'
import type { Page } from '../operations/list.js'
import { type Answer, inVersion, type Target } from '../operations/target.js'
import type { WatchItem } from '../operations/watch-item.js'
import type { StoredObject } from '../store/stored-object.js'
import type { ApiBody } from './exchange.js'
import type { Shape } from './negotiate.js'
import { type TableMaker, tableOf, tableRow } from './table.js'

/** One object in the shape the caller wants. A Status stays a Status. */
export function renderObject(target: Target, answer: Answer, shape: Shape, query: URLSearchParams): ApiBody {
  if (shape === 'object' || answer.object.kind === 'Status') return answer
  if (shape === 'metadata') return { object: partialObjectMetadata(answer.object) }
  const resourceVersion = objectAt(answer.object, 'metadata').resourceVersion
  return { object: tableOf(target, [answer.object], { resourceVersion: resourceVersion ?? '' }, query) }
}

export function renderList(target: Target, page: Page, shape: Shape, query: URLSearchParams): ApiBody {
  const { definition } = target
  const metadata: JsonObject = {
    resourceVersion: page.resourceVersion,
    ...(page.continue === undefined ? {} : { continue: page.continue }),
    ...(page.remainingItemCount === undefined ? {} : { remainingItemCount: page.remainingItemCount }),
  }
  if (shape === 'table') {
    const objects = page.objects.map(({ object }) => inVersion(target.type, object))
    return { object: tableOf(target, objects, metadata, query) }
  }
  if (shape === 'metadata') {
    const items = page.objects.map(({ object }) => ({ object: partialObjectMetadata(object) }))
    const list = { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1', metadata, items }
    return { list: { ...list, bareItems: false } }
  }
  return {
    list: {
      apiVersion: apiVersionOf(definition),
      kind: definition.listKind,
      metadata,
      items: page.objects.map(stored => itemOf(target, stored)),
      bareItems: !definition.custom,
    },
  }
}

const itemOf = (target: Target, stored: StoredObject) => {
  const object = inVersion(target.type, stored.object)
  return object === stored.object ? { object, stored } : { object }
}

/** A watch in the shape the caller wants: the same events, other objects. */
export function renderWatch(
  target: TableMaker,
  watch: AsyncIterable<readonly WatchItem[]>,
  shape: Shape,
  query: URLSearchParams,
): AsyncIterable<readonly WatchItem[]> {
  if (shape === 'object') return watch
  let first = true
  const transform = (item: WatchItem): WatchItem => {
    if (item.type === 'ERROR') return item
    if (shape === 'metadata') return { type: item.type, object: partialObjectMetadata(item.object) }
    // Only the first table of a watch names its columns.
    const table = tableRow(target, item, query, first)
    first = false
    return { type: item.type, object: table }
  }
  return (async function* () {
    for await (const batch of watch) yield batch.map(transform)
  })()
}
