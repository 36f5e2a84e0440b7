import { isReservedNamespace } from '../../../karmada/matching/propagated.js'
import type { KubeObject } from '../../../manifests/kube.js'
import { isForbidden } from '../../../manifests/status-error.js'
import {
  type CoreService,
  ListNamespaceSummaryResponse_Scope as Scope,
} from '../../../proto/gen/kairship/core_pb.js'
import type { Call } from '../../call/call.js'
import { manifestOf } from '../../objects/manifest.js'
import type { Place } from '../../objects/object-type.js'
import type { Objects } from '../../objects/objects.js'
import type { OwnReads } from '../../objects/requests/own-requests.js'
import type { ServiceHandlers } from '../../operation/operation.js'
import { inField } from '../kind/in-field.js'
import { type Kind, kindHandlers } from '../kind/kind-handlers.js'
import { watchKind } from '../kind/watch-kind.js'
import { boundNamespaces } from './bound-namespaces.js'
import { type Namespace, namespaces } from './namespace.js'

const summaryOf = (name: string, instance: string) => ({
  name,
  instance,
  system: isReservedNamespace(name),
})
const { type } = namespaces
const summaryKind: Kind<KubeObject, ReturnType<typeof summaryOf>> = {
  type,
  message: ({ metadata: { name } }, { instance }) => summaryOf(name, instance),
}
const memberSummaryKind: Kind<KubeObject, ReturnType<typeof summaryOf> & { readonly cluster: string }> = {
  type,
  message: ({ metadata: { name } }, { instance, cluster = '' }) => ({
    ...summaryOf(name, instance),
    cluster,
  }),
}

/** Namespaces of instances, and the names of those of their members. */
export function namespaceHandlers(objects: Objects, ownReads: OwnReads) {
  const of = kindHandlers(objects, namespaces)
  const allNames = async (call: Call, place: Place): Promise<readonly string[]> => {
    const all = { page: 1, pageSize: 0 }
    const { items } = await objects.list<KubeObject>(call, place, namespaces.type, all)
    return items.map(({ metadata }) => metadata.name)
  }
  return {
    listNamespaces: of.list,
    watchNamespaces: watchKind(of, 'namespace'),
    getNamespaceJSON: of.json,
    updateNamespace: of.update,
    patchNamespace: of.patch,
    deleteNamespace: of.remove,

    getNamespace: async (request, call) => ({ namespace: await of.get(request, call) }),

    async createNamespace({ instance, data }, call) {
      const manifest = manifestOf(data, { type: namespaces.type })
      call.about(manifest.metadata)
      const stored = objects.create<Namespace>(call, { instance }, namespaces.type, manifest)
      return { namespace: namespaces.message(await inField('data', stored), { instance }, undefined) }
    },

    async listNamespaceSummary({ instance }, call) {
      const summaries = (names: readonly string[]) => names.map(name => summaryOf(name, instance))
      try {
        return { data: summaries(await allNames(call, { instance })), accessScope: Scope.Instance }
      } catch (error) {
        if (!isForbidden(error)) throw error
        const names = await boundNamespaces(ownReads, instance, call)
        return { data: summaries(names), accessScope: Scope.Namespace }
      }
    },

    watchNamespaceSummary: watchKind(kindHandlers(objects, summaryKind), 'namespace'),
    watchMemberClusterNamespaceSummary: watchKind(kindHandlers(objects, memberSummaryKind), 'namespace'),

    async listMemberClusterNamespaceSummary({ instance, cluster }, call) {
      const names = await allNames(call, { instance, cluster })
      return {
        data: names.map(name => ({ ...summaryOf(name, instance), cluster })),
      }
    },
  } satisfies Partial<ServiceHandlers<typeof CoreService>>
}
