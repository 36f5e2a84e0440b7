import type { KubeApi } from '../../ports/kube-api.js'
import { DEFAULT_GIT_VERSION } from '../apiserver/endpoints/version.js'
import { ensure, remove, update } from '../client/write.js'
import type { Node, NodeCondition } from '../objects/core.js'
import { NODES } from '../objects/core-types.js'
import { timestamp } from '../objects/timestamp.js'

/** One simulated machine. Quantities as a kubelet would report them. */
export interface NodeShape {
  readonly name: string
  readonly cpu: string
  readonly memory: string
  readonly pods: string
  readonly labels?: Readonly<Record<string, string>>
}

/** All fields are required. Those that a simulated machine has nothing for are empty. */
const NODE_INFO = {
  machineID: '',
  systemUUID: '',
  bootID: '',
  kernelVersion: '',
  osImage: '',
  containerRuntimeVersion: '',
  kubeletVersion: DEFAULT_GIT_VERSION,
  kubeProxyVersion: '',
  operatingSystem: 'linux',
  architecture: 'amd64',
}

type Readiness = Required<Pick<NodeCondition, 'status' | 'reason' | 'message'>>

const READY: Readiness = {
  status: 'True',
  reason: 'KubeletReady',
  message: 'kubelet is posting ready status',
}
const NOT_READY: Readiness = {
  status: 'False',
  reason: 'KubeletNotReady',
  message: 'the simulated kubelet was stopped',
}

/**
 * Simulated nodes. A real kubelet renews a Lease every 10 s; here a node stays ready until `setReady(name, false)`, so that an
 * idle cluster writes nothing.
 */
export class NodeSimulation {
  readonly #api: KubeApi
  readonly #now: () => number

  constructor(api: KubeApi, now: () => number) {
    this.#api = api
    this.#now = now
  }

  /** Makes the nodes that are not there yet. */
  async ensure(shapes: readonly NodeShape[]): Promise<void> {
    for (const shape of shapes) await this.add(shape)
  }

  async add(shape: NodeShape): Promise<void> {
    const { name, cpu, memory, pods } = shape
    const resources = { cpu, memory, pods, 'ephemeral-storage': '100Gi' }
    await ensure<Node>(this.#api, NODES, {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels: { 'kubernetes.io/hostname': name, ...shape.labels } },
    })
    await update<Node>(this.#api, NODES, { name, subresource: 'status' }, node =>
      node.status?.conditions
        ? node
        : {
            ...node,
            status: {
              capacity: resources,
              allocatable: resources,
              conditions: [this.#condition(READY)],
              nodeInfo: NODE_INFO,
            },
          },
    )
  }

  /** Stops a node's kubelet: what runs there is not known any more. A real cluster notices it after 50 s. */
  async stop(name: string): Promise<void> {
    await this.#report(name, {
      status: 'Unknown',
      reason: 'NodeStatusUnknown',
      message: 'Kubelet stopped posting node status.',
    })
  }

  /** Has a node report that it is not ready, or that it is ready again. */
  async setReady(name: string, isReady: boolean): Promise<void> {
    await this.#report(name, isReady ? READY : NOT_READY)
  }

  async remove(name: string): Promise<void> {
    await remove(this.#api, NODES, { name })
  }

  async #report(name: string, ready: Readiness): Promise<void> {
    await update<Node>(this.#api, NODES, { name, subresource: 'status' }, node => ({
      ...node,
      status: { ...node.status, conditions: [this.#condition(ready)] },
    }))
  }

  #condition(ready: Readiness): NodeCondition {
    const now = timestamp(this.#now())
    return { type: 'Ready', ...ready, lastHeartbeatTime: now, lastTransitionTime: now }
  }
}
