import type { KubeObject } from '../../manifests/kube.js'
import type { KubeApi } from '../../ports/kube-api.js'
import { ensure } from '../client/write.js'
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES } from '../objects/core-types.js'

/** The user of a control plane's own kubeconfigs, as Karmada's installers name it. It is in the group `system:masters`. */
export const CONTROL_PLANE_ADMIN = 'system:admin'

const NAME = 'cluster-proxy-admin'
const apiGroup = 'rbac.authorization.k8s.io'

/**
 * Lets the administrator use the proxy of every member, as all installers of Karmada do: by name, because members are told
 * whom they may take a request from by the names in such bindings.
 */
export async function letAdministratorUseProxies(control: KubeApi): Promise<void> {
  const metadata = { name: NAME }
  const rule = { apiGroups: ['cluster.karmada.io'], resources: ['clusters/proxy'], verbs: ['*'] }
  await ensure(control, CLUSTER_ROLES, {
    apiVersion: `${apiGroup}/v1`,
    kind: 'ClusterRole',
    metadata,
    rules: [rule],
  } as KubeObject)
  await ensure(control, CLUSTER_ROLE_BINDINGS, {
    apiVersion: `${apiGroup}/v1`,
    kind: 'ClusterRoleBinding',
    metadata,
    roleRef: { apiGroup, kind: 'ClusterRole', name: NAME },
    subjects: [{ kind: 'User', apiGroup, name: CONTROL_PLANE_ADMIN }],
  } as KubeObject)
}
