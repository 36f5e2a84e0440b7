import { bindingName } from '../names.js'
import type { AffinityGroups, BindingSpec, TargetCluster } from '../objects/binding.js'
import type { Placement } from '../objects/placement.js'

/** A binding as far as the affinity of workloads looks at it. */
export interface GroupedBinding {
  readonly metadata: { readonly namespace?: string; readonly name: string }
  readonly spec: {
    readonly workloadAffinityGroups?: AffinityGroups
    readonly clusters?: readonly TargetCluster[]
  }
}

/** The other bindings of a binding's affinity group and of its anti-affinity group. */
export interface GroupMembers {
  readonly affinity: readonly GroupedBinding[]
  readonly antiAffinity: readonly GroupedBinding[]
}

/**
 * The groups that a template belongs to, by its labels (feature gate WorkloadAffinity; `getWorkloadAffinityGroups` of Karmada).
 * @returns undefined where it has none of the labels that the placement names
 */
export function affinityGroupsOf(
  labels: Readonly<Record<string, string>> | undefined,
  { workloadAffinity }: Placement,
): AffinityGroups | undefined {
  const groupOf = (key: string | undefined): string | undefined => {
    const value = key === undefined ? undefined : labels?.[key]
    return value === undefined ? undefined : `${key}=${value}`
  }
  const affinityGroup = groupOf(workloadAffinity?.affinity?.groupByLabelKey)
  const antiAffinityGroup = groupOf(workloadAffinity?.antiAffinity?.groupByLabelKey)
  if (affinityGroup === undefined && antiAffinityGroup === undefined) return undefined
  return {
    ...(affinityGroup !== undefined && { affinityGroup }),
    ...(antiAffinityGroup !== undefined && { antiAffinityGroup }),
  }
}

/** Groups end at their namespace. Without groups, no binding is looked at. */
export function groupMembersOf(
  { resource, workloadAffinityGroups }: BindingSpec,
  bindings: () => readonly GroupedBinding[],
): GroupMembers {
  const { affinityGroup, antiAffinityGroup } = workloadAffinityGroups ?? {}
  if (!affinityGroup && !antiAffinityGroup) return NONE
  const own = bindingName(resource.kind, resource.name)
  const others = bindings().filter(
    ({ metadata }) => metadata.namespace === resource.namespace && metadata.name !== own,
  )
  const inGroup = (part: keyof AffinityGroups, group: string | undefined) =>
    group ? others.filter(({ spec }) => spec.workloadAffinityGroups?.[part] === group) : []
  return {
    affinity: inGroup('affinityGroup', affinityGroup),
    antiAffinity: inGroup('antiAffinityGroup', antiAffinityGroup),
  }
}

const NONE: GroupMembers = { affinity: [], antiAffinity: [] }
