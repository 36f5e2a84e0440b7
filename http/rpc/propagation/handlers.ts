import { executionNamespace } from '../../../karmada/names.js'
import type { Binding } from '../../../karmada/objects/resource-binding.js'
import type { Work } from '../../../karmada/objects/work.js'
import type { PropagationService } from '../../../proto/gen/kairship/propagation_pb.js'
import type { Call } from '../../call/call.js'
import { invalidFields } from '../../errors/failure.js'
import type { ListQuery } from '../../objects/list-query.js'
import type { Objects } from '../../objects/objects.js'
import type { ServiceHandlers } from '../../operation/operation.js'
import { dataOf, type Kind, kindHandlers } from '../kind/kind-handlers.js'
import {
  type FilterFields,
  type KeyFields,
  type ListFields,
  objectKeyOf,
  placeOf,
} from '../kind/request-fields.js'
import { watchKind } from '../kind/watch-kind.js'
import { type BindingFilter, clusterResourceBindings, isWanted, resourceBindings } from './binding.js'
import { carries, type WorkFilter, withoutSecretValues, works } from './work.js'

/** Bindings and Works of instances, which are Karmada's own: they are read, and never written. */
export function propagationHandlers(objects: Objects): ServiceHandlers<typeof PropagationService> {
  const binding = bindingsOf(objects, resourceBindings)
  const clusterBinding = bindingsOf(objects, clusterResourceBindings)
  const watchBindings = watchKind(binding, 'resourceBinding')
  const watchClusterBindings = watchKind(clusterBinding, 'clusterResourceBinding')
  const work = kindHandlers(objects, works)
  const watchWorks = watchKind(work, 'work')
  return {
    listResourceBindings: binding.listWanted,
    getResourceBinding: binding.get,
    getResourceBindingJSON: binding.json,
    watchResourceBindings: (request, call) => watchBindings(request, call, wantedBindings(request)),

    listClusterResourceBindings: clusterBinding.listWanted,
    getClusterResourceBinding: clusterBinding.get,
    getClusterResourceBindingJSON: clusterBinding.json,
    watchClusterResourceBindings: (request, call) =>
      watchClusterBindings(request, call, wantedBindings(request)),

    listWorks: (request, call) => work.list(inNamespace(request), call, wantedWorks(request)),
    getWork: work.get,
    async getWorkJSON(request: KeyFields, call: Call) {
      const found = await objects.get<Work>(call, placeOf(request), works.type, objectKeyOf(request))
      return dataOf(withoutSecretValues(found))
    },
    watchWorks: (request, call) => watchWorks(inNamespace(request), call, wantedWorks(request)),
  }
}

function bindingsOf<M>(objects: Objects, kind: Kind<Binding, M>) {
  const of = kindHandlers(objects, kind)
  return {
    ...of,
    listWanted: (request: ListFields & BindingFilter, call: Call) =>
      of.list(request, call, wantedBindings(request)),
  }
}

/** A condition only where one is given: without it the index cuts out the page. */
function wantedBindings(request: BindingFilter): Partial<ListQuery<Binding>> {
  const { kind, kindName, targetCluster } = request
  return kind || kindName || targetCluster ? { where: isWanted(request) } : {}
}

/** @throws Failure INVALID_ARGUMENT for a namespace of nothing */
function wantedWorks(request: WorkFilter): Partial<ListQuery<Work>> {
  const { kind, kindName, kindNamespace } = request
  if (kindNamespace && !kind && !kindName)
    throw invalidFields([{ field: 'kindNamespace', description: 'needs kind or kindName beside it' }])
  return kind || kindName ? { where: carries(request) } : {}
}

/** The Works of a cluster are those of its namespace. */
const inNamespace = <R extends FilterFields & { readonly targetCluster: string }>({
  targetCluster,
  ...request
}: R) => ({
  ...request,
  ...(targetCluster && { namespace: executionNamespace(targetCluster) }),
})
