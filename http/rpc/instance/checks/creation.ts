import type { Instance, InstanceStatus } from '../../../../manifests/instance.js'
import type { Call } from '../../../call/call.js'
import { deadlineExceeded } from '../../../errors/failure.js'
import type { Authorizer } from '../../../identity/authorize.js'
import { withinPatience } from '../../concurrency/within-patience.js'
import { type AdoptionDependencies, checkAdoption } from './adoption.js'
import { checkInstallation } from './installation.js'

/** How long the checks of one new Instance may take, milliseconds. */
const CHECKS_MS = 5_000

/** What the checks of a new Instance depend on. */
export interface CheckDependencies extends AdoptionDependencies {
  readonly authorizer: Authorizer
}

/**
 * Checks what an Instance that is to be created needs outside: its Secret and control plane, or karmada-operator. Writes nothing. Skipped for a
 * caller who may not `get` the Instance: the checks say no more than its status would (docs/adr/0099).
 * @param instance as the host would store it
 * @returns what its status would say of the control plane; undefined where that was not asked
 * @throws Failure with the field that is wrong, or what is wrong outside
 */
export async function checkCreation(
  dependencies: CheckDependencies,
  call: Call,
  instance: Instance,
): Promise<InstanceStatus | undefined> {
  const { name } = instance.metadata
  const { kubeconfigSecretRef, install } = instance.spec
  const seen = await dependencies.authorizer.decide(call.caller, { verb: 'get', resource: 'instances', name })
  if (!seen.allowed) return undefined
  const late = () =>
    deadlineExceeded(
      `the checks of instance ${name} were not over within ${CHECKS_MS / 1_000} s: the host or its control plane is slow to answer`,
    )
  return withinPatience(call, CHECKS_MS, { late }, async ({ signal }) => {
    const within = { ...call, signal }
    if (kubeconfigSecretRef) return checkAdoption(dependencies, within, kubeconfigSecretRef)
    if (install) await checkInstallation(dependencies.host, instance, signal)
    return undefined
  })
}
