import type { KubeApi } from '../../ports/kube-api.js'
import type { Log } from '../../ports/log.js'
import { objectKey } from '../../streams/object-store.js'
import { Mirror } from '../client/mirror.js'
import { type ReconcileResult, Reconciler } from '../client/reconciler.js'
import type { Node, Pod } from '../objects/core.js'
import { DEPLOYMENTS, NODES, PODS, REPLICA_SETS } from '../objects/core-types.js'
import { reconcileDeployment } from './deployments.js'
import { kubeletTask, removePod, startPod } from './kubelet.js'
import { reconcileReplicaSet } from './replica-sets.js'
import type { Deployment, ReplicaSet } from './workloads.js'

/** How workloads behave. */
export interface WorkloadSimulationOptions {
  readonly log: Log
  readonly now: () => number
  /** Milliseconds from a pod's binding until it is ready. */
  readonly podStartMs: number
  /** Told of pods that are no more. */
  readonly podGone?: (pod: Pod) => void
}

/** Deployments become ReplicaSets become pods that run, without a machine under them. */
export class WorkloadSimulation {
  readonly #api: KubeApi
  readonly #options: WorkloadSimulationOptions
  readonly #queue: Reconciler
  readonly #deployments: Mirror<Deployment>
  readonly #replicaSets: Mirror<ReplicaSet>
  readonly #pods: Mirror<Pod>
  readonly #nodes: Mirror<Node>
  /** By pod: when it was first seen, and its address. */
  readonly #started = new Map<string, { readonly at: number; readonly address: string }>()
  #addresses = 0

  constructor(api: KubeApi, options: WorkloadSimulationOptions) {
    this.#api = api
    this.#options = options
    // One at a time: the scheduler must see what it placed before.
    this.#queue = new Reconciler({ log: options.log, concurrency: 1, reconcile: key => this.#reconcile(key) })
    this.#deployments = new Mirror<Deployment>(api, DEPLOYMENTS, change => {
      if (change.type !== 'SYNCED') this.#queue.add(`deployment ${objectKey(change.object)}`)
    })
    this.#replicaSets = new Mirror<ReplicaSet>(api, REPLICA_SETS, change => {
      if (change.type === 'SYNCED') return
      this.#queue.add(`replicaset ${objectKey(change.object)}`)
      this.#addOwner('deployment', change.object)
    })
    this.#pods = new Mirror<Pod>(api, PODS, change => {
      if (change.type === 'SYNCED') return
      if (change.type === 'DELETED') {
        this.#started.delete(objectKey(change.object))
        options.podGone?.(change.object)
      } else this.#queue.add(`pod ${objectKey(change.object)}`)
      this.#addOwner('replicaset', change.object)
    })
    this.#nodes = new Mirror<Node>(api, NODES, () => this.#retryWaiting())
  }

  async close(): Promise<void> {
    for (const mirror of [this.#deployments, this.#replicaSets, this.#pods, this.#nodes]) mirror.close()
    await this.#queue.close()
  }

  #addOwner(kind: string, { metadata }: Pod | ReplicaSet): void {
    const owner = metadata.ownerReferences?.find(({ controller }) => controller)
    if (owner) this.#queue.add(`${kind} ${metadata.namespace}/${owner.name}`)
  }

  /** A change of the nodes may make room: pods that found none are made again by their ReplicaSet. */
  #retryWaiting(): void {
    for (const pod of this.#pods.store.values()) if (!pod.spec?.nodeName) this.#addOwner('replicaset', pod)
  }

  async #reconcile(item: string): Promise<ReconcileResult> {
    const [kind = '', key = ''] = item.split(' ')
    const now = this.#options.now()
    if (kind === 'deployment') {
      const deployment = this.#deployments.store.get(key)
      if (deployment && !deployment.metadata.deletionTimestamp)
        await reconcileDeployment(this.#api, deployment, [...this.#replicaSets.store.values()], now)
    } else if (kind === 'replicaset') {
      const replicaSet = this.#replicaSets.store.get(key)
      if (replicaSet && !replicaSet.metadata.deletionTimestamp)
        await reconcileReplicaSet(
          this.#api,
          replicaSet,
          [...this.#pods.store.values()],
          [...this.#nodes.store.values()],
        )
    } else return this.#reconcilePod(key)
    return undefined
  }

  async #reconcilePod(key: string): Promise<ReconcileResult> {
    const pod = this.#pods.store.get(key)
    const task = pod && kubeletTask(pod)
    if (!pod || !task) return undefined
    if (task === 'remove') {
      await removePod(this.#api, pod)
      return undefined
    }
    const { at, address } = this.#start(key)
    const startsIn = at + this.#options.podStartMs - this.#options.now()
    if (startsIn > 0) return { again: startsIn }
    await startPod(this.#api, pod, address, this.#options.now())
    return undefined
  }

  /** Addresses are 10.244.x.y, each pod its own. */
  #start(key: string): { readonly at: number; readonly address: string } {
    const known = this.#started.get(key)
    if (known) return known
    const number = ++this.#addresses
    const start = { at: this.#options.now(), address: `10.244.${(number >> 8) & 255}.${number & 255}` }
    this.#started.set(key, start)
    return start
  }
}
