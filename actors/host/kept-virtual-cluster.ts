import type { KubeObject } from '../../manifests/kube.js'
import {
  declaredCapabilities,
  indexTrouble,
  type PediaCluster,
  type SyncState,
  syncedTypes,
  syncVerdict,
} from '../../manifests/pedia-cluster.js'
import type { IndexCapabilities } from '../../ports/instance-index.js'
import { type Kept, kept } from './kept-object.js'

/** What stays in memory of an instance's PediaCluster. */
export interface KeptVirtualCluster extends Kept {
  readonly can: IndexCapabilities
  readonly trouble?: string
  readonly types: IndexedTypes
}

/** How far the index is with each type, by `group/version/resource`. */
export type IndexedTypes = ReadonlyMap<string, SyncState>

/** Different lists of types that are remembered at once: a fleet has as many as there are versions and settings in it. */
const KNOWN_LISTS = 256
const known = new Map<string, IndexedTypes>()

/** The one copy of a list of types: most instances of a fleet sync the same ones, and are equally far. */
function shared(types: IndexedTypes): IndexedTypes {
  const key = JSON.stringify([...types])
  const same = known.get(key)
  if (same) return same
  const [oldest] = known.keys()
  if (known.size >= KNOWN_LISTS && oldest !== undefined) known.delete(oldest)
  known.set(key, types)
  return types
}

/** Keeps of a PediaCluster what the machines and the index's readers need. */
export const keptVirtualCluster = (object: KubeObject): KeptVirtualCluster => {
  const cluster = object as PediaCluster
  const declared = declaredCapabilities(cluster)
  const trouble = indexTrouble(cluster)
  return {
    ...kept<PediaCluster>(syncVerdict)(object),
    can: {
      lossless: declared.has('lossless'),
      listResourceVersion: declared.has('list-resource-version'),
      watch: declared.has('watch'),
    },
    types: shared(syncedTypes(cluster)),
    ...(trouble !== undefined && { trouble }),
  }
}
