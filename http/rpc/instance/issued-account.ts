import { createHash } from 'node:crypto'
import { rulesOf, secretRules } from '../../../manifests/instance-rbac.js'
import type { InstanceRole } from '../../../manifests/instance-role-binding.js'
import { labelsOf } from '../../../manifests/names.js'
import { isReservedNamespace, SYSTEM_NAMESPACE } from '../../../manifests/reserved-namespaces.js'
import { isAlreadyExists } from '../../../manifests/status-error.js'
import type { OwnConnection } from '../../objects/requests/own-requests.js'

/**
 * What an issued kubeconfig may do: everything, or what a role may in these namespaces (none: in the whole instance). An Editor has the
 * Secrets of the named namespaces, except reserved ones, and without names none.
 */
export type Scope = 'cluster-admin' | { readonly role: InstanceRole; readonly namespaces: readonly string[] }

const RBAC = '/apis/rbac.authorization.k8s.io/v1'
const rbac = { apiVersion: 'rbac.authorization.k8s.io/v1' } as const

/**
 * Makes the ServiceAccount of a caller for one scope, with its rights. Each step may be repeated.
 * @param user the caller's name
 * @returns the account's name
 * @throws what `OwnConnection.request` throws
 */
export async function ensureAccount(
  connection: OwnConnection,
  instance: string,
  user: string,
  scope: Scope,
): Promise<string> {
  const account = accountOf(user, scope)
  const labels = labelsOf(instance)
  const metadata = { name: account, labels, annotations: { 'kairship.io/issued-to': user } }
  await ensure(connection, '/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: SYSTEM_NAMESPACE, labels: { 'app.kubernetes.io/managed-by': 'kairship' } },
  })
  await ensure(connection, `/api/v1/namespaces/${SYSTEM_NAMESPACE}/serviceaccounts`, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata,
  })
  const bindingTo = (role: string) => ({
    ...rbac,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    subjects: [{ kind: 'ServiceAccount', name: account, namespace: SYSTEM_NAMESPACE }],
  })
  const bindIn = (namespace: string, role: string, name = account) =>
    ensure(connection, `${RBAC}/namespaces/${namespace}/rolebindings`, {
      ...bindingTo(role),
      kind: 'RoleBinding',
      metadata: { ...metadata, name, namespace },
    })
  const bindEverywhere = (role: string) =>
    ensure(connection, `${RBAC}/clusterrolebindings`, {
      ...bindingTo(role),
      kind: 'ClusterRoleBinding',
      metadata,
    })
  if (scope === 'cluster-admin') {
    await bindEverywhere(scope)
    return account
  }
  const { role, namespaces } = scope
  const roleName = await ensureRole(connection, labels, role.toLowerCase(), rulesOf(role))
  if (namespaces.length === 0) await bindEverywhere(roleName)
  for (const namespace of namespaces) await bindIn(namespace, roleName)
  const withSecrets = role === 'Editor' ? namespaces.filter(name => !isReservedNamespace(name)) : []
  if (withSecrets.length > 0) {
    const secrets = await ensureRole(connection, labels, 'secrets', secretRules)
    for (const namespace of withSecrets) await bindIn(namespace, secrets, `${account}-secrets`)
  }
  return account
}

/** One account for each caller and scope: the rights of one are never added to another's. */
function accountOf(user: string, scope: Scope): string {
  if (scope === 'cluster-admin') return `kairship-admin-${digest(user)}`
  const namespaces = [...scope.namespaces].sort()
  return `kairship-scoped-${digest(JSON.stringify([user, scope.role, namespaces]))}`
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 12)

/** A ClusterRole of scoped kubeconfigs, with the rules that it has in this version of Kairship. */
async function ensureRole(
  connection: OwnConnection,
  labels: Readonly<Record<string, string>>,
  suffix: string,
  rules: ReturnType<typeof rulesOf>,
): Promise<string> {
  const name = `kairship:issued-${suffix}`
  const body = { ...rbac, kind: 'ClusterRole', metadata: { name, labels }, rules }
  if (await ensure(connection, `${RBAC}/clusterroles`, body)) return name
  await connection.request({ method: 'PUT', path: `${RBAC}/clusterroles/${encodeURIComponent(name)}`, body })
  return name
}

/** @returns whether it was not there */
async function ensure(connection: OwnConnection, path: string, body: unknown): Promise<boolean> {
  try {
    await connection.request({ method: 'POST', path, body })
    return true
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
    return false
  }
}
