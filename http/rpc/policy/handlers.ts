import type { PolicyService } from '../../../proto/gen/kairship/policy_pb.js'
import type { Call } from '../../call.js'
import { invalidFields } from '../../failure.js'
import type { Objects } from '../../objects/objects.js'
import type { ServiceHandlers } from '../../operation.js'
import { type Kind, kindHandlers } from '../kind/kind-handlers.js'
import { type ListFields, placeOf } from '../kind/request-fields.js'
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
  const propagation = policiesOf(objects, propagationPolicies)
  const clusterPropagation = policiesOf(objects, clusterPropagationPolicies)
  const override = policiesOf(objects, overridePolicies)
  const clusterOverride = policiesOf(objects, clusterOverridePolicies)
  return {
    listInstancePropagationPolicies: propagation.listInstance,
    listPropagationPolicies: propagation.listNamespace,
    watchPropagationPolicies: watchKind(propagation, 'propagationPolicy'),
    getPropagationPolicy: async (request, call) => ({
      propagationPolicy: await propagation.get(request, call),
    }),
    getPropagationPolicyJSON: propagation.json,
    createPropagationPolicy: propagation.create,
    updatePropagationPolicy: propagation.update,
    deletePropagationPolicy: propagation.remove,

    listClusterPropagationPolicies: clusterPropagation.listCluster,
    watchClusterPropagationPolicies: watchKind(clusterPropagation, 'clusterPropagationPolicy'),
    getClusterPropagationPolicy: async (request, call) => ({
      clusterPropagationPolicy: await clusterPropagation.get(request, call),
    }),
    getClusterPropagationPolicyJSON: clusterPropagation.json,
    createClusterPropagationPolicy: clusterPropagation.create,
    updateClusterPropagationPolicy: clusterPropagation.update,
    deleteClusterPropagationPolicy: clusterPropagation.remove,

    listInstanceOverridePolicies: override.listInstance,
    listOverridePolicies: override.listNamespace,
    watchOverridePolicies: watchKind(override, 'overridePolicy'),
    getOverridePolicy: async (request, call) => ({ overridePolicy: await override.get(request, call) }),
    getOverridePolicyJSON: override.json,
    createOverridePolicy: override.create,
    updateOverridePolicy: override.update,
    deleteOverridePolicy: override.remove,

    listClusterOverridePolicies: clusterOverride.listCluster,
    watchClusterOverridePolicies: watchKind(clusterOverride, 'clusterOverridePolicy'),
    getClusterOverridePolicy: async (request, call) => ({
      clusterOverridePolicy: await clusterOverride.get(request, call),
    }),
    getClusterOverridePolicyJSON: clusterOverride.json,
    createClusterOverridePolicy: clusterOverride.create,
    updateClusterOverridePolicy: clusterOverride.update,
    deleteClusterOverridePolicy: clusterOverride.remove,
  }
}

/** Where the object is that is named; such a request has no field of its own for it. */
const namespaceOf = ({ kind, kindName, namespace }: PolicyList & { readonly namespace: string }): string =>
  kind && kindName && namespace

type PolicyList = ListFields & Omit<Selected, 'kindNamespace'>

/** The handlers of one kind. Policies of a namespace select objects of that namespace only. */
function policiesOf<M>(objects: Objects, kind: Kind<Policy, M>) {
  const of = kindHandlers(objects, kind)
  const list = async (request: PolicyList, call: Call, kindNamespace: string) => {
    const { namespace = '' } = request
    const listed = { type: kind.type, namespace }
    const selected = { ...request, kindNamespace }
    return of.list(request, call, await selecting(objects, call, placeOf(request), listed, selected))
  }
  return {
    ...of,
    listNamespace: (request: PolicyList & { readonly namespace: string }, call: Call) =>
      list(request, call, namespaceOf(request)),
    listCluster: (request: PolicyList & { readonly kindNamespace: string }, call: Call) =>
      list(request, call, request.kindNamespace),
    async listInstance(
      request: PolicyList & { readonly namespace: string; readonly phase: string },
      call: Call,
    ) {
      const { phase, kindName, namespace } = request
      const violations = [
        ...(phase ? [{ field: 'phase', description: 'must be empty: policies have no states' }] : []),
        ...(kindName && !namespace
          ? [{ field: 'namespace', description: 'is required with kindName: it is the object’s, too' }]
          : []),
      ]
      if (violations.length > 0) throw invalidFields(violations)
      return list(request, call, namespaceOf(request))
    },
  }
}
