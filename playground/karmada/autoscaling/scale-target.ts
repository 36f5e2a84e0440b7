import type { ScaleTarget } from '../../../karmada/autoscaling/cron-scaling.js'
import { type KubeObject, resourcePath } from '../../../manifests/kube.js'
import { isConflict, isNotFound } from '../../../manifests/status-error.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import type { ResourceTypes } from '../propagation/resource-types.js'

/** What is to be scaled is not there, or cannot be scaled; the message is Karmada's. */
export class ScaleError extends Error {
  override readonly name = 'ScaleError'
}

interface Scale extends KubeObject {
  readonly spec?: { readonly replicas?: number }
}

/** Attempts to write a scale that others write too, before giving up. */
const MAX_CONFLICTS = 5

/**
 * Gives a workload other replicas; writes nothing where they are as wanted.
 * @param wanted the replicas that it is to have, of those that it has
 * @returns how many it had, and has now
 * @throws ScaleError, or StatusError when the control plane refuses
 */
export async function scale(
  control: KubeApi,
  types: ResourceTypes,
  namespace: string,
  { apiVersion = '', kind, name }: ScaleTarget,
  wanted: (replicas: number) => number,
): Promise<{ readonly before: number; readonly after: number }> {
  const type = await types.find(apiVersion, kind)
  if (!type) throw new ScaleError(`no matches for kind "${kind}" in version "${apiVersion}"`)
  const path = resourcePath(type, { namespace, name, subresource: 'scale' })
  for (let attempt = 1; ; attempt++) {
    const found = await control.request<Scale>({ method: 'GET', path }).catch((error: unknown) => {
      throw isNotFound(error) ? missing(kind, apiVersion, name) : error
    })
    const before = found.spec?.replicas ?? 0
    const after = wanted(before)
    if (before === after) return { before, after }
    try {
      const body = { ...found, spec: { ...found.spec, replicas: after } }
      await control.request({ method: 'PUT', path, body })
      return { before, after }
    } catch (error) {
      if (!isConflict(error) || attempt === MAX_CONFLICTS) throw error
    }
  }
}

/** As controllers say it that read from their cache. */
export const missing = (kind: string, apiVersion: string, name: string): ScaleError => {
  const group = apiVersion.includes('/') ? `.${apiVersion.split('/')[0]}` : ''
  return new ScaleError(`${kind}${group} "${name}" not found`)
}
