import type { GroupVersionResource, KubeObject } from '../../manifests/kube.js'
import { resourcePath } from '../../manifests/kube.js'
import type { KubeApi } from '../../ports/kube-api.js'
import { type ApiServer, type ApiServerOptions, startApiServer } from '../apiserver/server.js'
import { setUp } from '../apiserver/set-up.js'
import { ensure } from '../client/write.js'
import {
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  CUSTOM_RESOURCE_DEFINITIONS,
  NAMESPACES,
  ROLE_BINDINGS,
  ROLES,
  SECRETS,
  SERVICE_ACCOUNTS,
} from '../objects/core-types.js'
import { kairshipDefinitions, kairshipInstallation } from './kairship-manifests.js'

/** Kairship's own accounts on the host, as its manifests name them. */
const KAIRSHIP_NAMESPACE = 'kairship-system'
export type KairshipAccount = 'kairship-controller-manager' | 'kairship-apiserver'

const types: Readonly<Record<string, GroupVersionResource>> = {
  Namespace: NAMESPACES,
  ServiceAccount: SERVICE_ACCOUNTS,
  ClusterRole: CLUSTER_ROLES,
  ClusterRoleBinding: CLUSTER_ROLE_BINDINGS,
  Role: ROLES,
  RoleBinding: ROLE_BINDINGS,
  Secret: SECRETS,
}

/** Starts the host cluster: an API server with Kairship's types, accounts and rights. */
export async function startHost(options: ApiServerOptions): Promise<ApiServer> {
  const host = await startApiServer(options)
  return setUp(host, async () => {
    for (const definition of kairshipDefinitions())
      await ensure(host.local, CUSTOM_RESOURCE_DEFINITIONS, definition)
    for (const object of kairshipInstallation()) await install(host.local, object)
    return host
  })
}

async function install(api: KubeApi, object: KubeObject): Promise<void> {
  const type = types[object.kind]
  if (!type) throw new Error(`the playground does not know how to install a ${object.kind}`)
  await ensure(api, type, object)
}

/** A token of one of Kairship's accounts, by TokenRequest. @param seconds validity */
export async function issueAccountToken(
  host: ApiServer,
  account: KairshipAccount,
  seconds: number,
): Promise<string> {
  const place = { namespace: KAIRSHIP_NAMESPACE, name: account, subresource: 'token' }
  const { status } = await host.local.request<{ status: { token: string } }>({
    method: 'POST',
    path: resourcePath(SERVICE_ACCOUNTS, place),
    body: {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      metadata: {},
      spec: { audiences: [], expirationSeconds: seconds },
    },
  })
  return status.token
}

/** People of the playground, with their roles on the host and on each member: an administrator, and one who may only read. */
export const PEOPLE = {
  admin: { name: 'admin@playground', role: 'playground-admin', memberRole: 'cluster-admin' },
  viewer: { name: 'viewer@playground', role: 'kairship-instance-viewer', memberRole: 'view' },
} as const

/** Gives the playground's people their rights on the host. */
export async function grantPeople(host: ApiServer): Promise<void> {
  const apiVersion = 'rbac.authorization.k8s.io/v1'
  await ensure(host.local, CLUSTER_ROLES, {
    apiVersion,
    kind: 'ClusterRole',
    metadata: { name: PEOPLE.admin.role },
    rules: [
      { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
      { nonResourceURLs: ['*'], verbs: ['*'] },
    ],
  } as KubeObject)
  for (const [key, { name, role }] of Object.entries(PEOPLE))
    await ensure(host.local, CLUSTER_ROLE_BINDINGS, {
      apiVersion,
      kind: 'ClusterRoleBinding',
      metadata: { name: `playground-${key}` },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name }],
    } as KubeObject)
}
