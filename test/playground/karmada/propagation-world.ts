import { kubeConnector } from '../../../actors/kube/connector.js'
import type { Resource } from '../../../karmada/interpreter/workload.js'
import { CLUSTERS, type Cluster } from '../../../karmada/objects/cluster.js'
import { BINDINGS, type Binding } from '../../../karmada/objects/resource-binding.js'
import { WORKS, type Work } from '../../../karmada/objects/work.js'
import { type GroupVersionResource, type KubeObject, resourcePath } from '../../../manifests/kube.js'
import { read } from '../../../playground/client/write.js'
import { type Karmada, type KarmadaOptions, startKarmada } from '../../../playground/karmada/control-plane.js'
import { join } from '../../../playground/karmada/join.js'
import { type Member, type MemberOptions, startMember } from '../../../playground/member/member.js'
import { conditionOf } from '../../../playground/objects/conditions.js'
import { DEPLOYMENTS } from '../../../playground/objects/core-types.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import { silent } from '../../silent.js'
import { eventually } from '../eventually.js'

/** A type of policy.karmada.io. */
export const policyType = (resource: string): GroupVersionResource => ({
  group: 'policy.karmada.io',
  version: 'v1alpha1',
  resource,
})
export const POLICIES = policyType('propagationpolicies')
export const CLUSTER_POLICIES = policyType('clusterpropagationpolicies')

/** A control plane with members that are ready, for tests of propagation. */
export class PropagationWorld {
  private constructor(
    readonly karmada: Karmada,
    readonly members: ReadonlyMap<string, Member>,
  ) {}

  /** @param nodesOf the nodes of members that are to have others than usual */
  static async start(
    names: readonly string[],
    options: Partial<KarmadaOptions> = {},
    nodesOf: Readonly<Record<string, MemberOptions['nodes']>> = {},
  ): Promise<PropagationWorld> {
    const times = { probe: 50, discovery: 60_000, settle: 10, thresholds: { success: 0, failure: 0 } }
    const karmada = await startKarmada({
      name: 'k',
      connector: kubeConnector(),
      log: silent,
      times,
      ...options,
    })
    const members = new Map<string, Member>()
    const world = new PropagationWorld(karmada, members)
    for (const name of names) {
      const { server } = await startMember({
        name,
        log: silent,
        podStartMs: 0,
        ...(nodesOf[name] && { nodes: nodesOf[name] }),
      }).then(member => {
        members.set(name, member)
        return member
      })
      const { control } = world
      await join({ control, member: server.local, name, apiEndpoint: server.url, region: 'eu' })
    }
    await eventually('all members to be ready and without taints', async () => {
      const clusters = await Promise.all(names.map(name => world.cluster(name)))
      return clusters.every(one => one && !one.spec.taints && one.status?.resourceSummary)
    })
    return world
  }

  async close(): Promise<void> {
    await this.karmada.close()
    for (const one of this.members.values()) await one.close()
  }

  get control(): KubeApi {
    return this.karmada.server.local
  }

  member(name: string): KubeApi {
    return (this.members.get(name) as Member).server.local
  }

  cluster(name: string): Promise<Cluster | undefined> {
    return read<Cluster>(this.control, CLUSTERS, { name })
  }

  /** The binding of a Deployment, or of another kind. */
  binding(name: string, kind = 'deployment', namespace = 'default'): Promise<Binding | undefined> {
    return read<Binding>(this.control, BINDINGS.namespaced.type, { namespace, name: `${name}-${kind}` })
  }

  inMember(
    cluster: string,
    name: string,
    type: GroupVersionResource = DEPLOYMENTS,
    namespace = 'default',
  ): Promise<Resource | undefined> {
    return read<Resource>(this.member(cluster), type, { namespace, name })
  }

  template(name: string, type: GroupVersionResource = DEPLOYMENTS): Promise<Resource | undefined> {
    return read<Resource>(this.control, type, { namespace: 'default', name })
  }

  async worksOf(binding: Binding): Promise<readonly Work[]> {
    const { id } = BINDINGS.namespaced
    const query = { labelSelector: `${id}=${binding.metadata.labels?.[id]}` }
    const path = resourcePath(WORKS)
    return (await this.control.request<{ items: Work[] }>({ method: 'GET', path, query })).items
  }

  async isEverywhere(name: string): Promise<boolean> {
    return conditionOf((await this.binding(name))?.status?.conditions, 'FullyApplied')?.status === 'True'
  }
}

/** A Deployment of pods that each run one container. */
export const deployment = (
  name: string,
  replicas: number,
  namespace = 'default',
  pod: object = {},
): KubeObject =>
  ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace, labels: { app: name } },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: 'web', image: 'nginx:1.27' }], ...pod },
      },
    },
  }) as KubeObject

/** A PropagationPolicy for one object, called as the object with `p-` before it. */
export const policyFor = (
  kind: string,
  name: string,
  placement: object,
  rest: object = {},
  namespace = 'default',
): KubeObject =>
  ({
    apiVersion: 'policy.karmada.io/v1alpha1',
    kind: 'PropagationPolicy',
    metadata: { name: `p-${name}`, namespace },
    spec: {
      resourceSelectors: [{ apiVersion: kind === 'Deployment' ? 'apps/v1' : 'v1', kind, name }],
      placement,
      ...rest,
    },
  }) as unknown as KubeObject

/** A placement that divides replicas by fixed weights. */
export const divided = (...weights: readonly [string, number][]) => ({
  clusterAffinity: { clusterNames: weights.map(([name]) => name) },
  replicaScheduling: {
    replicaSchedulingType: 'Divided',
    weightPreference: {
      staticWeightList: weights.map(([name, weight]) => ({
        targetCluster: { clusterNames: [name] },
        weight,
      })),
    },
  },
})

/** A placement that gives all replicas to each of some clusters. */
export const duplicated = (...clusterNames: readonly string[]) => ({ clusterAffinity: { clusterNames } })
