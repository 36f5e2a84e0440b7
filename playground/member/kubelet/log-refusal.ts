import type { Pod } from '../../objects/core.js'

/**
 * Why a container has no log to read, in a kubelet's words (`validateContainerLogStatus`); undefined when it has one.
 * @param previous the log of the run before the last start is requested
 */
export function logRefusal(pod: Pod, container: string, previous: boolean): string | undefined {
  const where = `container "${container}" in pod "${pod.metadata.name}"`
  const status = pod.status?.containerStatuses?.find(({ name }) => name === container)
  if (!status) return `${where} is not available`
  const { state, lastState } = status
  if (previous) return lastState.terminated ? undefined : `previous terminated ${where} not found`
  if (state.running || state.terminated || lastState.terminated) return undefined
  const { reason } = (state.waiting ?? {}) as { readonly reason?: string }
  if (reason === 'ImagePullBackOff') return `${where} is waiting to start: trying and failing to pull image`
  return `${where} is waiting to start${reason ? `: ${reason}` : ' - no logs yet'}`
}
