import { setTimeout as pause } from 'node:timers/promises'
import { CLUSTER_NAMESPACE, SYSTEM_LABELS } from '../../../karmada/objects/cluster.js'
import type { GroupVersionResource, KubeObject } from '../../../manifests/kube.js'
import { alreadyExists, failedPrecondition } from '../../errors/failure.js'
import type { Undo } from '../create/undo.js'
import { type ClusterApi, TYPES } from './cluster-api.js'
import { dropTokenOfOther, leftBehind } from './left-behind.js'

/** How long a member has to issue a token, milliseconds: as long as `karmadactl join` waits. */
const TOKEN_MS = 30_000
const TOKEN_POLL_MS = 100

/** Says in the member which instance the access is for. */
export const JOINED_TO = 'kairship.io/joined-to'

const RBAC = 'rbac.authorization.k8s.io'

/** What Karmada keeps of a member's credentials; base64, as Secrets hold them. */
export interface MemberCredentials {
  readonly token: string
  readonly caBundle: string
  /** Of the account as which Karmada's proxy impersonates users. */
  readonly impersonatorToken: string
}

/** The names of what Karmada's access to a member consists of, as `karmadactl` gives them. */
export const accessNames = (cluster: string) => ({
  impersonator: 'karmada-impersonator',
  account: `karmada-${cluster}`,
  role: `karmada-controller-manager:karmada-${cluster}`,
})

interface Secret extends KubeObject {
  readonly data?: Readonly<Record<string, string>>
}

/**
 * Makes Karmada's access to a member, in the order of `karmadactl join`: two service accounts, one with all rights, and a
 * lasting token of each. What is there of an earlier join is used again.
 * @throws Failure ALREADY_EXISTS where another instance joined this cluster under the same name; FAILED_PRECONDITION where no
 * token comes, or an earlier join is still being deleted
 */
export async function grantAccess(
  member: ClusterApi,
  { cluster, instance }: { readonly cluster: string; readonly instance: string },
  undo: Undo,
): Promise<MemberCredentials> {
  const { impersonator, account, role } = accessNames(cluster)
  const make = async <T extends KubeObject>(type: GroupVersionResource, object: T) => {
    if (await leftBehind(member, type, object)) return undefined
    return undo.make(
      `${object.kind} ${object.metadata.name} in cluster ${cluster}`,
      () => member.create(type, object),
      (signal, made) => member.until(signal).remove(type, object.metadata, made?.uid),
    )
  }
  await refuseOthers(member, cluster, instance)
  await make(TYPES.namespaces, object('v1', 'Namespace', CLUSTER_NAMESPACE))
  await make(TYPES.serviceAccounts, within(object('v1', 'ServiceAccount', impersonator)))
  await make(TYPES.serviceAccounts, within(object('v1', 'ServiceAccount', account)))
  const rules = {
    rules: [
      { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
      { nonResourceURLs: ['*'], verbs: ['get'] },
    ],
  }
  const annotations = { [JOINED_TO]: instance }
  if (
    !(await make(TYPES.clusterRoles, { ...object(`${RBAC}/v1`, 'ClusterRole', role, annotations), ...rules }))
  )
    await member.merge(TYPES.clusterRoles, { name: role }, { metadata: { annotations }, ...rules })
  const subjects = {
    subjects: [{ kind: 'ServiceAccount', name: account, namespace: CLUSTER_NAMESPACE }],
  }
  const binding = {
    ...object(`${RBAC}/v1`, 'ClusterRoleBinding', role, annotations),
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: role },
    ...subjects,
  }
  if (!(await make(TYPES.clusterRoleBindings, binding)))
    await member.merge(TYPES.clusterRoleBindings, { name: role }, { metadata: { annotations }, ...subjects })
  for (const name of [impersonator, account]) {
    await dropTokenOfOther(member, name)
    await make(TYPES.secrets, tokenSecret(name))
  }
  const issued = await tokenOf(member, cluster, account)
  const { token: impersonatorToken } = await tokenOf(member, cluster, impersonator)
  return { ...issued, impersonatorToken }
}

/** Two instances that know a member by one name would share its account, and the first to leave would take it away. */
export async function refuseOthers(member: ClusterApi, cluster: string, instance: string): Promise<void> {
  const { role } = accessNames(cluster)
  const found = await member.find(TYPES.clusterRoleBindings, { name: role })
  const owner = found?.metadata.annotations?.[JOINED_TO]
  if (owner === undefined || owner === instance) return
  throw alreadyExists(
    `instance ${owner} has joined this cluster under the name ${cluster} too, and they would share the account in it: join it under another name, or delete the ClusterRoleBinding ${role} in the cluster if that instance has left it`,
    { reason: 'ClusterJoined' },
  )
}

const object = (
  apiVersion: string,
  kind: string,
  name: string,
  annotations?: Readonly<Record<string, string>>,
) => ({
  apiVersion,
  kind,
  metadata: { name, labels: SYSTEM_LABELS, ...(annotations && { annotations }) },
})

const within = <T extends KubeObject>(one: T): T => ({
  ...one,
  metadata: { ...one.metadata, namespace: CLUSTER_NAMESPACE },
})

const tokenSecret = (account: string) => ({
  ...within(object('v1', 'Secret', account, { 'kubernetes.io/service-account.name': account })),
  type: 'kubernetes.io/service-account-token',
})

/** Waits until the member's token controller has filled a Secret. */
async function tokenOf(
  member: ClusterApi,
  cluster: string,
  account: string,
): Promise<{ readonly token: string; readonly caBundle: string }> {
  const key = { namespace: CLUSTER_NAMESPACE, name: account }
  for (const until = performance.now() + TOKEN_MS; ; await pause(TOKEN_POLL_MS)) {
    const secret = await member.find<Secret>(TYPES.secrets, key)
    const { token, 'ca.crt': caBundle = '' } = secret?.data ?? {}
    if (token) return { token, caBundle }
    if (performance.now() > until)
      throw failedPrecondition(
        `cluster ${cluster} put no token into the Secret ${CLUSTER_NAMESPACE}/${account} within ${TOKEN_MS / 1000} s: its token controller, of kube-controller-manager, does that`,
        { reason: 'NoToken' },
      )
  }
}
