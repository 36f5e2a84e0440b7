import {
  type ClusterAffinity,
  DynamicWeightFactor,
  type OverridePolicySpec,
  type Overriders,
  type PropagationPolicySpec,
  ReplicaDivisionPreference,
  ReplicaSchedulingType,
  type ResourceSelector,
  type RuleWithCluster,
  SpreadFieldValue,
} from '../../proto/gen/kairship/policy_spec_pb.js'

type Affinity = Pick<ClusterAffinity, 'clusterNames' | 'labelSelector' | 'fieldSelector' | 'exclude'>
type Scheduling = NonNullable<NonNullable<PropagationPolicySpec['placement']>['replicaScheduling']>

/** `Deployment web`, `ConfigMap shop/*`, `Deployment by labels`. */
export function selected({ kind, namespace, name, labelSelector }: ResourceSelector): string {
  const where = namespace ? `${namespace}/` : ''
  if (name) return `${kind} ${where}${name}`
  return `${kind}${where && ` ${where}*`}${labelSelector ? ' by labels' : where ? '' : ' *'}`
}

/** `to eu-west-a, eu-west-b, replicas divided by weight`. */
export function placementWords(spec: PropagationPolicySpec | undefined): string {
  const {
    clusterAffinity,
    clusterAffinities = [],
    spreadConstraints = [],
    replicaScheduling,
  } = spec?.placement ?? {}
  const groups = clusterAffinities.map(affinityWords)
  const where = groups.length > 0 ? groups.join(', else ') : affinityWords(clusterAffinity)
  const spread = spreadConstraints.length > 0 ? ', spread' : ''
  return `to ${where}${spread}${replicaWords(replicaScheduling)}`
}

/** `overrides in eu-west-b`. */
export function overrideWords(spec: OverridePolicySpec | undefined): string {
  const rules = rulesOf(spec)
  const clusters = [...new Set(rules.map(({ targetCluster }) => affinityWords(targetCluster)))]
  return rules.length === 0 ? 'nothing' : `overrides in ${clusters.join('; ')}`
}

function affinityWords(affinity: Affinity | undefined): string {
  if (!affinity) return 'all clusters'
  const { clusterNames, labelSelector, fieldSelector, exclude } = affinity
  const chosen =
    clusterNames.length > 0
      ? clusterNames.join(', ')
      : labelSelector || fieldSelector
        ? 'clusters by labels or fields'
        : 'all clusters'
  return exclude.length > 0 ? `${chosen} without ${exclude.join(', ')}` : chosen
}

function replicaWords(scheduling: Scheduling | undefined): string {
  if (scheduling?.replicaSchedulingType !== ReplicaSchedulingType.Divided) return ''
  return scheduling.replicaDivisionPreference === ReplicaDivisionPreference.Weighted
    ? ', replicas divided by weight'
    : ', replicas in few clusters'
}

/** What a propagation policy says beyond its clusters: replicas, spread and settings. */
export function propagationDetails(spec: PropagationPolicySpec | undefined): readonly string[] {
  const { replicaScheduling, spreadConstraints = [] } = spec?.placement ?? {}
  const spread = spreadConstraints.map(({ spreadByField, spreadByLabel, minGroups, maxGroups }) => {
    const most = maxGroups > 0n ? `-${maxGroups}` : '+'
    return `${spreadByLabel || SpreadFieldValue[spreadByField]} ${minGroups || 1n}${most}`
  })
  return [schedulingDetail(replicaScheduling), spread.join(', ') || '-', settingWords(spec) || '-']
}

/** What a propagation policy has set that most have not: `priority 10, preempts others, with dependencies`. */
function settingWords(spec: PropagationPolicySpec | undefined): string {
  if (!spec) return ''
  const { suspension } = spec
  const held = suspension?.dispatchingOnClusters?.clusterNames ?? []
  return [
    spec.priority !== 0 && `priority ${spec.priority}`,
    spec.preemption === 'Always' && 'preempts others',
    spec.propagateDeps && 'with dependencies',
    spec.conflictResolution === 'Overwrite' && 'overwrites what members have',
    spec.activationPreference === 'Lazy' && 'lazy',
    spec.preserveResourcesOnDeletion && 'leaves objects in members',
    suspension?.dispatching && 'suspended',
    held.length > 0 && `suspended in ${held.join(', ')}`,
    spec.failover && 'with failover',
  ]
    .filter(Boolean)
    .join(', ')
}

/** `Divided, Weighted by AvailableReplicas`. Karmada duplicates where a policy says nothing. */
function schedulingDetail(scheduling: Scheduling | undefined): string {
  if (scheduling?.replicaSchedulingType !== ReplicaSchedulingType.Divided) return 'Duplicated'
  if (scheduling.replicaDivisionPreference !== ReplicaDivisionPreference.Weighted)
    return 'Divided, Aggregated'
  const { dynamicWeight, staticWeightList = [] } = scheduling.weightPreference ?? {}
  if (dynamicWeight) return `Divided, Weighted by ${DynamicWeightFactor[dynamicWeight]}`
  const weights = staticWeightList.map(
    ({ targetCluster, weight }) => `${affinityWords(targetCluster)}=${weight}`,
  )
  return `Divided, Weighted${weights.length > 0 ? ` ${weights.join('; ')}` : ''}`
}

/** What an override policy changes, in the columns of a propagation policy. */
export const overrideDetails = (spec: OverridePolicySpec | undefined): readonly string[] => {
  const kinds = [...new Set(rulesOf(spec).flatMap(({ overriders }) => changed(overriders)))]
  return ['-', '-', kinds.length > 0 ? `changes ${kinds.join(', ')}` : '-']
}

const changed = (overriders: Overriders | undefined): readonly string[] => [
  ...(overriders?.imageOverrider.length ? ['image'] : []),
  ...(overriders?.commandOverrider.length ? ['command'] : []),
  ...(overriders?.argsOverrider.length ? ['args'] : []),
  ...(overriders?.labelsOverrider.length ? ['labels'] : []),
  ...(overriders?.annotationsOverrider.length ? ['annotations'] : []),
  ...(overriders?.fieldOverrider.map(({ fieldPath }) => fieldPath) ?? []),
  ...(overriders?.plaintext.map(({ path }) => path) ?? []),
]

/** The rules of an override policy; Karmada reads the deprecated fields where there are none. */
const rulesOf = (
  spec: OverridePolicySpec | undefined,
): readonly Pick<RuleWithCluster, 'targetCluster' | 'overriders'>[] => {
  if (!spec) return []
  const { overrideRules, targetCluster, overriders } = spec
  return overrideRules.length > 0 || !overriders ? overrideRules : [{ targetCluster, overriders }]
}
