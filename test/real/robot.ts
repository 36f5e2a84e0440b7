import type { ApiClient } from './api-client.js'
import { becomesAllowed } from './becomes-allowed.js'

/** An account of the host's namespace `default` with a token, as a pipeline has one, and the groups that all such accounts are in. */
export interface Caller {
  readonly name: string
  readonly user: string
  readonly groups: readonly string[]
}

/** @param name of the account */
export const callerNamed = (name: string): Caller => ({
  name,
  user: `system:serviceaccount:default:${name}`,
  groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
})

/** The caller of the suites of the proxy. */
export const robot = callerNamed('robot')

/**
 * What a caller needs, in three places: `instances/proxy` on the host, a role inside the instance, and rights in the member.
 * The second is made by Kairship of an InstanceRoleBinding, with `clusters/proxy`; it must name the caller's groups as well,
 * for Karmada's proxy impersonates all of them in the member and is only let to impersonate who is named.
 */
export async function letIn({
  host,
  member,
  instance,
  caller: { name, groups },
  witness,
}: {
  readonly host: ApiClient
  readonly member: ApiClient
  readonly instance: string
  readonly caller: Caller
  /** A user of a name that nobody had, who is let in with the caller's groups: see `impersonatedIn`. */
  readonly witness?: string
}): Promise<void> {
  const account = { kind: 'ServiceAccount', namespace: 'default', name }
  const bound = (binding: string, role: string) => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: binding },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    subjects: [account],
  })
  await host.apply({
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name, namespace: 'default' },
  })
  await host.apply(bound(name, 'kairship-instance-editor'))
  await host.apply(bound(`${name}-looks`, 'kairship-instance-viewer'))
  await host.apply({
    apiVersion: 'kairship.io/v1alpha1',
    kind: 'InstanceRoleBinding',
    metadata: { name: `${name}-${instance}` },
    spec: { instance, role: 'Admin', subjects: [account] },
  })
  await host.apply({
    apiVersion: 'kairship.io/v1alpha1',
    kind: 'InstanceRoleBinding',
    metadata: { name: `${name}s-groups-${instance}` },
    spec: {
      instance,
      role: 'Viewer',
      subjects: [
        ...groups
          .filter(group => group !== 'system:authenticated')
          .map(group => ({ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: group })),
        ...(witness === undefined
          ? []
          : [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: witness }]),
      ],
    },
  })
  await member.apply(bound(name, 'cluster-admin'))
}

/** Waits until what the last binding makes is in force inside: before, two who ask may be told different things. */
export async function inside(karmada: ApiClient): Promise<void> {
  const who = { user: 'nobody', groups: ['system:serviceaccounts'] }
  await becomesAllowed(karmada, who, { verb: 'list', group: '', resource: 'configmaps' })
  const proxy = { group: 'cluster.karmada.io', resource: 'clusters', subresource: 'proxy' }
  await becomesAllowed(karmada, who, { verb: 'get', ...proxy })
}

/**
 * Whether Karmada's proxy may impersonate a user in a member. Once that is so for one who was let in last, only newer states of the ClusterRole follow: Karmada's
 * unifiedAuth controller writes it whole, from two caches, and one cluster at a time. An answer to the caller alone can be by what the suite before had left, and
 * be taken back a moment later.
 */
export async function impersonatedIn(member: ApiClient, user: string): Promise<boolean> {
  type ClusterRole = { rules?: { resources?: string[]; resourceNames?: string[] }[] | null }
  const path = '/apis/rbac.authorization.k8s.io/v1/clusterroles/karmada-impersonator'
  const { status, body } = await member.send('GET', path)
  if (status !== 200) return false
  const { rules } = body as ClusterRole
  return (rules ?? []).some(
    ({ resources, resourceNames }) => resources?.includes('users') && resourceNames?.includes(user),
  )
}

/** A token of the caller, for a day. */
export async function tokenOf(host: ApiClient, { name }: Caller): Promise<string> {
  const { status } = await host.must<{ status: { token: string } }>(
    'POST',
    `/api/v1/namespaces/default/serviceaccounts/${name}/token`,
    { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 86_400 } },
  )
  return status.token
}
