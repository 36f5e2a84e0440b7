import type { WatchEvent } from '../../../ports/kube-api.js'
import type { JsonObject } from '../../apimachinery/json.js'
import type { StoredObject } from '../store/stored-object.js'

/** One event on its way to a watcher. `stored` is there when the object goes out exactly as it is stored. */
export interface WatchItem {
  readonly type: WatchEvent['type']
  readonly object: JsonObject
  readonly stored?: StoredObject
}
