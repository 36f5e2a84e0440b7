import type { MemberObject, Propagated } from '../../../karmada/explain/propagated.js'
import { unreachableBecause } from '../../../karmada/explain/unreachable.js'
import type { Resource } from '../../../karmada/interpreter/workload.js'
import { bindingName } from '../../../karmada/names.js'
import type { Cluster } from '../../../karmada/objects/cluster.js'
import type { OverridePolicy } from '../../../karmada/objects/override-policy.js'
import type { PropagationPolicy } from '../../../karmada/objects/propagation-policy.js'
import type { Binding } from '../../../karmada/objects/resource-binding.js'
import type { OverridePolicies } from '../../../karmada/overrides/apply-overrides.js'
import { OverrideBudget } from '../../../karmada/overrides/budget.js'
import { targetsOf } from '../../../karmada/propagation/work-of.js'
import type { KubeObject } from '../../../manifests/kube.js'
import { isNotFound } from '../../../manifests/status-error.js'
import { toFailure } from '../../errors/to-failure.js'
import { apiVersionOf, type ObjectKey, type ObjectType } from '../../objects/object-type.js'
import { askMember } from '../concurrency/within-patience.js'
import {
  CLUSTER,
  CLUSTER_OVERRIDE_POLICY,
  CLUSTER_PROPAGATION_POLICY,
  CLUSTER_RESOURCE_BINDING,
  OVERRIDE_POLICY,
  PROPAGATION_POLICY,
  RESOURCE_BINDING,
} from '../kind/object-types.js'
import type { Reader } from './reader.js'

/** Reads everything that the way of one template leads past. */
export async function gather(reader: Reader, type: ObjectType, key: ObjectKey): Promise<Propagated> {
  const { namespace = '' } = key
  const [template, policies, clusterPolicies, overrides, binding, listed] = await Promise.all([
    reader.get<Resource>(type, key),
    namespace ? reader.listWide<PropagationPolicy>(PROPAGATION_POLICY, namespace) : [],
    reader.list<PropagationPolicy>(CLUSTER_PROPAGATION_POLICY),
    overridesOf(reader, namespace),
    bindingOf(reader, type.kind, key),
    clustersOf(reader),
  ])
  const targets = binding ? targetsOf(binding).map(({ name }) => name) : []
  const areClustersUnlisted = reader.isDenied(CLUSTER)
  const clusters = areClustersUnlisted ? await reader.clusters(targets) : listed
  const byName = new Map(clusters.map(cluster => [cluster.metadata.name, cluster]))
  const works = await reader.works({ kind: type.kind, ...key }, targets)
  const members = await reader.each(targets, async name => {
    const unreachable = unreachableIn(byName.get(name))
    const found = unreachable ?? (await inMember(reader, name, type, key))
    return [name, found] as const
  })
  return {
    wanted: { apiVersion: apiVersionOf(type), kind: type.kind, ...key },
    ...(template && { template }),
    policies,
    clusterPolicies,
    // All clusters together: what is computed here keeps other callers waiting.
    overrides: { ...overrides, budget: new OverrideBudget() },
    ...(binding && { binding }),
    ...{ clusters, areClustersUnlisted },
    bindings: binding ? await groupedBindings(reader, binding) : [],
    works,
    members: new Map(members),
  }
}

/** The binding of a template's name, of any owner. */
export const bindingOf = (
  reader: Reader,
  kind: string,
  { namespace, name }: ObjectKey,
): Promise<Binding | undefined> =>
  reader.get<Binding>(namespace ? RESOURCE_BINDING : CLUSTER_RESOURCE_BINDING, {
    name: bindingName(kind, name),
    ...(namespace && { namespace }),
  })

/** The bindings among which a binding's affinity groups are: those of its namespace. None where it has no groups. */
export const groupedBindings = async (
  reader: Reader,
  { metadata: { namespace }, spec: { workloadAffinityGroups } }: Binding,
): Promise<readonly Binding[]> =>
  workloadAffinityGroups ? reader.list<Binding>(RESOURCE_BINDING, namespace) : []

/** The members of the control plane. */
export const clustersOf = (reader: Reader): Promise<readonly Cluster[]> =>
  reader.list<Cluster & KubeObject>(CLUSTER)

/** Without clusters every decision would be that none fits, and that all are left. @throws Failure PERMISSION_DENIED */
export function requireClusters(reader: Reader): void {
  if (reader.isDenied(CLUSTER)) throw reader.refusal()
}

/** The override policies that count for a namespace's objects. */
export async function overridesOf(reader: Reader, namespace: string): Promise<OverridePolicies> {
  const [clusterWide, namespaced] = await Promise.all([
    reader.list<OverridePolicy & KubeObject>(CLUSTER_OVERRIDE_POLICY),
    namespace ? reader.list<OverridePolicy & KubeObject>(OVERRIDE_POLICY, namespace) : [],
  ])
  return { clusterWide, namespaced }
}

/** Milliseconds that one member may take. Several hanging ones must leave time for the answer, which a call has 60 s for. */
const MEMBER_PATIENCE_MS = 3_000

/** What can be said of a member without asking it: to one that is not ready a request hangs until it is given up. */
function unreachableIn(cluster: Cluster | undefined): MemberObject | undefined {
  const why = cluster && unreachableBecause(cluster)
  return why === undefined ? undefined : { kind: 'unreadable', because: `its Cluster is not ready, ${why}` }
}

/** A member that cannot be asked is no reason to say nothing of the others. */
async function inMember(
  { objects, call, place }: Reader,
  cluster: string,
  type: ObjectType,
  key: ObjectKey,
): Promise<MemberObject> {
  try {
    const object = await askMember(call, MEMBER_PATIENCE_MS, inMember =>
      objects.get<Resource>(inMember, { ...place, cluster }, type, key),
    )
    return { kind: 'found', object }
  } catch (error) {
    call.signal.throwIfAborted()
    return isNotFound(error) ? { kind: 'missing' } : { kind: 'unreadable', because: toFailure(error).message }
  }
}
