import { type Counted, countedNatively } from '../interpreter/counted.js'
import type { Resource } from '../interpreter/workload.js'
import { claimMarks } from '../matching/claim.js'
import { CLAIMS } from '../matching/policies.js'
import { bindingName } from '../names.js'
import type { ReplicaRequirements } from '../objects/binding.js'
import type { PropagationPolicy } from '../objects/propagation-policy.js'
import { type Binding, bindingScopeOf, type PlacedBinding } from '../objects/resource-binding.js'
import { ownerReferenceOf, resourceReferenceOf } from '../objects/template-references.js'
import { writtenPlacement } from '../objects/written-placement.js'
import { affinityGroupsOf } from '../scheduling/affinity-groups.js'
import { without } from '../without.js'

/** The object that a binding names exists no more: its name is another object's now. */
export class ForeignBindingError extends Error {
  override readonly name = 'ForeignBindingError'
}

/**
 * The binding of a template that has none yet (`detector.BuildResourceBinding` of Karmada).
 * @param priority value of the PriorityClass that the policy names
 * @param counted what interpreters say of the template's replicas or components
 */
export function newBinding(
  template: Resource,
  policy: PropagationPolicy,
  priority?: number,
  counted: Counted = countedNatively(template),
): PlacedBinding {
  const { kind, metadata } = template
  const scope = bindingScopeOf(template)
  return {
    apiVersion: `${scope.type.group}/${scope.type.version}`,
    kind: scope.kind,
    metadata: {
      name: bindingName(kind, metadata.name),
      ...(metadata.namespace && { namespace: metadata.namespace }),
      ...claimMarks(policy),
      finalizers: [scope.finalizer],
      ownerReferences: [ownerReferenceOf(template)],
    },
    spec: {
      ...specOf(template, policy, counted),
      ...(priority !== undefined && metadata.namespace && { schedulePriority: { priority } }),
    },
  }
}

/**
 * The present binding as template and policy want it now. What the scheduler and others wrote stays.
 * @param priority value of the PriorityClass that the policy names
 * @param counted what interpreters say of the template's replicas or components
 * @throws ForeignBindingError when it belongs to an earlier object of the template's name; the garbage collector takes it away
 */
export function renewedBinding(
  present: Binding,
  template: Resource,
  policy: PropagationPolicy,
  priority?: number,
  counted: Counted = countedNatively(template),
): PlacedBinding {
  const wanted = newBinding(template, policy, priority, counted)
  const owner = present.metadata.ownerReferences?.find(({ controller }) => controller)
  if (owner && owner.uid !== template.metadata.uid)
    throw new ForeignBindingError(
      'failed to update binding due to different owner reference UID, will try again later after binding is garbage collected, see https://github.com/karmada-io/karmada/issues/2090',
    )
  const { metadata, spec } = present
  const finalizers = metadata.finalizers ?? []
  const missing = (wanted.metadata.finalizers ?? []).filter(one => !finalizers.includes(one))
  const scheduling = spec.suspension?.scheduling
  const suspension = {
    ...wanted.spec.suspension,
    ...(scheduling !== undefined && { scheduling }),
  }
  return {
    ...present,
    metadata: {
      ...metadata,
      labels: { ...withoutOther(metadata.labels, policy), ...wanted.metadata.labels },
      annotations: { ...withoutOther(metadata.annotations, policy), ...wanted.metadata.annotations },
      finalizers: [...finalizers, ...missing],
      ...(wanted.metadata.ownerReferences && { ownerReferences: wanted.metadata.ownerReferences }),
    },
    spec: {
      ...without(spec, RENEWED),
      ...without(wanted.spec, metadata.namespace ? ['suspension'] : ['suspension', 'propagateDeps']),
      // Karmada forgets it: a cluster-scoped binding keeps what it was made with.
      ...(!metadata.namespace && spec.propagateDeps !== undefined && { propagateDeps: spec.propagateDeps }),
      ...(Object.keys(suspension).length > 0 && { suspension }),
    } as PlacedBinding['spec'],
  }
}

const RENEWED = [
  ...[
    'resource',
    'replicas',
    'workloadAffinityGroups',
    'replicaRequirements',
    'components',
    'propagateDeps',
    'schedulerName',
    'schedulePriority',
    'placement',
  ],
  ...['failover', 'conflictResolution', 'preserveResourcesOnDeletion', 'suspension'],
]

function specOf(
  template: Resource,
  { spec }: PropagationPolicy,
  { components, replicas: counted }: Counted,
): PlacedBinding['spec'] {
  const groups = affinityGroupsOf(template.metadata.labels, spec.placement ?? {})
  const { propagateDeps, schedulerName, failover, conflictResolution, suspension } = spec
  return {
    resource: resourceReferenceOf(template),
    placement: writtenPlacement(spec.placement ?? {}),
    // Go leaves out what is zero.
    ...(counted && counted.replicas > 0 && { replicas: counted.replicas }),
    ...(counted?.requirements && { replicaRequirements: withNamespace(counted.requirements, template) }),
    ...(components && components.length > 0 && { components }),
    ...(propagateDeps && { propagateDeps }),
    ...(schedulerName && { schedulerName }),
    ...(failover && { failover }),
    ...(conflictResolution && { conflictResolution }),
    ...(spec.preserveResourcesOnDeletion !== undefined && {
      preserveResourcesOnDeletion: spec.preserveResourcesOnDeletion,
    }),
    ...(suspension && { suspension }),
    ...(groups && { workloadAffinityGroups: groups }),
  }
}

/** A pod template does not say its namespace (feature gate ResourceQuotaEstimate). */
const withNamespace = (
  requirements: ReplicaRequirements,
  { metadata: { namespace } }: Resource,
): ReplicaRequirements => ({ ...(namespace && { namespace }), ...requirements })

/** A binding that goes from a cluster policy to a policy loses the claim of the former. */
function withoutOther(
  map: Readonly<Record<string, string>> | undefined,
  { kind }: PropagationPolicy,
): Readonly<Record<string, string>> {
  return kind === 'PropagationPolicy' ? without(map ?? {}, Object.values(CLAIMS.clusterPolicy)) : (map ?? {})
}
