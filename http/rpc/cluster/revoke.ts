import { CLUSTER_NAMESPACE } from '../../../karmada/objects/cluster.js'
import { type ClusterApi, TYPES } from './cluster-api.js'
import { accessNames } from './member-access.js'

/**
 * Takes Karmada's access out of a member by that very access. Its last request deletes the ClusterRoleBinding, after which it has no
 * rights; so everything else is made to belong to that binding first, and the member's garbage collector deletes it then. The
 * namespace and the account that impersonates stay while another control plane uses them.
 * @param dryRun only reads
 * @returns what stays, one sentence each
 */
export async function revokeAccess(
  member: ClusterApi,
  cluster: string,
  { dryRun = false }: { readonly dryRun?: boolean } = {},
): Promise<string[]> {
  const { account, impersonator, role } = accessNames(cluster)
  const binding = await member.find(TYPES.clusterRoleBindings, { name: role })
  if (!binding) return []
  const { uid = '' } = binding.metadata
  const owner = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    name: role,
    uid,
  }
  const belongs = { metadata: { ownerReferences: [owner] } }
  const accounts = await member.list(TYPES.serviceAccounts, CLUSTER_NAMESPACE)
  const others = accounts
    .map(({ metadata }) => metadata.name)
    .filter(name => name.startsWith('karmada-') && name !== account && name !== impersonator)
  const within = { namespace: CLUSTER_NAMESPACE, name: account }
  if (!dryRun) {
    await member.merge(TYPES.clusterRoles, { name: role }, belongs)
    await member.merge(TYPES.serviceAccounts, within, belongs)
    await member.merge(TYPES.secrets, within, belongs)
    if (others.length === 0) await member.merge(TYPES.namespaces, { name: CLUSTER_NAMESPACE }, belongs)
    await member.remove(TYPES.clusterRoleBindings, { name: role }, uid)
  }
  if (others.length === 0) return []
  return [
    `Namespace ${CLUSTER_NAMESPACE} with ServiceAccount ${impersonator}: ${others.join(', ')} of other control planes are in use there`,
  ]
}
