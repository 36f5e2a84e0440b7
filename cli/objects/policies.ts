import type { JsonValue, Message } from '@bufbuild/protobuf'
import type { GenMessage } from '@bufbuild/protobuf/codegenv2'
import type { Rest } from '../../client/rest.js'
import { jsonClient } from '../../client/service-client.js'
import type { Config } from '../../config.js'
import {
  ClusterOverridePolicySchema,
  ClusterPropagationPolicySchema,
  OverridePolicySchema,
  PolicyService,
  PropagationPolicySchema,
} from '../../proto/gen/kairship/policy_pb.js'
import type { ResourceSelector } from '../../proto/gen/kairship/policy_spec_pb.js'
import type { ObjectMeta } from '../../proto/gen/kairship/types_pb.js'
import type { ClientContext } from '../client/client.js'
import type { ExitCode } from '../exit-code.js'
import { ageOf } from '../print/columns.js'
import { type ListedKind, type Listing, type ListRequest, listedKind, listObjects } from './list-objects.js'
import {
  overrideDetails,
  overrideWords,
  placementWords,
  propagationDetails,
  selected,
} from './policy-words.js'

interface Policy<S extends { readonly resourceSelectors: readonly ResourceSelector[] }> {
  readonly metadata?: ObjectMeta | undefined
  readonly spec?: S | undefined
}

/** A kind of policies; `does` says in words what one does, and `details` the cells of -o wide. */
const policy = <S extends { readonly resourceSelectors: readonly ResourceSelector[] }>(
  kind: string,
  schema: GenMessage<Policy<S> & Message>,
  list: (policies: Policies, request: ListRequest) => Promise<JsonValue>,
  does: (spec: S | undefined) => string,
  details: (spec: S | undefined) => readonly string[],
): ListedKind =>
  listedKind({
    ...{ apiVersion: 'policy.karmada.io/v1alpha1', kind, schema },
    list: (client, request) => list(policiesOf(client), request),
    cells: ({ metadata, spec }, now) => [
      metadata?.namespace || '-',
      kind,
      metadata?.name ?? '',
      spec?.resourceSelectors.map(selected).join(', ') || 'everything',
      does(spec),
      ageOf(metadata?.creationTimestamp, now),
      ...details(spec),
    ],
  })

const policiesOf = (client: Rest) => jsonClient(PolicyService, client)
type Policies = ReturnType<typeof policiesOf>

const listing: Listing = {
  noun: 'policy',
  header: ['NAMESPACE', 'KIND', 'NAME', 'SELECTS', 'DOES', 'AGE'],
  wideHeader: ['REPLICAS', 'SPREAD', 'SETTINGS'],
  kinds: [
    policy(
      'ClusterPropagationPolicy',
      ClusterPropagationPolicySchema,
      (policies, request) => policies.listClusterPropagationPolicies(request),
      placementWords,
      propagationDetails,
    ),
    policy(
      'PropagationPolicy',
      PropagationPolicySchema,
      (policies, request) => policies.listInstancePropagationPolicies(request),
      placementWords,
      propagationDetails,
    ),
    policy(
      'ClusterOverridePolicy',
      ClusterOverridePolicySchema,
      (policies, request) => policies.listClusterOverridePolicies(request),
      overrideWords,
      overrideDetails,
    ),
    policy(
      'OverridePolicy',
      OverridePolicySchema,
      (policies, request) => policies.listInstanceOverridePolicies(request),
      overrideWords,
      overrideDetails,
    ),
  ],
}

/** `kairship policies INSTANCE [name...]`: what goes where, and what is changed on the way. */
export const listPolicies = (
  context: ClientContext,
  config: Config,
  names: readonly string[],
): Promise<ExitCode> => listObjects(context, config, names, listing)
