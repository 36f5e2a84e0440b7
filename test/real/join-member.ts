import type { ApiClient, ApiObject } from './api-client.js'
import { namespace } from './karmada.js'
import { eventually } from './probe.js'

const clusterNamespace = 'karmada-cluster'
const systemLabel = { 'karmada.io/system': 'true' }

/** One side of a join: its name and an administrator's client. */
export interface Party {
  readonly name: string
  readonly client: ApiClient
}

/** Joins a member to a Karmada instance in Push mode, by the same API calls that `karmadactl join` makes. */
export async function joinMember(karmada: Party, member: Party): Promise<void> {
  const account = `karmada-${member.name}`
  await member.client.apply({
    ...namespace(clusterNamespace),
    metadata: { name: clusterNamespace, labels: systemLabel },
  })
  for (const name of ['karmada-impersonator', account]) await member.client.apply(serviceAccount(name))
  await member.client.apply(allPowers(account))
  await member.client.apply(powersOf(account))
  const impersonator = await tokenOf(member.client, 'karmada-impersonator')
  const { token, caBundle } = await tokenOf(member.client, account)

  const kubeSystem = await member.client.must<{ metadata: { uid: string } }>(
    'GET',
    '/api/v1/namespaces/kube-system',
  )
  await karmada.client.apply(secret(`${member.name}-impersonator`, { token: impersonator.token }))
  await karmada.client.apply(secret(member.name, { token, caBundle }))
  const cluster = await karmada.client.must<{ metadata: { uid: string } }>(
    'POST',
    '/apis/cluster.karmada.io/v1alpha1/clusters',
    {
      apiVersion: 'cluster.karmada.io/v1alpha1',
      kind: 'Cluster',
      metadata: { name: member.name },
      spec: {
        id: kubeSystem.metadata.uid,
        syncMode: 'Push',
        apiEndpoint: member.client.credentials.url,
        secretRef: { namespace: clusterNamespace, name: member.name },
        impersonatorSecretRef: { namespace: clusterNamespace, name: `${member.name}-impersonator` },
      },
    },
  )
  const ownerReferences = [
    {
      apiVersion: 'cluster.karmada.io/v1alpha1',
      kind: 'Cluster',
      name: member.name,
      uid: cluster.metadata.uid,
      controller: true,
      blockOwnerDeletion: true,
    },
  ]
  for (const name of [member.name, `${member.name}-impersonator`])
    await karmada.client.must(
      'PATCH',
      `/api/v1/namespaces/${clusterNamespace}/secrets/${name}`,
      { metadata: { ownerReferences } },
      { 'content-type': 'application/merge-patch+json' },
    )
}

/** Waits until Karmada calls the member Ready. */
export async function memberReady(karmada: Party, member: string): Promise<void> {
  type Cluster = { status?: { conditions?: { type: string; status: string }[] } }
  await eventually(async () => {
    const cluster = await karmada.client.must<Cluster>(
      'GET',
      `/apis/cluster.karmada.io/v1alpha1/clusters/${member}`,
    )
    return (
      cluster.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false
    )
  }, `${karmada.name}: ${member} ready`)
}

function serviceAccount(name: string): ApiObject {
  return {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name, namespace: clusterNamespace, labels: systemLabel },
  }
}

function allPowers(account: string): ApiObject {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: `karmada-controller-manager:${account}`, labels: systemLabel },
    rules: [
      { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
      { nonResourceURLs: ['*'], verbs: ['get'] },
    ],
  }
}

function powersOf(account: string): ApiObject {
  const name = `karmada-controller-manager:${account}`
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name, labels: systemLabel },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    subjects: [{ kind: 'ServiceAccount', name: account, namespace: clusterNamespace }],
  }
}

/** A Secret of text values. */
function secret(name: string, values: Readonly<Record<string, string>>): ApiObject {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: clusterNamespace, labels: systemLabel },
    stringData: values,
  }
}

/** A long-lived token of a service account, as the token controller writes it into a Secret. */
async function tokenOf(client: ApiClient, account: string): Promise<{ token: string; caBundle: string }> {
  await client.apply({
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'kubernetes.io/service-account-token',
    metadata: {
      name: account,
      namespace: clusterNamespace,
      annotations: { 'kubernetes.io/service-account.name': account },
    },
  })
  let data: Record<string, string> = {}
  await eventually(async () => {
    const path = `/api/v1/namespaces/${clusterNamespace}/secrets/${account}`
    data = (await client.must<{ data?: Record<string, string> }>('GET', path)).data ?? {}
    return data.token !== undefined
  }, `a token for ${account}`)
  const decode = (value: string | undefined): string => Buffer.from(value ?? '', 'base64').toString()
  return { token: decode(data.token), caBundle: decode(data['ca.crt']) }
}
