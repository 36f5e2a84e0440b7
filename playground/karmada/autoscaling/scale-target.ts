import type { CronRule, ScaleTarget } from '../../../karmada/autoscaling/cron-scaling.js'
import { FEDERATED_HPAS } from '../../../karmada/autoscaling/cron-scaling.js'
import { type KubeObject, resourcePath } from '../../../manifests/kube.js'
import { isConflict, isNotFound } from '../../../manifests/status-error.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import { update } from '../../client/write.js'
import type { ResourceTypes } from '../propagation/resource-types.js'

/** A rule cannot be executed; the message is Karmada's. */
export class ScaleError extends Error {
  override readonly name = 'ScaleError'
}

interface Scale extends KubeObject {
  readonly spec?: { readonly replicas?: number }
}

interface FederatedHpa extends KubeObject {
  readonly spec: { readonly minReplicas?: number; readonly maxReplicas?: number }
}

/** Attempts to write a scale that others write too, before giving up. */
const MAX_CONFLICTS = 5

/**
 * Gives a workload its replicas, or a FederatedHPA its limits, as a rule says. Writes nothing where they are as wanted.
 * @throws ScaleError, or StatusError when the control plane refuses
 */
export async function scale(
  control: KubeApi,
  types: ResourceTypes,
  namespace: string,
  { apiVersion = '', kind, name }: ScaleTarget,
  rule: CronRule,
): Promise<void> {
  const place = { namespace, name }
  if (apiVersion === `${FEDERATED_HPAS.group}/${FEDERATED_HPAS.version}`)
    return limitHpa(control, kind, place, rule)
  const type = await types.find(apiVersion, kind)
  if (!type) throw new ScaleError(`no matches for kind "${kind}" in version "${apiVersion}"`)
  const path = resourcePath(type, { ...place, subresource: 'scale' })
  for (let attempt = 1; ; attempt++) {
    const found = await control.request<Scale>({ method: 'GET', path }).catch((error: unknown) => {
      throw isNotFound(error) ? notFound(kind, apiVersion, name) : error
    })
    const { targetReplicas = 0 } = rule
    if ((found.spec?.replicas ?? 0) === targetReplicas) return
    try {
      const body = { ...found, spec: { ...found.spec, replicas: targetReplicas } }
      await control.request({ method: 'PUT', path, body })
      return
    } catch (error) {
      if (!isConflict(error) || attempt === MAX_CONFLICTS) throw error
    }
  }
}

async function limitHpa(
  control: KubeApi,
  kind: string,
  place: { readonly namespace: string; readonly name: string },
  { targetMinReplicas, targetMaxReplicas }: CronRule,
): Promise<void> {
  const { group, version } = FEDERATED_HPAS
  if (kind !== 'FederatedHPA')
    throw new ScaleError(`CronFederatedHPA do not support scale target ${group}/${version}/${kind}`)
  const found = await update<FederatedHpa>(control, FEDERATED_HPAS, place, one => {
    const { minReplicas, maxReplicas } = one.spec
    const [min, max] = [targetMinReplicas ?? minReplicas, targetMaxReplicas ?? maxReplicas]
    if (min === minReplicas && max === maxReplicas) return one
    const limits = {
      ...(min !== undefined && { minReplicas: min }),
      ...(max !== undefined && { maxReplicas: max }),
    }
    return { ...one, spec: { ...one.spec, ...limits } }
  })
  if (!found) throw notFound(kind, `${group}/${version}`, place.name)
}

/** As controllers say it that read from their cache. */
const notFound = (kind: string, apiVersion: string, name: string): ScaleError => {
  const group = apiVersion.includes('/') ? `.${apiVersion.split('/')[0]}` : ''
  return new ScaleError(`${kind}${group} "${name}" not found`)
}
