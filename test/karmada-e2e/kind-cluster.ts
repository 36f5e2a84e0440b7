import type { ApiClient, ApiObject } from '../real/api-client.js'
import { eventually } from '../real/probe.js'

/** The node of a cluster that kind made. */
export const kindNode = (cluster: string): string => `${cluster}-control-plane`

/**
 * Puts into a cluster what each cluster of kind has, and some specs look for: the node of its control plane, etcd's pod there,
 * CoreDNS and kube-proxy. What is there already stays.
 */
export async function addKindObjects(client: ApiClient, cluster: string): Promise<void> {
  const nodeName = kindNode(cluster)
  await addNode(client, nodeName)
  const pods = (name: string) => ({
    selector: { matchLabels: { 'k8s-app': name } },
    template: { metadata: { labels: { 'k8s-app': name } }, spec: podSpec(name) },
  })
  const namespace = 'kube-system'
  const account = `/api/v1/namespaces/${namespace}/serviceaccounts/default`
  await eventually(() => client.answers(account), `${cluster}: default service account of ${namespace}`)
  const etcd = { name: `etcd-${nodeName}`, namespace }
  const objects: readonly ApiObject[] = [
    { apiVersion: 'v1', kind: 'Pod', metadata: etcd, spec: { ...podSpec('etcd'), nodeName } },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'coredns', namespace },
      spec: { replicas: 2, ...pods('coredns') },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: 'kube-proxy', namespace },
      spec: pods('kube-proxy'),
    },
  ]
  for (const object of objects) await client.apply(object)
}

const podSpec = (name: string) => ({ containers: [{ name, image: `registry.example/${name}` }] })

async function addNode(client: ApiClient, name: string): Promise<void> {
  if (await client.answers(`/api/v1/nodes/${name}`)) return
  const capacity = { cpu: '4', memory: '16Gi', pods: '110' }
  const ready = { type: 'Ready', status: 'True', reason: 'KubeletReady', message: '' }
  const labels = { 'kubernetes.io/hostname': name }
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name, labels } }
  const status = { capacity, allocatable: capacity, conditions: [ready] }
  // Status and all, as a kubelet creates its node.
  await client.must('POST', '/api/v1/nodes', { ...node, status })
  await client.must(
    'PATCH',
    `/api/v1/nodes/${name}/status`,
    { status },
    {
      'content-type': 'application/merge-patch+json',
    },
  )
}
