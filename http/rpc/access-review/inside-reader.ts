import type { NamespacesInside } from '../../../manifests/instance-rbac.js'
import { type KubeList, type KubeObject, resourcePath } from '../../../manifests/kube.js'
import {
  credentialNamespacesOf,
  MEMBER_CLUSTERS,
  type MemberCluster,
} from '../../../manifests/member-cluster.js'
import { NAMESPACES } from '../../../manifests/reserved-namespaces.js'
import type { OwnConnection } from '../../objects/requests/own-requests.js'
import { readRbac } from './rbac-reader.js'
import type { Inside } from './role-binding-preview.js'
import { servedKinds } from './served-kinds.js'

/**
 * What a preview needs of one control plane: its RBAC, its kinds and its namespaces.
 * @param note takes what is left out, because an aggregated API does not answer
 * @throws what `OwnConnection.request` throws
 */
export async function readInside(
  connection: OwnConnection,
  note: (problem: string) => void,
): Promise<Inside> {
  const [rbac, kinds, namespaces] = await Promise.all([
    readRbac(connection, { prefix: '' }),
    servedKinds(connection, note),
    namespacesOf(connection),
  ])
  return { rbac, kinds, namespaces }
}

/** What rights on Secrets depend on. @throws where it cannot be read: a preview would promise what is not given */
async function namespacesOf(connection: OwnConnection): Promise<NamespacesInside> {
  const [namespaces, clusters] = await Promise.all([
    connection.request<KubeList<KubeObject>>({ method: 'GET', path: resourcePath(NAMESPACES) }),
    connection.request<KubeList<MemberCluster>>({ method: 'GET', path: resourcePath(MEMBER_CLUSTERS) }),
  ])
  const holding = credentialNamespacesOf(clusters.items ?? [])
  return {
    present: (namespaces.items ?? [])
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ metadata }) => metadata.name),
    holdsMemberCredentials: namespace => holding.has(namespace),
  }
}
