import type { KubeObject } from '../../../manifests/kube.js'
import type { NetworkingService } from '../../../proto/gen/kairship/networking_pb.js'
import type { Objects } from '../../objects/objects.js'
import type { ServiceHandlers } from '../../operation/operation.js'
import { promote } from '../create/promote.js'
import { inField } from '../kind/in-field.js'
import { dataOf, type Kind, kindHandlers } from '../kind/kind-handlers.js'
import { objectKeyOf, placeOf } from '../kind/request-fields.js'
import { watchKind } from '../kind/watch-kind.js'
import { ingresses } from './ingress.js'

/** Ingress classes, as far as forms show them. */
const ingressClasses: Kind<KubeObject, { readonly name: string; readonly isDefaultClass: boolean }> = {
  type: {
    ...{ group: 'networking.k8s.io', version: 'v1', resource: 'ingressclasses' },
    ...{ kind: 'IngressClass', namespaced: false },
  },
  message: ({ metadata: { name, annotations } }) => ({
    name,
    isDefaultClass: annotations?.[IS_DEFAULT] === 'true',
  }),
}
const IS_DEFAULT = 'ingressclass.kubernetes.io/is-default-class'

/** Ingresses of instances and their members, and the members' ingress classes. */
export function networkingHandlers(objects: Objects): ServiceHandlers<typeof NetworkingService> {
  const of = kindHandlers(objects, ingresses)
  const classes = kindHandlers(objects, ingressClasses)
  return {
    listInstanceIngresses: of.list,
    listIngresses: of.list,
    listMemberClusterAllIngresses: of.list,
    listMemberClusterIngresses: of.list,
    watchIngresses: watchKind(of, 'ingress'),

    getIngress: of.get,
    getIngressJSON: of.json,
    createIngress: of.create,
    updateIngress: of.update,
    deleteIngress: of.remove,

    async patchIngress(request, call) {
      const body = { metadata: { annotations: request.data } }
      const patch = { type: 'application/merge-patch+json', body } as const
      const key = objectKeyOf(request)
      return dataOf(
        await inField('data', objects.patch<KubeObject>(call, placeOf(request), ingresses.type, key, patch)),
      )
    },

    async promoteMemberClusterIngress({ instance, cluster, namespace, name, dryRun }, call) {
      const promoted = { type: ingresses.type, key: { namespace, name } }
      await promote(objects, call, { instance, cluster }, [promoted], { dryRun })
      return {}
    },

    async listIngressClassForMemberCluster(request, call) {
      const { items } = await classes.list({ ...request, page: 1, pageSize: 0 }, call)
      return { items }
    },

    watchIngressClassForMemberCluster: watchKind(classes, 'ingressClass'),
  }
}
