import type { KubeObject } from '../../manifests/kube.js'
import { withPreservedState } from '../eviction/preserved-state.js'
import { withReplicas } from '../interpreter/replicas.js'
import type { Resource } from '../interpreter/workload.js'
import { executionNamespace, workName } from '../names.js'
import { isWorkload, type TargetCluster } from '../objects/binding.js'
import type { Cluster } from '../objects/cluster.js'
import type { OverridePolicy } from '../objects/override-policy.js'
import { type Binding, bindingScopeOf, type Suspension } from '../objects/resource-binding.js'
import { MARKS, WORK_FINALIZER, type Work } from '../objects/work.js'
import {
  type AppliedOverride,
  applyOverrides,
  type Overridden,
  type OverridePolicies,
} from '../overrides/apply-overrides.js'
import { divideByWeight } from '../scheduling/webster.js'
import { pruned } from './prune.js'

/** The clusters that a binding wants a Work in: its own, and those of bindings that need it. */
export function targetsOf({ spec }: Binding): readonly TargetCluster[] {
  const targets = [...(spec.clusters ?? [])]
  for (const { clusters = [] } of spec.requiredBy ?? [])
    for (const one of clusters) if (!targets.some(({ name }) => name === one.name)) targets.push(one)
  return targets
}

/** The clusters whose Works stay: the targets, and clusters that are left gracefully. */
export function stayingClusters(binding: Binding): ReadonlySet<string> {
  const leaving = (binding.spec.gracefulEvictionTasks ?? []).filter(
    ({ purgeMode }) => purgeMode !== 'Directly',
  )
  return new Set([
    ...targetsOf(binding).map(({ name }) => name),
    ...leaving.map(({ fromCluster }) => fromCluster),
  ])
}

/** The clusters that are left at once: their Works go before anything runs elsewhere. */
export const purgedClusters = ({ spec }: Binding): ReadonlySet<string> =>
  new Set(
    (spec.gracefulEvictionTasks ?? [])
      .filter(({ purgeMode }) => purgeMode === 'Directly')
      .map(({ fromCluster }) => fromCluster),
  )

/**
 * The Work for one target of a binding (`ensureWork` of Karmada): replicas and completions first, overrides last.
 * @param present the Work that is there already; its permanent id is written into the manifest
 * @param replicated the template with the replicas of this cluster, as the interpreter makes it
 * @throws OverrideError when an override cannot be applied
 */
export function workOf(
  binding: Binding,
  template: Resource,
  target: TargetCluster,
  cluster: Cluster,
  policies: OverridePolicies,
  present?: Work,
  replicated: Resource = isWorkload(binding.spec) ? withReplicas(template, target.replicas ?? 0) : template,
): Work {
  const scope = bindingScopeOf(binding)
  const { spec, metadata } = binding
  const divided = withCompletions(replicated, binding, target)
  const overridden = applyOverrides(divided, cluster, policies)
  const id = { [scope.id]: metadata.labels?.[scope.id] ?? '' }
  const names = {
    [scope.name]: metadata.name,
    ...('namespace' in scope && metadata.namespace && { [scope.namespace]: metadata.namespace }),
  }
  const conflict = conflictResolutionOf(overridden.object, binding)
  const { generation = 0 } = template.metadata
  const own = marked(overridden.object, {
    labels: id,
    annotations: {
      ...names,
      ...(generation > 0 && { [MARKS.templateGeneration]: String(generation) }),
    },
  })
  const manifest = withPreservedState(own, binding, target.name, targetsOf(binding).length)
  const work = carrier(manifest, target.name, overridden, present, {
    labels: id,
    annotations: { ...names, ...conflict },
  })
  return {
    ...work,
    spec: {
      ...work.spec,
      suspendDispatching: isSuspended(spec.suspension, target.name),
      preserveResourcesOnDeletion: spec.preserveResourcesOnDeletion ?? false,
    },
  }
}

/** The Work that brings a namespace to a cluster; it needs no binding. Only ClusterOverridePolicies change it. */
export function namespaceWork(
  namespace: Resource,
  cluster: Cluster,
  clusterWide: readonly OverridePolicy[],
  present?: Work,
): Work {
  const overridden = applyOverrides(namespace, cluster, { clusterWide, namespaced: [] })
  const { apiVersion, kind, metadata } = namespace
  const owner = { apiVersion, kind, name: metadata.name, uid: metadata.uid ?? '' }
  const work = carrier(overridden.object, cluster.metadata.name, overridden, present, {})
  const ownerReferences = [{ ...owner, controller: true, blockOwnerDeletion: true }]
  return { ...work, metadata: { ...work.metadata, ownerReferences } }
}

interface Marks {
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
}

/**
 * A Work around a manifest (`ctrlutil.CreateOrUpdateWork`).
 * @param overridden the overrides that were applied to the manifest
 * @param present the Work that is there already; its permanent id is written into the manifest
 * @param marks its labels and annotations, and its name where that does not follow from the manifest's
 */
export function carrier(
  object: Resource,
  cluster: string,
  { clusterOverrides, overrides }: Omit<Overridden<Resource>, 'object'>,
  present: Work | undefined,
  {
    labels = {},
    annotations = {},
    name = workName(object.kind, object.metadata.name, object.metadata.namespace),
  }: Marks & { readonly name?: string },
): Work {
  const namespace = executionNamespace(cluster)
  const conflict = annotations[MARKS.conflictResolution]
  const manifest = pruned(
    marked(object, {
      labels: { [MARKS.managed.key]: MARKS.managed.value },
      annotations: {
        [MARKS.templateUid]: object.metadata.uid ?? '',
        [MARKS.workName]: name,
        [MARKS.workNamespace]: namespace,
        ...(conflict !== undefined && { [MARKS.conflictResolution]: conflict }),
      },
    }),
  )
  const id = present?.metadata.labels?.[MARKS.workId]
  return {
    apiVersion: 'work.karmada.io/v1alpha1',
    kind: 'Work',
    metadata: {
      name,
      namespace,
      labels,
      annotations: {
        ...annotations,
        ...applied(MARKS.appliedClusterOverrides, clusterOverrides),
        ...applied(MARKS.appliedOverrides, overrides),
      },
      finalizers: [WORK_FINALIZER],
    },
    spec: {
      workload: { manifests: [id === undefined ? withManagedKeys(manifest) : withWorkId(manifest, id)] },
    },
  }
}

/** The manifest with its Work's permanent id, and with the lists of what Karmada manages of it. */
export const withWorkId = (manifest: Resource, id: string): Resource =>
  withManagedKeys(marked(manifest, { labels: { [MARKS.workId]: id } }))

/** Records which labels and annotations come from the control plane, to distinguish them from the member's own later. */
function withManagedKeys(manifest: Resource): Resource {
  const { labels = {}, annotations = {} } = manifest.metadata
  const annotationKeys = new Set([...Object.keys(annotations), MARKS.managedAnnotations, MARKS.managedLabels])
  return marked(manifest, {
    annotations: {
      [MARKS.managedAnnotations]: [...annotationKeys].sort().join(','),
      [MARKS.managedLabels]: Object.keys(labels).sort().join(','),
    },
  })
}

function marked<T extends KubeObject>(object: T, { labels, annotations }: Marks): T {
  const { metadata } = object
  return {
    ...object,
    metadata: {
      ...metadata,
      ...(labels && { labels: { ...texts(metadata.labels), ...labels } }),
      ...(annotations && { annotations: { ...texts(metadata.annotations), ...annotations } }),
    },
  }
}

/** An override may write what is no text: null is read as an empty one, and anything else makes Karmada read none at all. */
function texts(map: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, string>> {
  const values = Object.values(map)
  if (values.some(one => one !== null && typeof one !== 'string')) return {}
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, (value ?? '') as string]))
}

const applied = (key: string, overrides: readonly AppliedOverride[]): Readonly<Record<string, string>> =>
  overrides.length > 0 ? { [key]: JSON.stringify(overrides) } : {}

/** The template's own annotation counts more than the policy. */
function conflictResolutionOf(template: KubeObject, { spec }: Binding): Readonly<Record<string, string>> {
  const own = template.metadata.annotations?.[MARKS.conflictResolution]
  const value =
    own === 'overwrite' || own === 'abort'
      ? own
      : spec.conflictResolution === 'Overwrite'
        ? 'overwrite'
        : 'abort'
  return { [MARKS.conflictResolution]: value }
}

/** A divided Job's completions are divided as its replicas are. */
function withCompletions(template: Resource, binding: Binding, target: TargetCluster): Resource {
  const { placement, replicas = 0 } = binding.spec
  const isDivided = placement?.replicaScheduling?.replicaSchedulingType === 'Divided'
  const completions = template.spec?.completions
  if (template.kind !== 'Job' || replicas === 0 || !isDivided || typeof completions !== 'number')
    return template
  const weights = new Map(targetsOf(binding).map(one => [one.name, one.replicas ?? 0]))
  const shares = divideByWeight(completions, weights, [], template.metadata.uid)
  const share = shares.find(({ name }) => name === target.name)
  // Where no cluster has replicas, nothing is divided.
  return share ? { ...template, spec: { ...template.spec, completions: share.replicas } } : template
}

const isSuspended = (suspension: Suspension | undefined, cluster: string): boolean =>
  suspension?.dispatching === true ||
  (suspension?.dispatchingOnClusters?.clusterNames ?? []).includes(cluster)
