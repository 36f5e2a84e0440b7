import type { KubeObject } from '../../manifests/kube.js'
import type { Cluster } from '../objects/cluster.js'
import type { Overriders } from '../objects/override-policy.js'
import { applyOverrides, type OverridePolicies } from './apply-overrides.js'

const POD_TEMPLATE = '/spec/template'

/**
 * The override policies that change the pod template of a workload for one cluster, whatever the template is: an overrider counts
 * also where it happens to write what is there already. Each as `OverridePolicy eu`, in the order in which Karmada applies them.
 * @throws OverrideError where Karmada could not apply one either
 */
export function podTemplateOverrides(
  workload: KubeObject,
  cluster: Cluster,
  policies: OverridePolicies,
): readonly string[] {
  const { clusterOverrides, overrides } = applyOverrides(workload, cluster, policies)
  const named = (kind: string, applied: typeof overrides) =>
    applied.filter(one => changesPodTemplate(one.overriders)).map(({ policyName }) => `${kind} ${policyName}`)
  return [
    ...new Set([...named('ClusterOverridePolicy', clusterOverrides), ...named('OverridePolicy', overrides)]),
  ]
}

/** Labels and annotations are those of the workload itself. */
function changesPodTemplate(overriders: Overriders): boolean {
  const { imageOverrider = [], commandOverrider = [], argsOverrider = [] } = overriders
  const { fieldOverrider = [], plaintext = [] } = overriders
  return (
    commandOverrider.length > 0 ||
    argsOverrider.length > 0 ||
    imageOverrider.some(({ predicate }) => !predicate || isInTemplate(predicate.path)) ||
    fieldOverrider.some(({ fieldPath }) => isInTemplate(fieldPath)) ||
    plaintext.some(({ path }) => isInTemplate(path))
  )
}

/** Whether a pointer leads into the pod template or to what holds it. */
const isInTemplate = (path: string): boolean =>
  path === POD_TEMPLATE ||
  path.startsWith(`${POD_TEMPLATE}/`) ||
  POD_TEMPLATE.startsWith(`${path}/`) ||
  path === ''
