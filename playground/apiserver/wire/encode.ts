import type { JsonObject } from '../../apimachinery/json.js'
import type { WatchItem } from '../operations/watch-item.js'
import type { StoredObject } from '../store/stored-object.js'
import type { ListDocument } from './exchange.js'

interface Encodable {
  readonly object: JsonObject
  readonly stored?: StoredObject
}

/** JSON of one object; versions that are kept bring their text along. */
export const encodeObject = ({ object, stored }: Encodable): string => stored?.text ?? JSON.stringify(object)

/** A list, put together from the texts of its items. */
export function encodeList({ apiVersion, kind, metadata, items, bareItems }: ListDocument): string {
  const head = JSON.stringify({ kind, apiVersion, metadata }).slice(0, -1)
  const texts = items.map(item => (bareItems ? withoutType(item) : encodeObject(item)))
  return `${head},"items":[${texts.join(',')}]}`
}

/** Kubernetes leaves apiVersion and kind out of the items of a built-in list: the list's own say it. */
function withoutType(item: Encodable): string {
  const text = encodeObject(item)
  const { apiVersion, kind } = item.object
  const prefix = `{"apiVersion":${JSON.stringify(apiVersion)},"kind":${JSON.stringify(kind)},`
  if (text.startsWith(prefix)) return `{${text.slice(prefix.length)}`
  const { apiVersion: _a, kind: _k, ...rest } = item.object
  return JSON.stringify(rest)
}

export const encodeWatchItem = (item: WatchItem): string =>
  `{"type":"${item.type}","object":${encodeObject(item)}}\n`

/** The list as an object, for callers within the process. */
export function listObject({ apiVersion, kind, metadata, items, bareItems }: ListDocument): JsonObject {
  return {
    kind,
    apiVersion,
    metadata,
    items: items.map(({ object }) => {
      if (!bareItems) return object
      const { apiVersion: _a, kind: _k, ...rest } = object
      return rest
    }),
  }
}
