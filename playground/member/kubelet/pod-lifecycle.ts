import type { ContainerStatus, Node, Pod, PodStatus } from '../../objects/core.js'
import { NODES, PODS } from '../../objects/core-types.js'
import type { Plan, World } from '../controllers/plan.js'
import { hasFinished, note, warning } from '../controllers/pods.js'
import { type Pace, PodRunner, type StartProcess } from './pod-runner.js'
import { podStatus } from './pod-status.js'

/** A container that was stopped by a signal says so: 128 and SIGTERM. */
const TERMINATED = 143

/** What the kubelets need. */
export interface LifecycleOptions {
  readonly pace: Pace
  readonly now: () => number
  readonly startProcess: StartProcess
  /** Asks to be called again for a pod. */
  readonly again: (key: string) => void
  /** Called when a pod is no more. */
  readonly forget: (uid: string) => void
}

const keyOf = ({ metadata }: Pod): string => `${metadata.namespace}/${metadata.name}`

/** All kubelets of a member: start the pods that are bound to a node, report them, and end those that are deleted. */
export class PodLifecycle {
  readonly #options: LifecycleOptions
  /** By the pod's uid. */
  readonly #runners = new Map<string, PodRunner>()
  /** Since when pods are going away, by uid. */
  readonly #stopping = new Map<string, number>()
  #addresses = 0

  constructor(options: LifecycleOptions) {
    this.#options = options
  }

  /** What a pod's kubelet does now. A node that is not ready has none. */
  readonly plan = (pod: Pod, world: World): Plan => {
    const { nodeName } = pod.spec ?? {}
    if (!nodeName) return pod.metadata.deletionTimestamp ? { changes: [{ remove: PODS, object: pod }] } : {}
    const node = world.get<Node>(NODES, nodeName)
    if (!node || !isNodeReady(node)) return {}
    if (pod.metadata.deletionTimestamp) return this.#stop(pod, world.now)
    if (hasFinished(pod)) return {}
    return this.#run(pod, node, world)
  }

  /** Forgets a pod that is gone. */
  gone({ metadata: { uid = '' } }: Pod): void {
    this.#runners.get(uid)?.stop()
    this.#runners.delete(uid)
    this.#stopping.delete(uid)
    this.#options.forget(uid)
  }

  close(): void {
    for (const runner of this.#runners.values()) runner.stop()
    this.#runners.clear()
  }

  #run(pod: Pod, node: Node, world: World): Plan {
    const runner = this.#runnerOf(pod, node, world)
    const again = runner.advance(pod)
    const status = podStatus(pod, runner.states, runner.placement, world.now)
    return { status, notes: startNotes(pod, status), ...(again !== undefined && { again }) }
  }

  #runnerOf(pod: Pod, node: Node, world: World): PodRunner {
    const { uid = '' } = pod.metadata
    const known = this.#runners.get(uid)
    if (known) return known
    const hostAddress = node.status?.addresses?.find(({ type }) => type === 'InternalIP')?.address ?? ''
    const { pace, now, startProcess, again } = this.#options
    const placement = {
      address: pod.status?.podIP ?? this.#freeAddress(world),
      hostAddress,
      since: Date.parse(pod.status?.startTime ?? '') || world.now,
    }
    const runner = new PodRunner(placement, { pace, now, startProcess, onEnd: () => again(keyOf(pod)) })
    this.#runners.set(uid, runner)
    runner.adopt(pod)
    return runner
  }

  /** Addresses are 10.244.x.y, each pod its own. */
  #freeAddress(world: World): string {
    const used = this.#addresses === 0 ? world.all<Pod>(PODS).map(({ status }) => status?.podIP) : []
    for (const address of used) {
      const [, , third = '0', fourth = '0'] = address?.split('.') ?? []
      this.#addresses = Math.max(this.#addresses, Number(third) * 256 + Number(fourth))
    }
    this.#addresses = (this.#addresses % 65_534) + 1
    return `10.244.${this.#addresses >> 8}.${this.#addresses & 255}`
  }

  /** Containers get a moment to stop, at most the pod's grace period; a pod that is held must say how it ended. */
  #stop(pod: Pod, now: number): Plan {
    const { uid = '', deletionGracePeriodSeconds = 0, finalizers = [] } = pod.metadata
    const since = this.#stopping.get(uid)
    if (since === undefined) this.#runners.get(uid)?.stop()
    const began = since ?? now
    this.#stopping.set(uid, began)
    const left = began + Math.min(this.#options.pace.stop, deletionGracePeriodSeconds * 1000) - now
    const isRunning = pod.status?.phase === 'Running'
    const notes =
      since === undefined && isRunning
        ? (pod.spec?.containers ?? []).map(({ name }) => note('Killing', `Stopping container ${name}`))
        : []
    if (left > 0) return { notes, again: left }
    if (finalizers.length > 0 && !hasFinished(pod)) return { notes, status: stopped(pod, now) }
    // What is held for another reason is gone as far as its kubelet is concerned.
    if (finalizers.length > 0 && deletionGracePeriodSeconds === 0) return { notes }
    return { notes, changes: [{ remove: PODS, object: pod }] }
  }
}

const isNodeReady = ({ status }: Node): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false

function stopped(pod: Pod, now: number): PodStatus {
  const containers = pod.spec?.containers ?? []
  const last = { code: TERMINATED, from: now, until: now }
  const states = new Map(
    containers.map(({ name }) => [name, { is: 'ended', restarts: 0, last, isWaiting: false } as const]),
  )
  const { podIP: address = '', hostIP: hostAddress = '', startTime = '' } = pod.status ?? {}
  return podStatus(pod, states, { address, hostAddress, since: Date.parse(startTime) || now }, now)
}

function startNotes(pod: Pod, status: PodStatus) {
  const before = new Map((pod.status?.containerStatuses ?? []).map(one => [one.name, one]))
  return (status.containerStatuses ?? []).flatMap(({ name, image, state, restartCount }) => {
    const known = before.get(name)
    if (isUnpulled(state))
      return isUnpulled(known?.state)
        ? []
        : [
            warning('Failed', `Failed to pull image "${image}": not found`),
            warning('Failed', 'Error: ErrImagePull'),
            note('BackOff', `Back-off pulling image "${image}"`),
            warning('Failed', 'Error: ImagePullBackOff'),
          ]
    const isNew =
      state.running !== undefined && (!known?.state.running || known.restartCount !== restartCount)
    if (!isNew) return []
    return [
      note('Pulled', `Container image "${image}" already present on machine`),
      note('Created', `Created container: ${name}`),
      note('Started', `Started container ${name}`),
    ]
  })
}

const isUnpulled = (state: ContainerStatus['state'] = {}): boolean =>
  (state.waiting as { readonly reason?: string } | undefined)?.reason === 'ImagePullBackOff'
