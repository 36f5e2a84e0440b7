import type { JsonObject } from '../apimachinery/json.js'
import { RBAC_COLLECTIONS } from './access/authorizer.js'
import {
  BOOTSTRAP_BINDINGS,
  BOOTSTRAP_ROLES,
  clusterRole,
  clusterRoleBinding,
} from './access/bootstrap-roles.js'
import type { Cluster } from './cluster.js'
import { CRDS } from './controllers/custom-resources.js'
import { install } from './operations/install.js'

const NAMESPACES = ['default', 'kube-node-lease', 'kube-public', 'kube-system'] as const

const namespace = (name: string): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels: { 'kubernetes.io/metadata.name': name } },
  spec: { finalizers: ['kubernetes'] },
  status: { phase: 'Active' },
})

/**
 * Makes what every cluster has from its first moment, where it is not there yet. These objects are ours and known to be
 * right, so they go past admission and validation: a thousand clusters start in one process.
 */
export async function bootstrap(cluster: Cluster, types: readonly JsonObject[] = []): Promise<void> {
  for (const name of NAMESPACES) await install(cluster, 'namespaces', namespace(name))
  for (const role of BOOTSTRAP_ROLES) await install(cluster, RBAC_COLLECTIONS.clusterRoles, clusterRole(role))
  for (const binding of BOOTSTRAP_BINDINGS) {
    await install(cluster, RBAC_COLLECTIONS.clusterRoleBindings, clusterRoleBinding(binding))
  }
  for (const type of types) await install(cluster, CRDS, type)
}
