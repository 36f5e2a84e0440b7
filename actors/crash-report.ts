import { createActor, toPromise } from 'xstate'
import { type ConditionFact, stamped } from '../machines/conditions.js'
import { INSTANCES, type Instance, type InstanceStatus } from '../manifests/instance.js'
import { mergePatchBetween } from '../manifests/merge-patch.js'
import { isConflict, isNotFound } from '../manifests/status-error.js'
import { find, patchStatus } from './apply.js'
import { provided } from './effect.js'
import type { Surroundings } from './surroundings.js'

/** Against other writers of the same CR, of whom there are hardly any: our own actor is the one that does not write now. */
const TRIES = 3

/**
 * Writes into the CR that the actor of an instance crashed, in the place of that actor, which cannot. Runs as every effect
 * does: only while this replica leads, with a deadline, and awaited before the lease is given back. Writes nothing that
 * stands there already, so an instance that is parked again and again is written once.
 *
 * It draws no conclusions from the CR: whatever is in it may be what sets the defect off.
 */
export async function reportCrash(
  surroundings: Surroundings,
  instance: Instance,
  crash: ConditionFact,
): Promise<void> {
  const { name } = instance.metadata
  const report = provided(surroundings, { name: 'report the crash', stage: 'status' }, async (_, signal) => {
    for (let tries = 1; ; tries++) {
      const live = await find<Instance>(surroundings.host.api, INSTANCES, { name }, signal)
      if (!live || live.metadata.uid !== instance.metadata.uid) return 'gone'
      try {
        await write(surroundings, live, crash, signal)
        return 'written'
      } catch (error) {
        if (isNotFound(error)) return 'gone'
        if (!isConflict(error) || tries === TRIES) throw error
      }
    }
  })
  const actor = createActor(report, { input: { name, instance, facts: {}, wanted: '' } })
  const done = toPromise(actor)
  actor.start()
  await done
}

async function write(
  { host }: Surroundings,
  instance: Instance,
  crash: ConditionFact,
  signal: AbortSignal,
): Promise<void> {
  const { metadata, status = {} } = instance
  const before = status.conditions ?? []
  const [condition] = stamped([crash], {
    before,
    now: new Date().toISOString(),
    generation: metadata.generation,
  })
  const told: InstanceStatus = {
    ...status,
    ...(status.phase === 'Ready' && { phase: 'Degraded' }),
    conditions: [...before.filter(({ type }) => type !== crash.type), ...(condition ? [condition] : [])],
  }
  const change = mergePatchBetween(status, told)
  if (change !== undefined) await patchStatus(host.api, INSTANCES, instance, change, signal)
}
