import type { Resource } from '../../../karmada/interpreter/workload.js'
import { WORKS, type Work } from '../../../karmada/objects/work.js'
import { sameJson } from '../../../karmada/same-json.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import { ensure, update } from '../../client/write.js'

/** A Work that is being deleted cannot be written; its writer waits until it is gone. */
export class WorkBeingDeletedError extends Error {
  override readonly name = 'WorkBeingDeletedError'
}

/**
 * Creates the Work, or brings the present one in line; writes nothing when it is.
 * @returns whether anything was written
 * @throws WorkBeingDeletedError
 */
export async function writeWork(control: KubeApi, wanted: Work, known: Work | undefined): Promise<boolean> {
  const { namespace, name } = wanted.metadata
  if (known && known.metadata.deletionTimestamp === undefined && sameJson(known, merged(known, wanted)))
    return false
  const present = await ensure<Work>(control, WORKS, wanted)
  if (present.metadata.deletionTimestamp)
    throw new WorkBeingDeletedError(`work ${namespace}/${name} is being deleted`)
  await update<Work>(control, WORKS, { name, ...(namespace && { namespace }) }, current => {
    const next = merged(current, wanted)
    return sameJson(current, next) ? current : next
  })
  return true
}

/** The present Work with everything that is wanted of it. */
function merged(present: Work, wanted: Work): Work {
  const { metadata } = present
  const { labels, annotations, finalizers = [], ownerReferences } = wanted.metadata
  return {
    ...present,
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, ...labels },
      annotations: { ...metadata.annotations, ...annotations },
      finalizers: [...new Set([...(metadata.finalizers ?? []), ...finalizers])],
      ...(ownerReferences && { ownerReferences }),
    },
    spec: { ...wanted.spec, workload: { manifests: wanted.spec.workload.manifests.map(stored) } },
  }
}

/** As it comes back from the API server: without fields that are undefined. */
const stored = (manifest: Resource): Resource => JSON.parse(JSON.stringify(manifest)) as Resource
