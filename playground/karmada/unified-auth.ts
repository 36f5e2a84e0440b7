import { type Cluster, SYSTEM_LABELS } from '../../karmada/objects/cluster.js'
import { impersonatable } from '../../karmada/rbac/impersonation-rules.js'
import type { PolicyRule } from '../../karmada/rbac/policy-rule.js'
import type { RbacBinding, RbacRole } from '../../karmada/rbac/rbac-objects.js'
import type { RbacSubject } from '../../karmada/rbac/subject.js'
import type { KubeApi, KubeConnector } from '../../ports/kube-api.js'
import type { Log } from '../../ports/log.js'
import { canonical, type Json } from '../apimachinery/json.js'
import { Mirror } from '../client/mirror.js'
import { Reconciler } from '../client/reconciler.js'
import { ensure, update } from '../client/write.js'
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES } from '../objects/core-types.js'
import { connectMember } from './member-client.js'
import { type Events, type Note, normal } from './propagation/events.js'

/** Name of the role and binding in each member that let Karmada's proxy speak for others. */
const IMPERSONATOR = 'karmada-impersonator'

/**
 * Whom the proxy may impersonate in a member: the subjects of ClusterRoleBindings whose role opens `clusters/proxy` for it, or
 * karmada-search's `proxying/proxy`.
 * RoleBindings do not count, and everybody's groups need no impersonation.
 */
export function impersonationRules(
  cluster: string,
  roles: readonly RbacRole[],
  bindings: readonly RbacBinding[],
): readonly PolicyRule[] {
  const subjects = impersonatable(cluster, roles, bindings)
  const named = (kind: string) =>
    [...new Set(subjects.filter(subject => subject.kind === kind).map(({ name }) => name))].sort()
  const accounts = subjects.filter(({ kind }) => kind === 'ServiceAccount')
  const accountUsers = accounts.map(({ namespace, name }) => `system:serviceaccount:${namespace}:${name}`)
  const rule = (resource: string, resourceNames: readonly string[]): PolicyRule[] =>
    resourceNames.length > 0
      ? [{ apiGroups: [''], resources: [resource], resourceNames, verbs: ['impersonate'] }]
      : []
  return [
    ...rule('users', [...named('User'), ...new Set(accountUsers)]),
    ...rule('serviceaccounts', named('ServiceAccount')),
    ...rule('groups', named('Group')),
  ]
}

/** What the controller needs. */
export interface UnifiedAuthOptions {
  readonly control: KubeApi
  readonly connector: KubeConnector
  readonly events: Events
  readonly log: Log
}

/** How long a member that cannot be written to is left alone, milliseconds. */
const RETRY_MS = 5_000

/**
 * Keeps, in every Push member with an impersonator, the right to speak for those who may use the proxy. Roles and bindings
 * are watched from the first such member on.
 */
export class UnifiedAuth {
  readonly #options: UnifiedAuthOptions
  readonly #clusters = new Map<string, Cluster>()
  #roles: Mirror<RbacRole> | undefined
  #bindings: Mirror<RbacBinding> | undefined
  readonly #queue: Reconciler
  /** Rules last written and for which account, by cluster, as canonical JSON. */
  readonly #written = new Map<string, string>()

  constructor(options: UnifiedAuthOptions) {
    this.#options = options
    this.#queue = new Reconciler({ log: options.log, reconcile: name => this.#reconcile(name) })
  }

  /** Takes note of a cluster, or of its end. */
  follow({
    type,
    object,
  }: {
    readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
    readonly object: Cluster
  }): void {
    const { name, deletionTimestamp } = object.metadata
    if (type === 'DELETED' || deletionTimestamp || !object.spec.impersonatorSecretRef) {
      this.#clusters.delete(name)
      this.#written.delete(name)
      return
    }
    this.#clusters.set(name, object)
    this.#watch()
    this.#queue.add(name)
  }

  async close(): Promise<void> {
    this.#roles?.close()
    this.#bindings?.close()
    await this.#queue.close()
  }

  #watch(): void {
    const everyCluster = () => {
      for (const name of this.#clusters.keys()) this.#queue.add(name)
    }
    this.#roles ??= new Mirror<RbacRole>(this.#options.control, CLUSTER_ROLES, everyCluster)
    this.#bindings ??= new Mirror<RbacBinding>(this.#options.control, CLUSTER_ROLE_BINDINGS, everyCluster)
  }

  async #reconcile(name: string): Promise<{ again: number } | undefined> {
    const cluster = this.#clusters.get(name)
    const [roles, bindings] = [this.#roles?.store, this.#bindings?.store]
    if (!cluster || !roles?.synced || !bindings?.synced) return undefined
    const rules = impersonationRules(name, [...roles.values()], [...bindings.values()])
    const text = canonical({ rules, impersonator: cluster.spec.impersonatorSecretRef } as unknown as Json)
    if (this.#written.get(name) === text) return undefined
    try {
      await this.#write(cluster, rules)
      this.#written.set(name, text)
      this.#tell(cluster, normal('SyncImpersonationConfigSucceed', 'Sync impersonation config succeed.'))
      return undefined
    } catch (error) {
      this.#options.log.debug(
        { cluster: name, error },
        'impersonation rights of a member could not be written',
      )
      return { again: RETRY_MS }
    }
  }

  #tell(cluster: Cluster, note: Note): void {
    this.#options.events.tell(cluster, 'unified-auth-controller', note)
  }

  async #write(cluster: Cluster, rules: readonly PolicyRule[]): Promise<void> {
    const { control, connector } = this.#options
    const api = await connectMember(control, cluster, connector)
    try {
      const apiGroup = 'rbac.authorization.k8s.io'
      const metadata = { name: IMPERSONATOR, labels: SYSTEM_LABELS }
      const role: RbacRole = { apiVersion: `${apiGroup}/v1`, kind: 'ClusterRole', metadata, rules }
      await ensure(api, CLUSTER_ROLES, role)
      await update<RbacRole>(api, CLUSTER_ROLES, { name: IMPERSONATOR }, current => ({
        ...current,
        rules,
      }))
      // The account is in the namespace of its Secret, which `karmadactl join --cluster-namespace` chooses.
      const { namespace = '' } = cluster.spec.impersonatorSecretRef ?? {}
      const subjects: readonly RbacSubject[] = [{ kind: 'ServiceAccount', namespace, name: IMPERSONATOR }]
      const roleRef = { apiGroup, kind: 'ClusterRole', name: IMPERSONATOR }
      const kind = 'ClusterRoleBinding'
      const binding = { apiVersion: `${apiGroup}/v1`, kind, metadata, roleRef, subjects }
      await ensure<RbacBinding>(api, CLUSTER_ROLE_BINDINGS, binding)
      await update<RbacBinding>(api, CLUSTER_ROLE_BINDINGS, { name: IMPERSONATOR }, current => ({
        ...current,
        subjects,
      }))
    } finally {
      await api.close()
    }
  }
}
