import { createActor, toPromise } from 'xstate'
import type { Stage } from '../../machines/failure.js'
import type { InstanceDependencies } from '../instance/dependencies.js'
import { leaderEffect, type Work } from '../instance/effects/leader-effect.js'

/**
 * Does something outside of an instance's machine as every effect is run: only while this replica leads, with a deadline, and awaited before
 * the lease is given back.
 * @param instance whose effect it is in metrics and in the inspector; '' for none
 */
export async function runLeaderWork(
  dependencies: InstanceDependencies,
  {
    instance: name,
    effect,
    stage,
  }: { readonly instance: string; readonly effect: string; readonly stage: Stage },
  work: Work,
): Promise<void> {
  const logic = leaderEffect(dependencies, { name: effect, stage }, work)
  const instance = {
    apiVersion: 'kairship.io/v1alpha1',
    kind: 'Instance',
    metadata: { name },
    spec: {},
  } as const
  const actor = createActor(logic, { input: { name, instance, facts: {}, wanted: '' } })
  const done = toPromise(actor)
  actor.start()
  await done
}
