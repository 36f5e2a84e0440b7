import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join as joinPath } from 'node:path'
import { kubeConnector } from '../../../actors/kube/connector.js'
import { REBALANCERS } from '../../../karmada/eviction/rebalance.js'
import type { Resource } from '../../../karmada/interpreter/workload.js'
import { CLUSTERS, type Cluster, type Taint } from '../../../karmada/objects/cluster.js'
import type { Placement } from '../../../karmada/objects/placement.js'
import { BINDINGS, type Binding } from '../../../karmada/objects/resource-binding.js'
import { WORKS, type Work } from '../../../karmada/objects/work.js'
import { type GroupVersionResource, type KubeObject, resourcePath } from '../../../manifests/kube.js'
import { type Difference, Source } from '../../../playground/client/source.js'
import { ensure, remove, update } from '../../../playground/client/write.js'
import { type Karmada, startKarmada } from '../../../playground/karmada/control-plane.js'
import { join } from '../../../playground/karmada/join.js'
import { type Member, startMember } from '../../../playground/member/member.js'
import type { Node, Pod } from '../../../playground/objects/core.js'
import { DEPLOYMENTS, NODES, PODS } from '../../../playground/objects/core-types.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import { silent } from '../../silent.js'
import { Crash } from './crash.js'
import { type Change, MEMBERS, TEMPLATES } from './placement-histories.js'
import { deployment, POLICIES, policyFor } from './propagation-world.js'

const times = { probe: 50, discovery: 60_000, settle: 10, thresholds: { success: 0, failure: 0 } }

/** What the changes so far ask for. */
export interface Wanted {
  readonly replicas: ReadonlyMap<string, number>
  readonly placements: ReadonlyMap<string, Placement>
  readonly taints: ReadonlyMap<string, readonly Taint[]>
}

/** What there is, read once. */
export interface Seen {
  readonly bindings: readonly Binding[]
  readonly works: readonly Work[]
  readonly templates: readonly Resource[]
  readonly clusters: readonly Cluster[]
  readonly members: ReadonlyMap<string, SeenMember>
}
export interface SeenMember {
  readonly deployments: readonly Resource[]
  readonly pods: readonly Pod[]
  readonly nodes: readonly Node[]
}

/** A control plane that can crash, its members, and what the changes made so far ask for. */
export class PlacementWorld {
  readonly #folder: string
  readonly #members = new Map<string, Member>()
  readonly #replicas = new Map<string, number>()
  readonly #placements = new Map<string, Placement>()
  readonly #taints = new Map<string, readonly Taint[]>()
  #karmada: Karmada | undefined
  #bindings: Source<Binding> | undefined
  #rebalanced = 0
  crash = new Crash()
  /** Is called with each write of a binding. */
  onBinding: ((difference: Difference<Binding>) => void) | undefined

  private constructor(folder: string) {
    this.#folder = folder
  }

  static async start(): Promise<PlacementWorld> {
    const world = new PlacementWorld(await mkdtemp(joinPath(tmpdir(), 'placements-')))
    await world.#start()
    for (const [name, cpus] of Object.entries(MEMBERS)) {
      const nodes = cpus.map((cpu, at) => ({
        name: `node-${at}`,
        cpu: String(cpu),
        memory: '64Gi',
        pods: '110',
      }))
      const member = await startMember({ name, log: silent, podStartMs: 0, podStopMs: 0, nodes })
      world.#members.set(name, member)
      const { server } = member
      await join({
        control: world.control,
        member: server.local,
        name,
        apiEndpoint: server.url,
        region: 'eu',
      })
    }
    return world
  }

  async close(): Promise<void> {
    this.#bindings?.close()
    await this.#karmada?.close()
    await Promise.all([...this.#members.values()].map(one => one.close()))
    await rm(this.#folder, { recursive: true })
  }

  /** Ends the controllers, if they have not crashed, and starts them over what is stored. */
  async restart(): Promise<void> {
    this.#bindings?.close()
    await this.#karmada?.close()
    await this.#start()
  }

  async #start(): Promise<void> {
    this.crash = new Crash()
    const { through } = this.crash
    this.#karmada = await startKarmada({
      ...{ name: 'k', connector: kubeConnector(), log: silent, times, dataDir: this.#folder, through },
    })
    const { server } = this.#karmada
    this.#bindings = new Source<Binding>(BINDINGS.namespaced.type)
    this.#bindings.listen(difference => this.onBinding?.(difference))
    this.#bindings.start({ api: server.local, follow: (type, follower) => server.follow(type, follower) })
  }

  get control(): KubeApi {
    return (this.#karmada as Karmada).server.local
  }

  get wanted(): Wanted {
    return {
      replicas: new Map(this.#replicas),
      placements: new Map(this.#placements),
      taints: new Map(this.#taints),
    }
  }

  /** Makes a change, which may be none. */
  async make(change: Change): Promise<void> {
    if ('template' in change) return this.#scale(change.template, change.replicas)
    if ('policyOf' in change) return this.#place(change.policyOf, change.placement)
    if ('clusters' in change) return this.#taint(change.clusters, change.taints)
    if ('rebalance' in change) return this.#rebalance(change.rebalance)
    await this.#drop(change.drop)
  }

  /** Removes all that the changes have made, but for the clusters' members. */
  async removeAll(): Promise<void> {
    for (const name of Object.keys(TEMPLATES)) {
      await this.#drop(name)
      this.#placements.delete(name)
      await remove(this.control, POLICIES, { namespace: 'default', name: `p-${name}` })
    }
    for (const { metadata } of await this.#items(this.control, REBALANCERS))
      await remove(this.control, REBALANCERS, { name: metadata.name })
    await this.#taint(Object.keys(MEMBERS), [])
  }

  async #scale(name: string, replicas: number): Promise<void> {
    this.#replicas.set(name, replicas)
    const requests = { cpu: `${TEMPLATES[name]}m` }
    const pod = { containers: [{ name: 'main', image: 'nginx:1.27', resources: { requests } }] }
    await ensure(this.control, DEPLOYMENTS, deployment(name, replicas, 'default', pod))
    await update<Resource>(this.control, DEPLOYMENTS, { namespace: 'default', name }, one => ({
      ...one,
      spec: { ...one.spec, replicas },
    }))
  }

  async #place(name: string, placement: Placement): Promise<void> {
    this.#placements.set(name, placement)
    const policy = policyFor('Deployment', name, placement)
    await ensure(this.control, POLICIES, policy)
    const { spec } = policy as Resource
    await update<Resource>(this.control, POLICIES, policy.metadata, one => ({
      ...one,
      ...(spec && { spec }),
    }))
  }

  async #taint(names: readonly string[], taints: readonly Taint[]): Promise<void> {
    for (const name of names) {
      this.#taints.set(name, taints)
      await update<Cluster>(this.control, CLUSTERS, { name }, one => ({
        ...one,
        spec: { ...one.spec, taints },
      }))
    }
  }

  async #rebalance(name: string): Promise<void> {
    const workload = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name }
    await ensure(this.control, REBALANCERS, {
      apiVersion: 'apps.karmada.io/v1alpha1',
      kind: 'WorkloadRebalancer',
      metadata: { name: `r${this.#rebalanced++}` },
      spec: { workloads: [workload] },
    } as KubeObject)
  }

  async #drop(name: string): Promise<void> {
    this.#replicas.delete(name)
    await remove(this.control, DEPLOYMENTS, { namespace: 'default', name })
  }

  async see(): Promise<Seen> {
    const { control } = this
    const members = [...this.#members].map(async ([name, { server }]) => {
      const [deployments, pods, nodes] = await Promise.all([
        this.#items<Resource>(server.local, DEPLOYMENTS, 'default'),
        this.#items<Pod>(server.local, PODS, 'default'),
        this.#items<Node>(server.local, NODES),
      ])
      return [name, { deployments, pods, nodes }] as const
    })
    return {
      bindings: await this.#items<Binding>(control, BINDINGS.namespaced.type, 'default'),
      works: (await this.#items<Work>(control, WORKS)).filter(
        ({ spec }) => spec.workload.manifests[0]?.kind === 'Deployment',
      ),
      templates: await this.#items<Resource>(control, DEPLOYMENTS, 'default'),
      clusters: await this.#items<Cluster>(control, CLUSTERS),
      members: new Map(await Promise.all(members)),
    }
  }

  async #items<T extends KubeObject>(
    api: KubeApi,
    type: GroupVersionResource,
    namespace?: string,
  ): Promise<readonly T[]> {
    const path = resourcePath(type, { ...(namespace && { namespace }) })
    return (await api.request<{ items: T[] }>({ method: 'GET', path })).items
  }
}
