import { type Instance, virtualClusterName } from './instance.js'
import { type KubeObject, resourcePath } from './kube.js'
import { labelsOf } from './names.js'
import { DEFAULT_INDEX, indexPath } from './pedia-cluster.js'

/** `configmaps/v1`: in the default index, small, and no controller acts on one that no object names. */
export const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' } as const

/**
 * Where the canary sits in every instance. kube-system is there from the first moment on, so that no namespace has to be
 * made, which Karmada would carry to every member; and Karmada propagates nothing out of it
 * (`--skipped-propagating-namespaces`, `kube-.*` by default).
 */
export const INDEX_CANARY = { namespace: 'kube-system', name: 'kairship-index-canary' } as const

/**
 * Karmada's detector leaves alone what another controller has claimed (the label with which its own MultiClusterServices
 * claim Services), so no policy takes the canary to the members, whatever namespaces it selects.
 */
const CLAIMED_BY = 'resourcetemplate.karmada.io/claimed-by'

/** The object that is written into an instance to be looked for in its index. */
export interface IndexCanary extends KubeObject {
  readonly data: { readonly beat: string }
}

/** @param beat when it is written, RFC 3339: what differs from the last one, for people and so that the version moves */
export const renderIndexCanary = (instance: string, beat: string): IndexCanary => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { ...INDEX_CANARY, labels: { ...labelsOf(instance), [CLAIMED_BY]: 'kairship' } },
  data: { beat },
})

/** Whether the index holds the canary's type. Where people chose not to index ConfigMaps, nothing can be measured. */
export const isCanaryIndexed = ({ spec }: Pick<Instance, 'spec'>): boolean =>
  (spec.index?.resources ?? DEFAULT_INDEX).some(
    ({ group, versions = [], resources }) =>
      group === CONFIG_MAPS.group &&
      (versions.length === 0 || versions.includes(CONFIG_MAPS.version)) &&
      (resources.includes(CONFIG_MAPS.resource) || resources.includes('*')),
  )

/** The canary as the index has it, on the host: Clusterpedia's path of one object of one cluster. */
export const indexedCanaryPath = (instance: string): string =>
  indexPath(virtualClusterName(instance)) + resourcePath(CONFIG_MAPS, INDEX_CANARY)
