import type { KubeObject } from '../../../manifests/kube.js'

/** What has run in a container. */
interface ContainerState {
  readonly running?: object
  readonly terminated?: {
    readonly exitCode?: number
    readonly reason?: string
    readonly containerID?: string
  }
  readonly waiting?: object
}

interface ContainerStatus {
  readonly name: string
  readonly containerID?: string
  readonly restartCount?: number
  readonly state?: ContainerState
  readonly lastState?: ContainerState
}

/** v1 Pod, as far as it is known from it which logs it has. */
export interface LoggedPod extends KubeObject {
  readonly status?: {
    readonly containerStatuses?: readonly ContainerStatus[]
    readonly initContainerStatuses?: readonly ContainerStatus[]
  }
}

/** A container whose log can be read. */
export interface LoggedContainer {
  readonly name: string
  /** One run of the container: after a restart it is another one. */
  readonly run: string
  /** Whether nothing more is written by this run. */
  readonly isOver: boolean
  /** How the run ended; empty while it is not over. */
  readonly end: string
}

/** Which containers. */
export interface ContainerChoice {
  /** Names, also of init containers; empty for all others. */
  readonly containers: readonly string[]
  /** Whether the run before the present one is wanted. */
  readonly previous: boolean
}

/** The containers of a pod that have a log, as a kubelet decides it. One that waits for its first start has none. */
export function loggedContainers(
  pod: LoggedPod,
  { containers, previous }: ContainerChoice,
): readonly LoggedContainer[] {
  const { containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {}
  const statuses =
    containers.length > 0
      ? [...initContainerStatuses, ...containerStatuses].filter(({ name }) => containers.includes(name))
      : containerStatuses
  return statuses.flatMap(({ name, containerID = '', restartCount = 0, state = {}, lastState = {} }) => {
    const ended = previous
      ? lastState.terminated
      : (state.terminated ?? (state.running ? undefined : lastState.terminated))
    if (previous ? !ended : !ended && !state.running) return []
    const run = `${pod.metadata.uid ?? pod.metadata.name}/${name}/${ended?.containerID ?? containerID}/${restartCount}`
    return [{ name, run, isOver: ended !== undefined, end: ended ? endMessage(ended) : '' }]
  })
}

/** The names of a pod's containers, also of init containers and of those that have not started. */
export const containerNames = ({
  status: { containerStatuses = [], initContainerStatuses = [] } = {},
}: LoggedPod) => [...initContainerStatuses, ...containerStatuses].map(({ name }) => name)

const endMessage = ({ reason, exitCode = 0 }: NonNullable<ContainerState['terminated']>): string =>
  `the container ended${reason ? `: ${reason}` : ''}, exit code ${exitCode}`
