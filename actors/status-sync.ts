import { type StatusFact, stamped } from '../machines/conditions.js'
import { statusRevision } from '../machines/keeping.js'
import { INSTANCES, type Instance } from '../manifests/instance.js'
import { resourcePath } from '../manifests/kube.js'
import { mergePatchBetween } from '../manifests/merge-patch.js'
import { isNotFound } from '../manifests/status-error.js'
import { provided } from './effect.js'
import type { Surroundings } from './surroundings.js'

/**
 * The status-sync controller: writes what is known into the CR. Only the leader writes, only what differs, and only over
 * the version it has seen; on a conflict the next observation leads to the next try.
 */
export const writeStatus = (surroundings: Surroundings) =>
  provided(
    surroundings,
    { name: 'write the status', stage: 'status' },
    async ({ instance, wanted }, signal) => {
      const { name, resourceVersion, generation } = instance.metadata
      const status = JSON.parse(wanted) as StatusFact
      const conditions = stamped(status.conditions, {
        before: instance.status?.conditions,
        now: new Date().toISOString(),
        generation,
      })
      const change = mergePatchBetween(instance.status ?? {}, { ...status, conditions })
      if (change === undefined) return statusRevision(instance)
      try {
        const written = await surroundings.host.api.request<Instance>({
          method: 'PATCH',
          path: resourcePath(INSTANCES, { name, subresource: 'status' }),
          contentType: 'application/merge-patch+json',
          body: { metadata: { resourceVersion }, status: change },
          signal,
        })
        return statusRevision(written)
      } catch (error) {
        // The CR went while we wrote; that will be told as a fact of its own.
        if (isNotFound(error)) return wanted
        throw error
      }
    },
  )
