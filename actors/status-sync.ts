import { type StatusFact, stamped } from '../machines/conditions.js'
import { statusRevision } from '../machines/keeping.js'
import { INSTANCES } from '../manifests/instance.js'
import { mergePatchBetween } from '../manifests/merge-patch.js'
import { isNotFound } from '../manifests/status-error.js'
import { patchStatus } from './apply.js'
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
      const status = JSON.parse(wanted) as StatusFact
      const conditions = stamped(status.conditions, {
        before: instance.status?.conditions,
        now: new Date().toISOString(),
        generation: instance.metadata.generation,
      })
      const change = mergePatchBetween(instance.status ?? {}, { ...status, conditions })
      if (change === undefined) return statusRevision(instance)
      try {
        return statusRevision(await patchStatus(surroundings.host.api, INSTANCES, instance, change, signal))
      } catch (error) {
        // The CR went while we wrote; that will be told as a fact of its own.
        if (isNotFound(error)) return wanted
        throw error
      }
    },
  )
