import type { RoleGrant } from '../../../manifests/effective-binding.js'
import {
  isInstanceEditor,
  type NamespacesInside,
  type RbacObject,
  SECRETS_ROLE,
} from '../../../manifests/instance-rbac.js'
import { type KubeList, type KubeObject, resourcePath } from '../../../manifests/kube.js'
import {
  credentialNamespacesOf,
  MEMBER_CLUSTERS,
  type MemberCluster,
} from '../../../manifests/member-cluster.js'
import { NAMESPACES } from '../../../manifests/reserved-namespaces.js'
import { isNotFound } from '../../../manifests/status-error.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import { metadataOnly } from '../../watches/watched-type.js'
import type { RbacInside } from './rbac-inside.js'

/** Which bindings need what is read here: nothing else is read, and nothing else is reported of a list that failed. */
const neededBy: Readonly<Record<string, (binding: RoleGrant) => boolean>> = {
  Namespaces: isInstanceEditor,
  Clusters: ({ spec }) => spec.role !== 'Viewer',
}

/** Whether a binding is not known to be in effect while objects of a kind cannot be listed; all RBAC concerns all bindings. */
export const needsListOf = (kind: string, binding: RoleGrant): boolean => neededBy[kind]?.(binding) ?? true

/**
 * Reads what rights on Secrets depend on: which namespaces there are, where an Editor has the whole instance, and where members' credentials
 * are kept. What cannot be read is noted in `inside.failed`; until it can, Secrets stay bound where they are, and nowhere else.
 */
export async function namespacesInside(
  api: KubeApi,
  inside: RbacInside,
  bindings: readonly RoleGrant[],
  rbac: readonly RbacObject[],
): Promise<NamespacesInside> {
  const bound = new Set(
    rbac
      .filter(({ roleRef }) => roleRef?.name === SECRETS_ROLE)
      .flatMap(({ metadata: { namespace } }) => namespace ?? []),
  )
  const [present, credentials] = await Promise.all([
    bindings.some(binding => needsListOf('Namespaces', binding))
      ? inside.read('Namespaces', signal => presentNamespaces(api, signal))
      : [],
    bindings.some(binding => needsListOf('Clusters', binding))
      ? inside.read('Clusters', signal => credentialNamespaces(api, signal))
      : new Set<string>(),
  ])
  return {
    present: present ?? [...bound],
    holdsMemberCredentials: namespace => (credentials ? credentials.has(namespace) : !bound.has(namespace)),
  }
}

async function presentNamespaces(api: KubeApi, signal: AbortSignal): Promise<readonly string[]> {
  const { items } = await metadataOnly(api).request<KubeList<KubeObject>>({
    method: 'GET',
    path: resourcePath(NAMESPACES),
    signal,
  })
  return items
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ metadata }) => metadata.name)
    .sort()
}

/** The namespaces to which Clusters refer for credentials. */
async function credentialNamespaces(api: KubeApi, signal: AbortSignal): Promise<ReadonlySet<string>> {
  try {
    const path = resourcePath(MEMBER_CLUSTERS)
    const { items } = await api.request<KubeList<MemberCluster>>({ method: 'GET', path, signal })
    return credentialNamespacesOf(items)
  } catch (error) {
    if (isNotFound(error)) return new Set()
    throw error
  }
}
