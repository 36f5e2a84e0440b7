import type { PolicyService } from '../../../proto/gen/kairship/policy_pb.js'
import type { Call } from '../../call/call.js'
import { type FieldViolation, invalidFields } from '../../errors/failure.js'
import type { Objects } from '../../objects/objects.js'
import type { ServiceHandlers } from '../../operation/operation.js'
import { type Kind, kindHandlers } from '../kind/kind-handlers.js'
import { type ListFields, type PlaceFields, placeOf, type WatchFields } from '../kind/request-fields.js'
import { watchKind } from '../kind/watch-kind.js'
import {
  clusterOverridePolicies,
  clusterPropagationPolicies,
  overridePolicies,
  type Policy,
  propagationPolicies,
} from './policies.js'
import { type Selected, selecting } from './selecting.js'

/** The four kinds of policies of instances. */
export function policyHandlers(objects: Objects): ServiceHandlers<typeof PolicyService> {
  const propagation = policiesOf(objects, propagationPolicies, 'propagationPolicy')
  const clusterPropagation = policiesOf(objects, clusterPropagationPolicies, 'clusterPropagationPolicy')
  const override = policiesOf(objects, overridePolicies, 'overridePolicy')
  const clusterOverride = policiesOf(objects, clusterOverridePolicies, 'clusterOverridePolicy')
  return {
    listInstancePropagationPolicies: propagation.listInstance,
    listPropagationPolicies: propagation.listNamespace,
    watchPropagationPolicies: propagation.watchNamespaces,
    getPropagationPolicy: async (request, call) => ({
      propagationPolicy: await propagation.get(request, call),
    }),
    getPropagationPolicyJSON: propagation.json,
    createPropagationPolicy: propagation.create,
    updatePropagationPolicy: propagation.update,
    deletePropagationPolicy: propagation.remove,

    listClusterPropagationPolicies: clusterPropagation.listCluster,
    watchClusterPropagationPolicies: clusterPropagation.watchCluster,
    getClusterPropagationPolicy: async (request, call) => ({
      clusterPropagationPolicy: await clusterPropagation.get(request, call),
    }),
    getClusterPropagationPolicyJSON: clusterPropagation.json,
    createClusterPropagationPolicy: clusterPropagation.create,
    updateClusterPropagationPolicy: clusterPropagation.update,
    deleteClusterPropagationPolicy: clusterPropagation.remove,

    listInstanceOverridePolicies: override.listInstance,
    listOverridePolicies: override.listNamespace,
    watchOverridePolicies: override.watchNamespaces,
    getOverridePolicy: async (request, call) => ({ overridePolicy: await override.get(request, call) }),
    getOverridePolicyJSON: override.json,
    createOverridePolicy: override.create,
    updateOverridePolicy: override.update,
    deleteOverridePolicy: override.remove,

    listClusterOverridePolicies: clusterOverride.listCluster,
    watchClusterOverridePolicies: clusterOverride.watchCluster,
    getClusterOverridePolicy: async (request, call) => ({
      clusterOverridePolicy: await clusterOverride.get(request, call),
    }),
    getClusterOverridePolicyJSON: clusterOverride.json,
    createClusterOverridePolicy: clusterOverride.create,
    updateClusterOverridePolicy: clusterOverride.update,
    deleteClusterOverridePolicy: clusterOverride.remove,
  }
}

/** What requests about several policies say of the objects that these select. */
type Selection = Omit<Selected, 'kindNamespace'>
type PolicyList = ListFields & Selection
type PolicyWatch = WatchFields & Selection
interface InNamespace {
  readonly namespace: string
}
interface OfNamespace {
  readonly kindNamespace: string
}

/** Where the object is that is named; such a request has no field of its own for it. */
const namespaceOf = ({ kind, kindName, namespace }: Selection & InNamespace): string =>
  kind && kindName && namespace

/** What such a request lacks where it is about all namespaces. */
const lacking = ({ kindName, namespace }: Selection & InNamespace): readonly FieldViolation[] =>
  kindName && !namespace
    ? [{ field: 'namespace', description: 'is required with kindName: it is the object’s, too' }]
    : []

/** The handlers of one kind. Policies of a namespace select objects of that namespace only. */
function policiesOf<M, Field extends string>(objects: Objects, kind: Kind<Policy, M>, field: Field) {
  const of = kindHandlers(objects, kind)
  const followed = watchKind(of, field)
  const condition = (
    request: PlaceFields & Selection & Partial<InNamespace>,
    call: Call,
    kindNamespace: string,
  ) => {
    const { namespace = '' } = request
    const listed = { type: kind.type, namespace }
    return selecting(objects, call, placeOf(request), listed, { ...request, kindNamespace })
  }
  const list = async (request: PolicyList, call: Call, kindNamespace: string) =>
    of.list(request, call, await condition(request, call, kindNamespace))
  const watch = async (request: PolicyWatch, call: Call, kindNamespace: string) =>
    followed(request, call, await condition(request, call, kindNamespace))
  return {
    ...of,
    listNamespace: (request: PolicyList & InNamespace, call: Call) =>
      list(request, call, namespaceOf(request)),
    listCluster: (request: PolicyList & OfNamespace, call: Call) =>
      list(request, call, request.kindNamespace),
    watchCluster: (request: PolicyWatch & OfNamespace, call: Call) =>
      watch(request, call, request.kindNamespace),
    async watchNamespaces(request: PolicyWatch & InNamespace, call: Call) {
      refuse(lacking(request))
      return watch(request, call, namespaceOf(request))
    },
    async listInstance(request: PolicyList & InNamespace & { readonly phase: string }, call: Call) {
      const { phase } = request
      refuse([
        ...(phase ? [{ field: 'phase', description: 'must be empty: policies have no states' }] : []),
        ...lacking(request),
      ])
      return list(request, call, namespaceOf(request))
    },
  }
}

/** @throws Failure INVALID_ARGUMENT where there are violations */
function refuse(violations: readonly FieldViolation[]): void {
  if (violations.length > 0) throw invalidFields(violations)
}
