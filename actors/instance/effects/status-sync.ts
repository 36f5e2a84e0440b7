import { stamped } from '../../../machines/instance/conditions.js'
import type { StatusFact } from '../../../machines/instance/status.js'
import { statusRevision } from '../../../machines/instance/wanted.js'
import type { Happening } from '../../../manifests/event.js'
import { INSTANCES, type InstanceStatus } from '../../../manifests/instance.js'
import { mergePatchBetween } from '../../../manifests/merge-patch.js'
import { isNotFound } from '../../../manifests/status-error.js'
import { patchStatus } from '../../kube/apply.js'
import type { InstanceDependencies } from '../dependencies.js'
import { leaderEffect } from './leader-effect.js'

/**
 * The status-sync controller: writes what is known into the CR. Only the leader writes, only what differs, and only over
 * the version it has seen; on a conflict the next observation leads to the next try. What people should know of the change
 * is said in an Event too, once: after the status was written, by the one who wrote it.
 */
export const writeStatus = (dependencies: InstanceDependencies) =>
  leaderEffect(
    dependencies,
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
        const { api, events } = dependencies.host
        const written = await patchStatus(api, INSTANCES, instance, change, signal)
        const happening = happeningBetween(instance.status, { ...status, conditions })
        if (happening) await events.record(instance, happening, signal)
        return statusRevision(written)
      } catch (error) {
        // The CR went meanwhile; the watch on Instances reports that.
        if (isNotFound(error)) return wanted
        throw error
      }
    },
  )

/** Reasons of an instance that is coming up as it should. */
const progress: ReadonlySet<string> = new Set([
  ...['NotYetObserved', 'AwaitingFinalizer', 'NotCreated', 'NotYetSynced', 'Progressing', 'Ready'],
])

/** Pure: what happened to an instance between two statuses: it entered another phase, or another cause keeps it from being ready. */
export function happeningBetween(
  before: InstanceStatus | undefined,
  after: InstanceStatus,
): Happening | undefined {
  const readyIn = (status: InstanceStatus | undefined) =>
    status?.conditions?.find(({ type }) => type === 'Ready')
  const [was, is] = [readyIn(before), readyIn(after)]
  const { phase } = after
  const message = is?.message ?? ''
  if (phase && phase !== before?.phase && (phase === 'Ready' || phase === 'Degraded' || phase === 'Deleting'))
    return { type: phase === 'Degraded' ? 'Warning' : 'Normal', reason: phase, message }
  if (is?.status !== 'False') return undefined
  if (phase === 'Deleting')
    return is.message === was?.message || is.message === 'cleaning up'
      ? undefined
      : { type: 'Warning', reason: 'DeletionDelayed', message }
  if (is.reason === was?.reason || progress.has(is.reason)) return undefined
  return { type: 'Warning', reason: is.reason, message }
}
