import type { Cluster } from '../../../../karmada/objects/cluster.js'
import type { OverridePolicy } from '../../../../karmada/objects/override-policy.js'
import { MARKS } from '../../../../karmada/objects/work.js'
import type { OverridePolicies } from '../../../../karmada/overrides/apply-overrides.js'
import { OverrideBudget } from '../../../../karmada/overrides/budget.js'
import { OverrideError } from '../../../../karmada/overrides/json-edit.js'
import { podTemplateOverrides } from '../../../../karmada/overrides/pod-template.js'
import type { KubeObject } from '../../../../manifests/kube.js'
import type { Place } from '../../../objects/object-type.js'
import type { ObjectCall, Objects } from '../../../objects/objects.js'
import { sideCall } from '../../../objects/side-call.js'
import { ifReadable } from '../../distribution/read-distributions.js'
import { CLUSTER, CLUSTER_OVERRIDE_POLICY, OVERRIDE_POLICY } from '../../kind/object-types.js'
import type { MemberHistory } from './member-history.js'
import { revisionId, type Templated } from './revision.js'

/** Why a member's pod templates may be others than those of the control plane, one sentence each; none where they are the same. */
export type AlteredBecause = (member: MemberHistory) => readonly string[]

/**
 * Finds out in which members pod templates are changed on their way, from the override policies and clusters that the caller may read.
 * Besides, a member is looked at: where it has applied this very generation of the workload and has another template, something else
 * changes it there. To a caller who may not read the policies, that is all there is.
 */
export async function alteredTemplates(
  objects: Objects,
  call: ObjectCall,
  place: Place,
  workload: Templated,
): Promise<AlteredBecause> {
  const { namespace = '' } = workload.metadata
  const all = { page: 1, pageSize: 0 }
  const quiet = sideCall(call)
  const [clusterWide, namespaced, clusters] = await Promise.all([
    ifReadable(() => objects.list<KubeObject & OverridePolicy>(quiet, place, CLUSTER_OVERRIDE_POLICY, all)),
    ifReadable(() =>
      objects.list<KubeObject & OverridePolicy>(quiet, place, OVERRIDE_POLICY, { ...all, namespace }),
    ),
    ifReadable(() => objects.list<Cluster>(quiet, place, CLUSTER, all)),
  ])
  const byName = new Map(clusters?.map(cluster => [cluster.metadata.name, cluster]))
  // All members together: what is computed here keeps other callers waiting.
  const budget = new OverrideBudget()
  return member => {
    const cluster = byName.get(member.cluster)
    const policies = cluster && { clusterWide: clusterWide ?? [], namespaced: namespaced ?? [], budget }
    const overriding = policies ? overridesIn(workload, cluster, policies) : []
    if (overriding.length > 0)
      return overriding.map(policy => `${policy} changes pod templates in ${member.cluster}`)
    return isOther(workload, member)
      ? [
          `the pod template in ${member.cluster} is not that of the control plane, although ${member.cluster} has applied it`,
        ]
      : []
  }
}

function overridesIn(workload: Templated, cluster: Cluster, policies: OverridePolicies): readonly string[] {
  try {
    return podTemplateOverrides(workload, cluster, policies)
  } catch (error) {
    if (error instanceof OverrideError) return [`an override that cannot be applied (${error.message})`]
    throw error
  }
}

function isOther(workload: Templated, { present, workload: member }: MemberHistory): boolean {
  const applied = Number(member.metadata.annotations?.[MARKS.templateGeneration])
  return applied === workload.metadata.generation && revisionId(workload.spec?.template ?? {}) !== present
}
