import type { Container, ContainerStatus, NodeCondition, Pod, PodStatus } from '../../objects/core.js'
import { timestamp } from '../../objects/timestamp.js'

/** How one container is doing; times in milliseconds since the epoch. */
export type ContainerState =
  | { readonly is: 'creating' }
  /** Its image cannot be pulled. */
  | { readonly is: 'unpulled' }
  | { readonly is: 'running'; readonly since: number; readonly restarts: number; readonly last?: Ended }
  | { readonly is: 'ended'; readonly restarts: number; readonly last: Ended; readonly isWaiting: boolean }

/** How a run of a container ended. */
export interface Ended {
  readonly code: number
  readonly from: number
  readonly until: number
}

/** Where a pod is and what it got there. */
export interface Placement {
  readonly address: string
  readonly hostAddress: string
  /** When the kubelet took it on, milliseconds since the epoch. */
  readonly since: number
}

/** The status of a pod as its kubelet reports it. @param states by container */
export function podStatus(
  pod: Pod,
  states: ReadonlyMap<string, ContainerState>,
  { address, hostAddress, since }: Placement,
  now: number,
): PodStatus {
  const containers = pod.spec?.containers ?? []
  const statuses = containers.map(one => containerStatus(one, states.get(one.name) ?? { is: 'creating' }))
  const phase = phaseOf(statuses)
  const unready = statuses.filter(({ ready }) => !ready).map(({ name }) => name)
  const isReady = unready.length === 0
  const notReady = readiness(phase, unready)
  const before = pod.status?.conditions ?? []
  const initStatuses = (pod.spec?.initContainers ?? []).map(one => initialized(one, since))
  const conditions = [
    ['PodReadyToStartContainers', phase !== 'Pending' && !isEnded(phase), undefined],
    ['Initialized', true, phase === 'Succeeded' ? { reason: 'PodCompleted' } : undefined],
    ['Ready', isReady, notReady],
    ['ContainersReady', isReady, notReady],
    ['PodScheduled', true, undefined],
  ] as const
  return {
    ...pod.status,
    phase,
    conditions: conditions.map(([type, isTrue, why]) => conditionOf(before, type, isTrue, why, now)),
    hostIP: hostAddress,
    hostIPs: [{ ip: hostAddress }],
    ...(phase !== 'Pending' && { podIP: address, podIPs: [{ ip: address }] }),
    startTime: pod.status?.startTime ?? timestamp(since),
    ...(initStatuses.length > 0 && { initContainerStatuses: initStatuses }),
    containerStatuses: statuses,
  }
}

const isEnded = (phase: string): boolean => phase === 'Succeeded' || phase === 'Failed'

function phaseOf(statuses: readonly ContainerStatus[]): string {
  const ends = statuses.map(({ state }) => state.terminated as { exitCode: number } | undefined)
  if (ends.every(end => end !== undefined))
    return ends.every(end => end.exitCode === 0) ? 'Succeeded' : 'Failed'
  const isStarting = statuses.every(
    ({ state, lastState }) => state.waiting !== undefined && lastState.terminated === undefined,
  )
  return isStarting ? 'Pending' : 'Running'
}

function readiness(phase: string, unready: readonly string[]) {
  if (phase === 'Succeeded') return { reason: 'PodCompleted' }
  if (phase === 'Failed') return { reason: 'PodFailed' }
  if (unready.length === 0) return undefined
  const message = `containers with unready status: [${unready.join(' ')}]`
  return { reason: 'ContainersNotReady', message }
}

function conditionOf(
  before: readonly NodeCondition[],
  type: string,
  isTrue: boolean,
  why: { readonly reason: string; readonly message?: string } | undefined,
  now: number,
): NodeCondition {
  const status = isTrue ? 'True' : 'False'
  const current = before.find(one => one.type === type)
  const time = current?.status === status ? current.lastTransitionTime : timestamp(now)
  return { type, status, ...why, ...(time && { lastTransitionTime: time }) }
}

function containerStatus({ name, image = '' }: Container, state: ContainerState): ContainerStatus {
  const isRunning = state.is === 'running'
  const isNew = state.is === 'creating' || state.is === 'unpulled'
  const last = isNew ? undefined : state.last
  return {
    name,
    image,
    imageID: isNew ? '' : `simulated://${image}`,
    ready: isRunning,
    started: isRunning,
    restartCount: isNew ? 0 : state.restarts,
    state: shown(name, image, state),
    lastState: last && (isRunning || (state.is === 'ended' && state.isWaiting)) ? terminated(last) : {},
  }
}

function shown(name: string, image: string, state: ContainerState): ContainerStatus['state'] {
  if (state.is === 'creating') return { waiting: { reason: 'ContainerCreating' } }
  if (state.is === 'unpulled')
    return { waiting: { reason: 'ImagePullBackOff', message: `Back-off pulling image "${image}"` } }
  if (state.is === 'running') return { running: { startedAt: timestamp(state.since) } }
  if (!state.isWaiting) return terminated(state.last)
  const message = `back-off restarting failed container=${name}`
  return { waiting: { reason: 'CrashLoopBackOff', message } }
}

const terminated = ({ code, from, until }: Ended) => ({
  terminated: {
    exitCode: code,
    reason: code === 0 ? 'Completed' : 'Error',
    startedAt: timestamp(from),
    finishedAt: timestamp(until),
  },
})

/** Init containers have done their work as soon as the pod starts. */
const initialized = ({ name, image = '' }: Container, since: number): ContainerStatus => ({
  name,
  image,
  imageID: `simulated://${image}`,
  ready: true,
  started: false,
  restartCount: 0,
  state: terminated({ code: 0, from: since, until: since }),
  lastState: {},
})
