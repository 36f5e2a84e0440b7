import { resourcePath } from '../../manifests/kube.js'
import type { KubeApi } from '../../ports/kube-api.js'
import { canonical, type Json } from '../apimachinery/json.js'
import { remove, update } from '../client/write.js'
import type { Node, Pod } from '../objects/core.js'
import { PODS, REPLICA_SETS } from '../objects/core-types.js'
import { chooseNode } from './scheduling.js'
import { controllerReference, isControlledBy, type ReplicaSet } from './workloads.js'

/** The ReplicaSet controller and the scheduler in one: as many pods as wanted, each on a node that has room for it. */
export async function reconcileReplicaSet(
  api: KubeApi,
  replicaSet: ReplicaSet,
  pods: readonly Pod[],
  nodes: readonly Node[],
): Promise<void> {
  const active = pods.filter(pod => isControlledBy(pod, replicaSet.metadata.uid) && isActive(pod))
  const own = await withoutHopeless(api, active, pods, nodes)
  const wanted = replicaSet.spec.replicas ?? 1
  const all = [...pods]
  for (let missing = wanted - own.length; missing > 0; missing--)
    all.push(await createPod(api, replicaSet, chooseNode(replicaSet.spec.template.spec, nodes, all)))
  for (const pod of surplus(own, own.length - wanted))
    await remove(api, PODS, { namespace: pod.metadata.namespace ?? '', name: pod.metadata.name })
  await report(api, replicaSet, own)
}

/** A pod that found no node is taken away when there is room now: the one made in its place gets a node. */
async function withoutHopeless(
  api: KubeApi,
  own: readonly Pod[],
  pods: readonly Pod[],
  nodes: readonly Node[],
): Promise<readonly Pod[]> {
  const hopeless = own.find(({ spec }) => !spec?.nodeName && chooseNode(spec, nodes, pods))
  if (!hopeless) return own
  await remove(api, PODS, { namespace: hopeless.metadata.namespace ?? '', name: hopeless.metadata.name })
  return own.filter(pod => pod !== hopeless)
}

const isActive = ({ metadata, status }: Pod): boolean =>
  !metadata.deletionTimestamp && status?.phase !== 'Succeeded' && status?.phase !== 'Failed'

/** Pods that are not ready go first, then the youngest. */
function surplus(own: readonly Pod[], count: number): readonly Pod[] {
  if (count <= 0) return []
  const rank = (pod: Pod) => `${isPodReady(pod) ? 1 : 0}${pod.metadata.creationTimestamp ?? ''}`
  const [waiting, ready] = [own.filter(pod => !isPodReady(pod)), own.filter(isPodReady)]
  const youngestFirst = ready.sort((one, other) => (rank(one) < rank(other) ? 1 : -1))
  return [...waiting, ...youngestFirst].slice(0, count)
}

const isPodReady = ({ status }: Pod): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false

async function createPod(api: KubeApi, replicaSet: ReplicaSet, nodeName: string | undefined): Promise<Pod> {
  const { namespace = '', name } = replicaSet.metadata
  const { metadata, spec } = replicaSet.spec.template
  const body = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...metadata,
      namespace,
      generateName: `${name}-`,
      ownerReferences: [controllerReference({ ...replicaSet, apiVersion: 'apps/v1', kind: 'ReplicaSet' })],
    },
    spec: { ...spec, ...(nodeName !== undefined && { nodeName }) },
  }
  return api.request<Pod>({ method: 'POST', path: resourcePath(PODS, { namespace }), body })
}

async function report(api: KubeApi, { metadata }: ReplicaSet, own: readonly Pod[]): Promise<void> {
  const ready = own.filter(isPodReady).length
  const status = {
    replicas: own.length,
    ...(own.length > 0 && { fullyLabeledReplicas: own.length }),
    ...(ready > 0 && { readyReplicas: ready, availableReplicas: ready }),
    observedGeneration: metadata.generation ?? 0,
  }
  const place = { namespace: metadata.namespace ?? '', name: metadata.name, subresource: 'status' }
  await update<ReplicaSet>(api, REPLICA_SETS, place, current =>
    canonical((current.status ?? {}) as Json) === canonical(status) ? current : { ...current, status },
  )
}
