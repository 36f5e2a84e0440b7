import { serviceClient } from '../../client/service-client.js'
import { PolicyService } from '../../proto/gen/kairship/policy_pb.js'
import {
  type OverridePolicySpec,
  ReplicaDivisionPreference as Preference,
  type PropagationPolicySpec,
  type ResourceSelector,
  ReplicaSchedulingType as Type,
} from '../../proto/gen/kairship/policy_spec_pb.js'
import type { ObjectMeta } from '../../proto/gen/kairship/types_pb.js'
import { rest } from '../connection/rest.js'
import { changesOf } from '../live/changes.js'
import { ofAnyLength } from '../live/long-list.js'
import type { PageRequest, Source } from '../live/source.js'
import type { ListSearch } from '../tables/list-search.js'
import { type PolicyKind, policyType } from './policy-kinds.js'

const service = serviceClient(PolicyService, rest)

/** A policy of any kind, as lists show it. */
export interface Policy {
  readonly metadata: ObjectMeta | undefined
  readonly selectors: readonly ResourceSelector[]
  /** The clusters that it names; empty: selected by labels, or all. */
  readonly clusters: readonly string[]
  /** How replicas are divided; absent for an override policy. */
  readonly division?: Division
  readonly priority?: number
  /** The number of rules of an override policy. */
  readonly rules?: number
}

/** How the replicas of a template are divided, in the console's terms. */
export type Division = 'duplicated' | 'aggregated' | 'dynamic' | 'static'

export const policyKey = ({ metadata }: Policy): string => `${metadata?.namespace}/${metadata?.name}`

interface PolicyQuery extends ListSearch {
  readonly instance: string
}

/** The policies of a kind, live also in a list that is too long for a Watch. */
export const policies = (kind: PolicyKind, query: PolicyQuery): Source<Policy> =>
  ofAnyLength(sources[kind](query), policyType(kind), query)

const sources: Readonly<Record<PolicyKind, (query: PolicyQuery) => Source<Policy>>> = {
  propagationpolicies: query => ({
    async list(page, signal) {
      const { items, pagination } = await service.listInstancePropagationPolicies(listOf(query, page), {
        signal,
      })
      return { items: items.map(ofPropagation), total: pagination?.total ?? items.length }
    },
    watch: (resumeToken, signal) =>
      changesOf(
        service.watchPropagationPolicies(watchOf(query, resumeToken), { signal }),
        ({ propagationPolicy }) => propagationPolicy && ofPropagation(propagationPolicy),
      ),
    keyOf: policyKey,
    isStable: true,
  }),
  clusterpropagationpolicies: query => ({
    async list(page, signal) {
      const { items, pagination } = await service.listClusterPropagationPolicies(listOf(query, page), {
        signal,
      })
      return { items: items.map(ofPropagation), total: pagination?.total ?? items.length }
    },
    watch: (resumeToken, signal) =>
      changesOf(
        service.watchClusterPropagationPolicies(watchOf(query, resumeToken), { signal }),
        ({ clusterPropagationPolicy }) => clusterPropagationPolicy && ofPropagation(clusterPropagationPolicy),
      ),
    keyOf: policyKey,
    isStable: true,
  }),
  overridepolicies: query => ({
    async list(page, signal) {
      const { items, pagination } = await service.listInstanceOverridePolicies(listOf(query, page), {
        signal,
      })
      return { items: items.map(ofOverride), total: pagination?.total ?? items.length }
    },
    watch: (resumeToken, signal) =>
      changesOf(
        service.watchOverridePolicies(watchOf(query, resumeToken), { signal }),
        ({ overridePolicy }) => overridePolicy && ofOverride(overridePolicy),
      ),
    keyOf: policyKey,
    isStable: true,
  }),
  clusteroverridepolicies: query => ({
    async list(page, signal) {
      const { items, pagination } = await service.listClusterOverridePolicies(listOf(query, page), {
        signal,
      })
      return { items: items.map(ofOverride), total: pagination?.total ?? items.length }
    },
    watch: (resumeToken, signal) =>
      changesOf(
        service.watchClusterOverridePolicies(watchOf(query, resumeToken), { signal }),
        ({ clusterOverridePolicy }) => clusterOverridePolicy && ofOverride(clusterOverridePolicy),
      ),
    keyOf: policyKey,
    isStable: true,
  }),
}

const listOf = ({ instance, find = '' }: PolicyQuery, page: PageRequest) => ({
  instance,
  name: find,
  ...page,
})
const watchOf = ({ instance, find = '' }: PolicyQuery, resumeToken: string) => ({
  ...{ instance, name: find, resumeToken },
})

function ofPropagation({
  metadata,
  spec,
}: {
  readonly metadata?: ObjectMeta | undefined
  readonly spec?: PropagationPolicySpec | undefined
}): Policy {
  const { placement } = spec ?? {}
  const groups = placement?.clusterAffinities ?? []
  return {
    metadata,
    selectors: spec?.resourceSelectors ?? [],
    clusters: [
      ...(placement?.clusterAffinity?.clusterNames ?? []),
      ...groups.flatMap(({ clusterNames }) => clusterNames),
    ],
    division: divisionOf(spec),
    priority: spec?.priority ?? 0,
  }
}

function divisionOf(spec: PropagationPolicySpec | undefined): Division {
  const {
    replicaSchedulingType: type,
    replicaDivisionPreference,
    weightPreference,
  } = spec?.placement?.replicaScheduling ?? {}
  if (type !== Type.Divided) return 'duplicated'
  if (replicaDivisionPreference !== Preference.Weighted) return 'aggregated'
  return weightPreference?.dynamicWeight ? 'dynamic' : 'static'
}

function ofOverride({
  metadata,
  spec,
}: {
  readonly metadata?: ObjectMeta | undefined
  readonly spec?: OverridePolicySpec | undefined
}): Policy {
  const rules = spec?.overrideRules ?? []
  const targets = [...rules.map(({ targetCluster }) => targetCluster), spec?.targetCluster]
  return {
    metadata,
    selectors: spec?.resourceSelectors ?? [],
    clusters: [...new Set(targets.flatMap(target => target?.clusterNames ?? []))],
    rules: rules.length + (spec?.overriders ? 1 : 0),
  }
}
