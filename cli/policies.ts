import type { JsonValue, Message } from '@bufbuild/protobuf'
import type { GenMessage } from '@bufbuild/protobuf/codegenv2'
import type { Rest } from '../client/rest.js'
import { jsonClient } from '../client/service-client.js'
import type { Config } from '../config.js'
import {
  ClusterOverridePolicySchema,
  ClusterPropagationPolicySchema,
  OverridePolicySchema,
  PolicyService,
  PropagationPolicySchema,
} from '../proto/gen/kairship/policy_pb.js'
import {
  type ClusterAffinity,
  type OverridePolicySpec,
  type PropagationPolicySpec,
  ReplicaDivisionPreference,
  ReplicaSchedulingType,
  type ResourceSelector,
} from '../proto/gen/kairship/policy_spec_pb.js'
import type { ObjectMeta } from '../proto/gen/kairship/types_pb.js'
import { ageOf } from './columns.js'
import type { ExitCode } from './exit-code.js'
import type { ClientContext } from './get-instances.js'
import { type ListedKind, type Listing, listedKind, listObjects } from './list-objects.js'

interface Policy<S extends { readonly resourceSelectors: readonly ResourceSelector[] }> {
  readonly metadata?: ObjectMeta | undefined
  readonly spec?: S | undefined
}

/** A kind of policies; `does` says in words what one does. */
const policy = <S extends { readonly resourceSelectors: readonly ResourceSelector[] }>(
  kind: string,
  schema: GenMessage<Policy<S> & Message>,
  list: (policies: Policies, request: { readonly instance: string }) => Promise<JsonValue>,
  does: (spec: S | undefined) => string,
  settings: (spec: S | undefined) => string = () => '',
): ListedKind =>
  listedKind({
    ...{ apiVersion: 'policy.karmada.io/v1alpha1', kind, schema },
    list: (client, instance) => list(policiesOf(client), { instance }),
    cells: ({ metadata, spec }, now) => [
      metadata?.namespace || '-',
      kind,
      metadata?.name ?? '',
      spec?.resourceSelectors.map(selected).join(', ') || 'everything',
      does(spec),
      ageOf(metadata?.creationTimestamp, now),
      settings(spec) || '-',
    ],
  })

const policiesOf = (client: Rest) => jsonClient(PolicyService, client)
type Policies = ReturnType<typeof policiesOf>

const listing: Listing = {
  noun: 'policy',
  header: ['NAMESPACE', 'KIND', 'NAME', 'SELECTS', 'DOES', 'AGE'],
  wideHeader: ['SETTINGS'],
  kinds: [
    policy(
      'ClusterPropagationPolicy',
      ClusterPropagationPolicySchema,
      (policies, request) => policies.listClusterPropagationPolicies(request),
      placementWords,
      settingWords,
    ),
    policy(
      'PropagationPolicy',
      PropagationPolicySchema,
      (policies, request) => policies.listInstancePropagationPolicies(request),
      placementWords,
      settingWords,
    ),
    policy(
      'ClusterOverridePolicy',
      ClusterOverridePolicySchema,
      (policies, request) => policies.listClusterOverridePolicies(request),
      overrideWords,
    ),
    policy(
      'OverridePolicy',
      OverridePolicySchema,
      (policies, request) => policies.listInstanceOverridePolicies(request),
      overrideWords,
    ),
  ],
}

/** `kairship policies INSTANCE [name...]`: what goes where, and what is changed on the way. */
export const listPolicies = (
  context: ClientContext,
  config: Config,
  names: readonly string[],
): Promise<ExitCode> => listObjects(context, config, names, listing)

/** `Deployment web`, `ConfigMap shop/*`, `Deployment with labels`. */
function selected({ kind, namespace, name, labelSelector }: ResourceSelector): string {
  const where = namespace ? `${namespace}/` : ''
  if (name) return `${kind} ${where}${name}`
  return `${kind}${where && ` ${where}*`}${labelSelector ? ' by labels' : where ? '' : ' *'}`
}

/** `to eu-west-a, eu-west-b, replicas divided by weight`. */
function placementWords(spec: PropagationPolicySpec | undefined): string {
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

type Affinity = Pick<ClusterAffinity, 'clusterNames' | 'labelSelector' | 'fieldSelector' | 'exclude'>

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

type Scheduling = NonNullable<NonNullable<PropagationPolicySpec['placement']>['replicaScheduling']>

function replicaWords(scheduling: Scheduling | undefined): string {
  if (scheduling?.replicaSchedulingType !== ReplicaSchedulingType.Divided) return ''
  return scheduling.replicaDivisionPreference === ReplicaDivisionPreference.Weighted
    ? ', replicas divided by weight'
    : ', replicas in few clusters'
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

function overrideWords(spec: OverridePolicySpec | undefined): string {
  const rules = spec?.overrideRules ?? []
  const clusters = [...new Set(rules.map(({ targetCluster }) => affinityWords(targetCluster)))]
  return rules.length === 0 ? 'nothing' : `overrides in ${clusters.join('; ')}`
}
