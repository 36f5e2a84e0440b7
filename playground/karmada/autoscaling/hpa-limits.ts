import { type CronRule, FEDERATED_HPAS } from '../../../karmada/autoscaling/cron-scaling.js'
import type { FederatedHpa } from '../../../karmada/autoscaling/federated-hpa.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import { update } from '../../client/write.js'
import { missing, ScaleError } from './scale-target.js'

/** The API version of FederatedHPAs. */
export const HPA_VERSION = `${FEDERATED_HPAS.group}/${FEDERATED_HPAS.version}`

/**
 * Gives a FederatedHPA the limits that a rule names; writes nothing where they are as wanted.
 * @throws ScaleError where there is none, or another kind is meant
 */
export async function limitHpa(
  control: KubeApi,
  kind: string,
  place: { readonly namespace: string; readonly name: string },
  { targetMinReplicas, targetMaxReplicas }: CronRule,
): Promise<void> {
  if (kind !== 'FederatedHPA')
    throw new ScaleError(`CronFederatedHPA do not support scale target ${HPA_VERSION}/${kind}`)
  const found = await update<FederatedHpa>(control, FEDERATED_HPAS, place, one => {
    const { minReplicas, maxReplicas } = one.spec
    const min = targetMinReplicas ?? minReplicas
    const max = targetMaxReplicas ?? maxReplicas
    if (min === minReplicas && max === maxReplicas) return one
    return { ...one, spec: { ...one.spec, ...(min !== undefined && { minReplicas: min }), maxReplicas: max } }
  })
  if (!found) throw missing(kind, HPA_VERSION, place.name)
}
