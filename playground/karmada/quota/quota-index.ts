import { executionNamespace } from '../../../karmada/names.js'
import type { Work } from '../../../karmada/objects/work.js'
import { isScoped } from '../../../karmada/quota/namespace-quotas.js'
import type { MemberQuota } from '../../../karmada/scheduling/quota-room.js'
import { objectKey } from '../../../streams/object-store.js'
import type { Source } from '../../client/source.js'

/** What members report of the ResourceQuotas that Karmada brought them, by member and namespace. */
export class QuotaIndex {
  readonly #byPlace = new Map<string, Map<string, MemberQuota>>()

  constructor(works: Source<Work>) {
    works.listen(({ type, object }) => {
      const [manifest] = object.spec.workload.manifests
      if (manifest?.kind !== 'ResourceQuota' || manifest.apiVersion !== 'v1') return
      const place = `${object.metadata.namespace}/${manifest.metadata.namespace}`
      const quotas = this.#byPlace.get(place) ?? new Map<string, MemberQuota>()
      const reported = object.status?.manifestStatuses?.[0]?.status
      const isThere = type !== 'DELETED' && reported !== undefined && !isScoped(manifest.spec)
      if (isThere)
        quotas.set(objectKey(object), { ...(reported as MemberQuota), name: manifest.metadata.name })
      else quotas.delete(objectKey(object))
      if (quotas.size > 0) this.#byPlace.set(place, quotas)
      else this.#byPlace.delete(place)
    })
  }

  of(cluster: string, namespace: string): readonly MemberQuota[] {
    return [...(this.#byPlace.get(`${executionNamespace(cluster)}/${namespace}`)?.values() ?? [])]
  }
}
