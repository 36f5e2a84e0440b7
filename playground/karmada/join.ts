import { setTimeout as sleep } from 'node:timers/promises'
import { CLUSTER_NAMESPACE, CLUSTERS, type Cluster, SYSTEM_LABELS } from '../../karmada/objects/cluster.js'
import type { KubeList, KubeObject } from '../../manifests/kube.js'
import { resourcePath } from '../../manifests/kube.js'
import type { KubeApi } from '../../ports/kube-api.js'
import { ensure, read, remove, update } from '../client/write.js'
import type { Namespace, Secret } from '../objects/core.js'
import {
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  NAMESPACES,
  SECRETS,
  SERVICE_ACCOUNTS,
} from '../objects/core-types.js'

/** A cluster to bring into a Karmada control plane, with an administrator's credentials for both. */
export interface JoinRequest {
  readonly control: KubeApi
  readonly member: KubeApi
  /** Name of the Cluster, at most 48 characters. */
  readonly name: string
  /** URL under which the control plane reaches the member's API server. */
  readonly apiEndpoint: string
  readonly provider?: string
  readonly region?: string
  readonly zones?: readonly string[]
  /** How long to wait for the member to issue tokens, milliseconds; `karmadactl join` waits 30 s. */
  readonly tokenTimeoutMs?: number
}

/** A cluster that cannot join; the message says why and what is in the way. */
class JoinError extends Error {
  override readonly name = 'JoinError'
}

const TOKEN_POLL_MS = 50
const SA_NAME = 'kubernetes.io/service-account.name'

/**
 * Brings a cluster in as a Push member by plain API calls, in the order of `karmadactl join`. Works with any Karmada. What
 * an interrupted run left behind is taken up by the next.
 * @throws JoinError when the name or the cluster's identity is taken, or the member issues no token
 */
export async function join(request: JoinRequest): Promise<Cluster> {
  const { control, name, apiEndpoint, provider, region, zones } = request
  const id = await identify(request)
  const impersonator = await issueToken(request, 'karmada-impersonator', {})
  const account = await issueToken(request, `karmada-${name}`, {
    grants: `karmada-controller-manager:karmada-${name}`,
  })
  await ensure(control, NAMESPACES, namespaceOf(CLUSTER_NAMESPACE))
  const impersonatorSecret = await storeSecret(control, `${name}-impersonator`, { token: impersonator.token })
  const secret = await storeSecret(control, name, account)
  const reference = ({ metadata }: Secret) => ({ namespace: CLUSTER_NAMESPACE, name: metadata.name })
  const cluster = await control.request<Cluster>({
    method: 'POST',
    path: resourcePath(CLUSTERS),
    body: {
      apiVersion: 'cluster.karmada.io/v1alpha1',
      kind: 'Cluster',
      metadata: { name },
      spec: {
        syncMode: 'Push',
        apiEndpoint,
        id,
        secretRef: reference(secret),
        impersonatorSecretRef: reference(impersonatorSecret),
        ...(provider && { provider }),
        ...(region && { region }),
        ...(zones && { zones }),
      },
    },
  })
  for (const owned of [secret, impersonatorSecret]) await ownSecret(control, owned, cluster)
  return cluster
}

/** Takes a member out: its Cluster first, then what joining made in the member. Waits until the Cluster is gone. */
export async function unjoin(
  request: Pick<JoinRequest, 'control' | 'name'> & { readonly member?: KubeApi; readonly timeoutMs?: number },
): Promise<void> {
  const { control, member, name, timeoutMs = 60_000 } = request
  await remove(control, CLUSTERS, { name })
  const deadline = Date.now() + timeoutMs
  while (await read(control, CLUSTERS, { name })) {
    if (Date.now() > deadline)
      throw new JoinError(
        `cluster ${name} is still terminating after ${timeoutMs / 1000} s; its finalizers name what is left`,
      )
    await sleep(TOKEN_POLL_MS)
  }
  if (!member) return
  const role = `karmada-controller-manager:karmada-${name}`
  await remove(member, CLUSTER_ROLE_BINDINGS, { name: role })
  await remove(member, CLUSTER_ROLES, { name: role })
  await remove(member, SERVICE_ACCOUNTS, { namespace: CLUSTER_NAMESPACE, name: `karmada-${name}` })
  await remove(member, NAMESPACES, { name: CLUSTER_NAMESPACE })
}

/** The cluster's identity; refuses one that is a member already, under this name or another. */
async function identify({ control, member, name }: JoinRequest): Promise<string> {
  const system = await read<Namespace>(member, NAMESPACES, { name: 'kube-system' })
  const id = system?.metadata.uid
  if (!id)
    throw new JoinError(`the cluster to join as ${name} has no namespace kube-system to be identified by`)
  const { items } = await control.request<KubeList<Cluster>>({ method: 'GET', path: resourcePath(CLUSTERS) })
  for (const { metadata, spec } of items) {
    if (metadata.name === name) throw new JoinError(`a cluster named ${name} is a member already`)
    if (spec.id === id)
      throw new JoinError(`the cluster to join as ${name} is a member already, named ${metadata.name}`)
  }
  return id
}

/** Makes a service account in the member and waits for the token of its secret. Base64 values. */
async function issueToken(
  { member, name, tokenTimeoutMs = 30_000 }: JoinRequest,
  account: string,
  { grants }: { readonly grants?: string },
): Promise<{ token: string; caBundle: string }> {
  await ensure(member, NAMESPACES, namespaceOf(CLUSTER_NAMESPACE))
  const metadata = { namespace: CLUSTER_NAMESPACE, name: account }
  await ensure(member, SERVICE_ACCOUNTS, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { ...metadata, labels: SYSTEM_LABELS },
  })
  if (grants) await grantEverything(member, grants, account)
  await ensure<Secret>(member, SECRETS, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { ...metadata, annotations: { [SA_NAME]: account } },
    type: 'kubernetes.io/service-account-token',
  })
  const deadline = Date.now() + tokenTimeoutMs
  for (;;) {
    const secret = await read<Secret>(member, SECRETS, metadata)
    const { token, 'ca.crt': caBundle = '' } = secret?.data ?? {}
    if (token) return { token, caBundle }
    if (Date.now() > deadline)
      throw new JoinError(
        `the cluster to join as ${name} put no token into the secret ${CLUSTER_NAMESPACE}/${account}`,
      )
    await sleep(TOKEN_POLL_MS)
  }
}

const namespaceOf = (name: string): Namespace => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels: SYSTEM_LABELS },
})

/** Karmada's own rights in a Push member: everything. Rules and subjects of an earlier run are set right. */
async function grantEverything(member: KubeApi, name: string, account: string): Promise<void> {
  const metadata = { name, labels: SYSTEM_LABELS }
  const rules = [
    { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
    { nonResourceURLs: ['*'], verbs: ['get'] },
  ]
  const apiGroup = 'rbac.authorization.k8s.io'
  const subjects = [{ kind: 'ServiceAccount', name: account, namespace: CLUSTER_NAMESPACE }]
  const role = { apiVersion: `${apiGroup}/v1`, kind: 'ClusterRole', metadata, rules }
  const binding = {
    apiVersion: `${apiGroup}/v1`,
    kind: 'ClusterRoleBinding',
    metadata,
    roleRef: { apiGroup, kind: 'ClusterRole', name },
    subjects,
  }
  await ensure(member, CLUSTER_ROLES, role)
  await update(member, CLUSTER_ROLES, { name }, (current: typeof role) => ({ ...current, rules }))
  await ensure(member, CLUSTER_ROLE_BINDINGS, binding)
  await update(member, CLUSTER_ROLE_BINDINGS, { name }, (current: typeof binding) => ({
    ...current,
    subjects,
  }))
}

/** @param data base64 values; a token in the member's secret is base64 already */
async function storeSecret(
  control: KubeApi,
  name: string,
  data: Readonly<Record<string, string>>,
): Promise<Secret> {
  const secret: Secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: CLUSTER_NAMESPACE, name, labels: SYSTEM_LABELS },
    data,
  }
  await ensure(control, SECRETS, secret)
  const stored = await update<Secret>(control, SECRETS, secret.metadata, current => ({ ...current, data }))
  return stored ?? secret
}

/** Has the secret deleted together with its Cluster. */
async function ownSecret(control: KubeApi, { metadata }: Secret, cluster: Cluster): Promise<void> {
  const owner = {
    apiVersion: 'cluster.karmada.io/v1alpha1',
    kind: 'Cluster',
    name: cluster.metadata.name,
    uid: cluster.metadata.uid ?? '',
    controller: true,
    blockOwnerDeletion: true,
  }
  await control.request<KubeObject>({
    method: 'PATCH',
    path: resourcePath(SECRETS, { namespace: CLUSTER_NAMESPACE, name: metadata.name }),
    contentType: 'application/merge-patch+json',
    body: { metadata: { ownerReferences: [owner] } },
  })
}
