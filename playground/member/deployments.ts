import { fnv32a, safeEncode } from '../../manifests/hash.js'
import type { Condition } from '../../manifests/kube.js'
import type { KubeApi } from '../../ports/kube-api.js'
import { canonical, type Json } from '../apimachinery/json.js'
import { ensure, update } from '../client/write.js'
import { setConditions } from '../objects/conditions.js'
import { DEPLOYMENTS, REPLICA_SETS } from '../objects/core-types.js'
import { timestamp } from '../objects/timestamp.js'
import { controllerReference, type Deployment, isControlledBy, type ReplicaSet } from './workloads.js'

const HASH_LABEL = 'pod-template-hash'

/**
 * The deployment controller, simplified: a ReplicaSet per pod template, the newest at full size at once, older ones scaled
 * down when it is ready.
 */
export async function reconcileDeployment(
  api: KubeApi,
  deployment: Deployment,
  replicaSets: readonly ReplicaSet[],
  now: number,
): Promise<void> {
  const own = replicaSets.filter(one => isControlledBy(one, deployment.metadata.uid))
  const hash = safeEncode(String(fnv32a(canonical(deployment.spec.template as unknown as Json))))
  const name = `${deployment.metadata.name}-${hash}`
  const wanted = deployment.spec.replicas ?? 1
  const newest = own.find(({ metadata }) => metadata.name === name)
  if (!deployment.spec.paused) {
    if (!newest) await ensure(api, REPLICA_SETS, replicaSetOf(deployment, name, hash, wanted))
    else await scale(api, newest, wanted)
    const isReady = (newest?.status?.readyReplicas ?? 0) >= wanted
    const older = own.filter(one => one !== newest)
    if (newest && isReady) for (const old of older) await scale(api, old, 0)
  }
  await report(api, deployment, own, newest, now)
}

function replicaSetOf(deployment: Deployment, name: string, hash: string, replicas: number): ReplicaSet {
  const { template, selector } = deployment.spec
  const labels = { ...template.metadata?.labels, [HASH_LABEL]: hash }
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      namespace: deployment.metadata.namespace ?? '',
      name,
      labels,
      ownerReferences: [controllerReference({ ...deployment, apiVersion: 'apps/v1', kind: 'Deployment' })],
    },
    spec: {
      replicas,
      selector: withHash(selector, hash),
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  }
}

function withHash(selector: object, hash: string): object {
  const { matchLabels } = selector as { matchLabels?: Readonly<Record<string, string>> }
  return { ...selector, matchLabels: { ...matchLabels, [HASH_LABEL]: hash } }
}

async function scale(api: KubeApi, { metadata, spec }: ReplicaSet, replicas: number): Promise<void> {
  if (spec.replicas === replicas) return
  const place = { namespace: metadata.namespace ?? '', name: metadata.name }
  await update<ReplicaSet>(api, REPLICA_SETS, place, current => ({
    ...current,
    spec: { ...current.spec, replicas },
  }))
}

async function report(
  api: KubeApi,
  { metadata, spec }: Deployment,
  own: readonly ReplicaSet[],
  newest: ReplicaSet | undefined,
  now: number,
): Promise<void> {
  const sum = (read: (one: ReplicaSet) => number | undefined) =>
    own.reduce((total, one) => total + (read(one) ?? 0), 0)
  const wanted = spec.replicas ?? 1
  const ready = sum(({ status }) => status?.readyReplicas)
  const updated = newest?.status?.replicas ?? 0
  const counts = {
    replicas: sum(({ status }) => status?.replicas),
    updatedReplicas: updated,
    readyReplicas: ready,
    availableReplicas: ready,
    unavailableReplicas: Math.max(0, wanted - ready),
  }
  const present = Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))
  const place = { namespace: metadata.namespace ?? '', name: metadata.name, subresource: 'status' }
  await update<Deployment>(api, DEPLOYMENTS, place, current => {
    const before = current.status ?? {}
    const conditions = setConditions(
      before.conditions as readonly Condition[] | undefined,
      [availability(ready >= wanted), progress(updated >= wanted && ready >= wanted, newest)],
      timestamp(now),
    )
    const status = { observedGeneration: metadata.generation ?? 0, ...present, conditions }
    return canonical(before as unknown as Json) === canonical(status as unknown as Json)
      ? current
      : { ...current, status }
  })
}

const availability = (isAvailable: boolean) =>
  ({
    type: 'Available',
    status: isAvailable ? 'True' : 'False',
    reason: isAvailable ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
    message: isAvailable
      ? 'Deployment has minimum availability.'
      : 'Deployment does not have minimum availability.',
  }) as const

const progress = (isComplete: boolean, newest: ReplicaSet | undefined) =>
  ({
    type: 'Progressing',
    status: 'True',
    reason: isComplete ? 'NewReplicaSetAvailable' : 'ReplicaSetUpdated',
    message: isComplete
      ? `ReplicaSet "${newest?.metadata.name}" has successfully progressed.`
      : `ReplicaSet "${newest?.metadata.name ?? ''}" is progressing.`,
  }) as const
