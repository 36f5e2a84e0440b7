import type { Cluster } from '../../../karmada/objects/cluster.js'
import type { Source } from '../../client/source.js'
import { conditionOf } from '../../objects/conditions.js'

/** Whether a Cluster is ready. */
export const isReady = ({ status }: Cluster): boolean =>
  conditionOf(status?.conditions, 'Ready')?.status === 'True'

/** Tells of clusters that come, go, or become ready or unready. To be called before the source is started. */
export function onReadiness(clusters: Source<Cluster>, tell: (name: string, isGone: boolean) => void): void {
  clusters.listen(difference => {
    const { type, object } = difference
    if (type === 'MODIFIED' && isReady(object) === isReady(difference.previous)) return
    tell(object.metadata.name, type === 'DELETED')
  })
}
