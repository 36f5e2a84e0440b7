import type { RbacBinding, RbacObjects, RbacRole } from '../../../karmada/rbac/rbac-objects.js'
import type { KubeObject } from '../../../manifests/kube.js'
import { resourcePath } from '../../../manifests/kube.js'
import type { Impersonation } from '../../../ports/impersonation.js'
import { resourceExhausted } from '../../errors/failure.js'
import type { OwnConnection } from '../../objects/requests/own-requests.js'

const RBAC = { group: 'rbac.authorization.k8s.io', version: 'v1' } as const
const PAGE = 500
/** Of each type. A control plane of 10,000 role bindings has 20,000 ClusterRoleBindings by Kairship alone. */
const MOST = 40_000

/** Where RBAC is read, and as whom. */
export interface RbacPlace {
  /** Before each path: the proxy of a member, or nothing. */
  readonly prefix: string
  /** Absent for Kairship's own credential. */
  readonly impersonate?: Impersonation
}

/**
 * Reads the RBAC of an API server.
 * @param namespace whose Roles and RoleBindings are read; empty for none, absent for all
 * @throws what `OwnConnection.request` throws; Failure RESOURCE_EXHAUSTED where there is more than can be looked at
 */
export async function readRbac(
  connection: OwnConnection,
  place: RbacPlace,
  namespace?: string,
): Promise<RbacObjects> {
  const list = <T extends KubeObject>(resource: string, kind: string, within?: string) =>
    readAll<T>(
      connection,
      place,
      resourcePath({ ...RBAC, resource }, within ? { namespace: within } : {}),
      kind,
    )
  const [clusterRoles, clusterRoleBindings] = await Promise.all([
    list<RbacRole>('clusterroles', 'ClusterRole'),
    list<RbacBinding>('clusterrolebindings', 'ClusterRoleBinding'),
  ])
  const [roles, roleBindings] =
    namespace === ''
      ? [[], []]
      : await Promise.all([
          list<RbacRole>('roles', 'Role', namespace),
          list<RbacBinding>('rolebindings', 'RoleBinding', namespace),
        ])
  return { clusterRoles, clusterRoleBindings, roles, roleBindings }
}

/** Objects of lists carry no kind. */
async function readAll<T extends KubeObject>(
  connection: OwnConnection,
  { prefix, impersonate }: RbacPlace,
  path: string,
  kind: string,
): Promise<readonly T[]> {
  const found: T[] = []
  for (let next: string | undefined; ; ) {
    const page: {
      readonly items?: readonly T[]
      readonly metadata?: { readonly continue?: string }
    } = await connection.request({
      method: 'GET',
      path: prefix + path,
      query: { limit: PAGE, ...(next && { continue: next }) },
      ...(impersonate && { impersonate }),
    })
    for (const item of page.items ?? []) found.push({ ...item, kind })
    next = page.metadata?.continue
    if (!next) return found
    if (found.length >= MOST)
      throw resourceExhausted(`there are more than ${MOST} objects of kind ${kind}: RBAC is not looked at`)
  }
}
