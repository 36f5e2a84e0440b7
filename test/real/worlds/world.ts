import type { ApiObject } from '../api-client.js'
import { drop, pathOf, put, type Side } from '../differential/side.js'
import { eventually } from '../probe.js'

/**
 * One history's own part of a control plane that many histories share: two Clusters, which nobody else's policies name, a
 * namespace, and the prefix of the names of all that has no namespace.
 */
export interface World {
  /** Also its namespace. */
  readonly name: string
  /** By the member that it leads to. */
  readonly clusters: Readonly<Record<string, string>>
}

/** One change of a world. `namespaced` objects are in its namespace. */
export type Step =
  | { readonly put: ApiObject; readonly type: string; readonly part: 'spec' | 'data' | 'rules' }
  | { readonly drop: string; readonly type: string; readonly namespaced: boolean }
  | { readonly cluster: string; readonly taints: readonly object[] }
  | { readonly cluster: string; readonly labels: Readonly<Record<string, string | null>> }
  | { readonly leaves: string }
  | { readonly joins: string }

const CLUSTERS = 'cluster.karmada.io/v1alpha1/clusters'

/** Each member is the Cluster of that name, and a Cluster of each world besides. */
export const worldOf = (name: string, members: readonly string[]): World => ({
  name,
  clusters: Object.fromEntries(members.map((member, at) => [member, `${name}-${'abc'[at]}`])),
})

/** Whether what has no namespace is of this world, and not of `w11` where this one is `w1`. */
export const isOf = ({ name }: World, object: string): boolean =>
  object.startsWith(`${name}-`) || object.startsWith(`${name}things`)

/** Creates the world's Clusters and its namespace, which Karmada does not bring to members: all worlds share them. */
export async function enter(side: Side, { name, clusters }: World): Promise<void> {
  const namespace = {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels: { 'namespace.karmada.io/skip-auto-propagation': 'true' } },
  }
  for (const client of [side.control, ...side.members.values()])
    await client.must('POST', '/api/v1/namespaces', namespace)
  for (const [member, cluster] of Object.entries(clusters)) await joins(side, member, cluster)
}

/** Deletes what the world has, without waiting for all of it to be gone. */
export async function leave(side: Side, world: World): Promise<void> {
  await Promise.all(
    OWN_TYPES.map(async type => {
      const { body } = await side.control.send('GET', pathOf(type))
      const { items = [] } = body as { items?: ApiObject[] }
      for (const { metadata } of items)
        if (isOf(world, metadata.name)) await drop(side, type, undefined, metadata.name)
    }),
  )
  for (const client of [side.control, ...side.members.values()])
    await client.send('DELETE', `/api/v1/namespaces/${world.name}`)
  for (const cluster of Object.values(world.clusters)) await drop(side, CLUSTERS, undefined, cluster)
}

const OWN_TYPES = [
  'policy.karmada.io/v1alpha1/clusterpropagationpolicies',
  'policy.karmada.io/v1alpha1/clusteroverridepolicies',
  'policy.karmada.io/v1alpha1/clustertaintpolicies',
  'apps.karmada.io/v1alpha1/workloadrebalancers',
  'rbac.authorization.k8s.io/v1/clusterroles',
  'apiextensions.k8s.io/v1/customresourcedefinitions',
  'v1/namespaces',
]

/** Makes one change. */
export async function take(step: Step, side: Side, world: World): Promise<void> {
  if ('put' in step) return put(side, step.type, step.put.metadata.namespace, step.put, step.part)
  if ('drop' in step) return drop(side, step.type, step.namespaced ? world.name : undefined, step.drop)
  if ('joins' in step) return joins(side, step.joins, world.clusters[step.joins] ?? '')
  if ('leaves' in step) return drop(side, CLUSTERS, undefined, world.clusters[step.leaves] ?? '')
  const change = 'taints' in step ? { spec: { taints: step.taints } } : { metadata: { labels: step.labels } }
  const { status, body } = await side.control.send('PATCH', `${pathOf(CLUSTERS)}/${step.cluster}`, change, {
    'content-type': 'application/merge-patch+json',
  })
  if (status !== 200 && status !== 404)
    throw new Error(`PATCH ${step.cluster}: ${status} ${JSON.stringify(body)}`)
}

/** A Cluster with the address and credentials of another. One of this name that is on its way out goes first. */
async function joins({ control }: Side, member: string, name: string): Promise<void> {
  type Cluster = ApiObject & { readonly spec: Record<string, unknown> }
  const { spec } = await control.must<Cluster>('GET', `${pathOf(CLUSTERS)}/${member}`)
  const { syncMode, apiEndpoint, secretRef, impersonatorSecretRef, insecureSkipTLSVerification } = spec
  const cluster = {
    apiVersion: 'cluster.karmada.io/v1alpha1',
    kind: 'Cluster',
    metadata: { name, labels: { tier: member.endsWith('1') ? 'gold' : 'tin' } },
    spec: { syncMode, apiEndpoint, secretRef, impersonatorSecretRef, insecureSkipTLSVerification },
  }
  await eventually(async () => {
    const { status, body } = await control.send('POST', pathOf(CLUSTERS), cluster)
    if (status === 201) return true
    const present = await control.send('GET', `${pathOf(CLUSTERS)}/${name}`)
    const { metadata } = present.body as Partial<ApiObject>
    if (status !== 409) throw new Error(`POST ${name}: ${status} ${JSON.stringify(body)}`)
    return present.status === 200 && metadata?.deletionTimestamp === undefined
  }, `${name} to join`)
}
