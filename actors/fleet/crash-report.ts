import { createActor, toPromise } from 'xstate'
import { stamped } from '../../machines/instance/conditions.js'
import type { ConditionFact } from '../../machines/instance/requirements.js'
import { INSTANCES, type Instance, type InstanceStatus } from '../../manifests/instance.js'
import { mergePatchBetween } from '../../manifests/merge-patch.js'
import { isConflict, isNotFound } from '../../manifests/status-error.js'
import type { InstanceDependencies } from '../instance/dependencies.js'
import { leaderEffect } from '../instance/effects/leader-effect.js'
import { leaderDependencies } from '../instance/leader-dependencies.js'
import { find, patchStatus } from '../kube/apply.js'

/** An actor that crashed, and when it is restarted. */
export interface Crash {
  readonly name: string
  readonly pauseMs: number
  readonly parked: boolean
  readonly error: string
}

/** Pure: the Ready condition of an actor that is down. Without the jitter of the pause, so that the same crash is written once. */
export function crashCondition({ pauseMs, parked, error }: Crash): ConditionFact {
  const seconds = Math.round(pauseMs / 1_000)
  const message = parked
    ? `this instance keeps crashing its actor, which is not restarted for up to ${seconds} s: ${error}`
    : `this instance crashed its actor, which is restarted within ${seconds} s: ${error}`
  return { type: 'Ready', status: 'False', reason: parked ? 'Parked' : 'Crashed', message }
}

/** Tries against other writers of the same CR. There are hardly any: the actor of the instance is the one that is down. */
const TRIES = 3

/**
 * Writes into the CR that the actor of an instance crashed, because that actor cannot. Runs as every effect does: only while
 * this replica leads, with a deadline, and awaited before the lease is given back. Writes nothing that the CR says already,
 * so an instance that is parked again and again is written once.
 *
 * It decides nothing by the rest of the CR, which may be what triggers the defect.
 */
export async function reportCrash(
  shared: InstanceDependencies,
  instance: Instance,
  crash: ConditionFact,
): Promise<void> {
  const dependencies = leaderDependencies(shared)
  const { name } = instance.metadata
  const report = leaderEffect(
    dependencies,
    { name: 'report the crash', stage: 'status' },
    async (_, signal) => {
      for (let tries = 1; ; tries++) {
        const live = await find<Instance>(dependencies.host.api, INSTANCES, { name }, signal)
        if (!live || live.metadata.uid !== instance.metadata.uid) return 'gone'
        try {
          await write(dependencies, live, crash, signal)
          return 'written'
        } catch (error) {
          if (isNotFound(error)) return 'gone'
          if (!isConflict(error) || tries === TRIES) throw error
        }
      }
    },
  )
  const actor = createActor(report, { input: { name, instance, facts: {}, wanted: '' } })
  const done = toPromise(actor)
  actor.start()
  await done
}

async function write(
  { host }: InstanceDependencies,
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
  const next: InstanceStatus = {
    ...status,
    ...(status.phase === 'Ready' && { phase: 'Degraded' }),
    conditions: [...before.filter(({ type }) => type !== crash.type), ...(condition ? [condition] : [])],
  }
  const change = mergePatchBetween(status, next)
  if (change !== undefined) await patchStatus(host.api, INSTANCES, instance, change, signal)
}
