import { resourcePath } from '../../manifests/kube.js'
import { isNotFound } from '../../manifests/status-error.js'
import type { KubeApi } from '../../ports/kube-api.js'
import { update } from '../client/write.js'
import type { Pod } from '../objects/core.js'
import { PODS } from '../objects/core-types.js'
import { timestamp } from '../objects/timestamp.js'

const placeOf = ({ metadata }: Pod): { namespace: string; name: string } => ({
  namespace: metadata.namespace ?? '',
  name: metadata.name,
})

/** What a kubelet has to do with a pod now: start it, take it away, or nothing. */
export function kubeletTask(pod: Pod): 'start' | 'remove' | undefined {
  if (pod.metadata.deletionTimestamp) return 'remove'
  const waits = pod.status?.phase === undefined || pod.status.phase === 'Pending'
  return pod.spec?.nodeName && waits ? 'start' : undefined
}

/** The pod runs and is ready, as its kubelet would report it. */
export async function startPod(api: KubeApi, pod: Pod, address: string, now: number): Promise<void> {
  const time = timestamp(now)
  await update<Pod>(api, PODS, { ...placeOf(pod), subresource: 'status' }, current => {
    if (kubeletTask(current) !== 'start') return current
    const conditions = ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map(type => ({
      type,
      status: 'True' as const,
      lastTransitionTime: time,
    }))
    const containerStatuses = (current.spec?.containers ?? []).map(({ name, image = '' }) => ({
      name,
      image,
      imageID: '',
      ready: true,
      started: true,
      restartCount: 0,
      state: { running: { startedAt: time } },
    }))
    const status = {
      ...current.status,
      phase: 'Running',
      conditions,
      containerStatuses,
      podIP: address,
      startTime: time,
    }
    return { ...current, status }
  })
}

/** Ends a pod that is being deleted: what a kubelet does when its containers have stopped. */
export async function removePod(api: KubeApi, pod: Pod): Promise<void> {
  await api
    .request({ method: 'DELETE', path: resourcePath(PODS, placeOf(pod)), query: { gracePeriodSeconds: 0 } })
    .catch(error => {
      if (!isNotFound(error)) throw error
    })
}
