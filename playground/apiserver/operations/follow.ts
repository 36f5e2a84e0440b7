import type { GroupVersionResource, KubeObject } from '../../../manifests/kube.js'
import type { Seen } from '../../../streams/seen.js'
import type { Cluster } from '../cluster.js'
import type { StoredObject } from '../store/stored-object.js'
import { inVersion, targetOf } from './target.js'

/** Who follows a type. Called within the write: must neither write nor wait. */
export interface Follower {
  /** What a list and the watch after it would send, in the same order. */
  readonly onSeen: (seen: Exclude<Seen<KubeObject>, { readonly type: 'interrupted' }>) => void
  /** The server ends its watches: list and watch to go on. */
  readonly onEnd: () => void
}

/**
 * Follows all objects of a type from within the process: what twenty types of a thousand clusters cost is then a closure
 * each instead of a list, a watch and their timers. The first list has been delivered when this returns.
 * @returns what ends it without a word, or undefined for a type that is not served by the store at the moment
 */
export function follow(
  cluster: Cluster,
  { group, version, resource }: GroupVersionResource,
  { onSeen, onEnd }: Follower,
): (() => void) | undefined {
  const type = cluster.catalogue.find(group, version, resource)
  const api = cluster.aggregation.find(group, version)
  const isStored = !api || api.definitions?.some(one => one.plural === resource)
  if (!type || !isStored || cluster.aggregation.isAway(group, version)) return undefined
  if (!type.definition.verbs.includes('watch')) return undefined
  const { collection } = targetOf(cluster, type)
  const inside = ({ object }: StoredObject) => inVersion(type, object) as unknown as KubeObject
  onSeen({ type: 'restarted' })
  onSeen({ type: 'listed', objects: collection.list().map(inside) })
  onSeen({ type: 'synced', cursor: String(cluster.store.revision) })
  const ignore = collection.watch(({ type: change, revision, current }) =>
    onSeen({
      type: change === 'DELETED' ? 'deleted' : 'applied',
      object: inside(current),
      cursor: String(revision),
    }),
  )
  const forget = cluster.watches.add({
    end() {
      stop()
      onEnd()
    },
    bookmark: () => onSeen({ type: 'bookmarked', cursor: String(cluster.store.revision) }),
  })
  const stop = () => {
    ignore()
    forget()
  }
  return stop
}
