import type { DescService } from '@bufbuild/protobuf'
import { afterAll, beforeAll } from 'vitest'
import { type KubeObject, resourcePath } from '../../../manifests/kube.js'
import { isNotFound } from '../../../manifests/status-error.js'
import { DEFAULT_MONITOR_TIMES } from '../../../playground/karmada/member-monitor.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import { letIn, type PlaygroundProxy, startPlaygroundProxy } from '../../http/proxy/playground-proxy.js'
import { eventually } from './eventually.js'
import { Wires } from './wires.js'

type Type = Parameters<typeof resourcePath>[0]
type Key = { readonly namespace?: string; readonly name: string }

/** Types that tests write without the management API. */
export const TYPES = {
  policies: { group: 'policy.karmada.io', version: 'v1alpha1', resource: 'propagationpolicies' },
  clusterPolicies: {
    group: 'policy.karmada.io',
    version: 'v1alpha1',
    resource: 'clusterpropagationpolicies',
  },
  overridePolicies: { group: 'policy.karmada.io', version: 'v1alpha1', resource: 'overridepolicies' },
  clusterOverridePolicies: {
    group: 'policy.karmada.io',
    version: 'v1alpha1',
    resource: 'clusteroverridepolicies',
  },
  federatedHpas: { group: 'autoscaling.karmada.io', version: 'v1alpha1', resource: 'federatedhpas' },
  clusters: { group: 'cluster.karmada.io', version: 'v1alpha1', resource: 'clusters' },
  definitions: { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' },
  deployments: { group: 'apps', version: 'v1', resource: 'deployments' },
  replicaSets: { group: 'apps', version: 'v1', resource: 'replicasets' },
  statefulSets: { group: 'apps', version: 'v1', resource: 'statefulsets' },
  daemonSets: { group: 'apps', version: 'v1', resource: 'daemonsets' },
  jobs: { group: 'batch', version: 'v1', resource: 'jobs' },
  cronJobs: { group: 'batch', version: 'v1', resource: 'cronjobs' },
  pods: { group: '', version: 'v1', resource: 'pods' },
  configMaps: { group: '', version: 'v1', resource: 'configmaps' },
  secrets: { group: '', version: 'v1', resource: 'secrets' },
  services: { group: '', version: 'v1', resource: 'services' },
  namespaces: { group: '', version: 'v1', resource: 'namespaces' },
  ingresses: { group: 'networking.k8s.io', version: 'v1', resource: 'ingresses' },
  ingressClasses: { group: 'networking.k8s.io', version: 'v1', resource: 'ingressclasses' },
  events: { group: '', version: 'v1', resource: 'events' },
  roleBindings: { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'rolebindings' },
} as const satisfies Record<string, Type>

/** Members are noticed to be down, up again, or to serve new types within seconds: waiting as Karmada does would test nothing more. */
const MEMBER_TIMES = {
  ...DEFAULT_MONITOR_TIMES,
  probe: 1_000,
  discovery: 1_000,
  thresholds: { success: 1_000, failure: 1_000 },
}

/** A playground that runs while the tests of a file do. */
interface Running {
  world: PlaygroundProxy | undefined
}

/** One service of the management API over a playground of one instance with two members; for all tests of a file. */
export class ManagedWorld<S extends DescService> {
  readonly #running: Running
  /** Calls of the administrator. */
  calls!: Wires<S>
  /** Calls of somebody who may only read. */
  viewer!: Wires<S>

  /** @param running the playground of another service, where they share one */
  constructor(service: S, running?: Running) {
    this.#running = running ?? { world: undefined }
    if (!running)
      beforeAll(async () => {
        this.#running.world = await startPlaygroundProxy({ members: 2, memberTimes: MEMBER_TIMES })
        await letIn(this.#running.world)
      })
    beforeAll(() => {
      const { api, playground } = this.world
      this.calls = new Wires(api, service, playground.tokens.admin)
      this.viewer = this.calls.as(playground.tokens.viewer)
    })
    // In reverse order of their declaration, so what started the playground ends it last.
    afterAll(async () => {
      this.calls?.close()
      this.viewer?.close()
      if (!running) await this.#running.world?.close()
    })
  }

  /** Another service over the same playground: starting one takes longer than most tests. */
  of<T extends DescService>(service: T): ManagedWorld<T> {
    return new ManagedWorld(service, this.#running)
  }

  get world(): PlaygroundProxy {
    const { world } = this.#running
    if (!world) throw new Error('the playground has not started')
    return world
  }

  get instance(): string {
    return this.world.instance
  }

  /** The members' names, sorted. */
  get members(): readonly string[] {
    return [...this.world.playground.members.keys()].sort()
  }

  /** The control plane, past the management API. */
  get control(): KubeApi {
    return this.world.playground.karmadas.get(this.instance)!.server.local
  }

  member(name: string) {
    return this.world.playground.members.get(name)!.server
  }

  /** Everything that has been logged, audit records included. */
  log(): readonly object[] {
    return this.world.log.lines
  }

  /** An object in a cluster; undefined where it is not. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into objects freely
  async find(api: KubeApi, type: Type, key: Key): Promise<any> {
    try {
      return await api.request({ method: 'GET', path: resourcePath(type, key) })
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }

  create<T extends object>(
    api: KubeApi,
    type: Type,
    object: T,
    namespace = 'default',
  ): Promise<T & KubeObject> {
    const path = resourcePath(type, isClusterWide(type) ? {} : { namespace })
    return api.request({ method: 'POST', path, body: object })
  }

  patch(api: KubeApi, type: Type, key: Key, body: object, subresource?: string): Promise<KubeObject> {
    return api.request({
      method: 'PATCH',
      path: resourcePath(type, { ...key, ...(subresource && { subresource }) }),
      contentType: 'application/merge-patch+json',
      body,
    })
  }

  remove(api: KubeApi, type: Type, key: Key): Promise<unknown> {
    return api.request({ method: 'DELETE', path: resourcePath(type, key) })
  }

  /** A policy that divides what it selects by replicas over both members, or duplicates it. */
  async place(
    kind: string,
    name: string,
    { apiVersion = 'v1', namespace = 'default', divided = false, more = {} } = {},
  ): Promise<void> {
    await this.create(
      this.control,
      TYPES.policies,
      {
        apiVersion: 'policy.karmada.io/v1alpha1',
        kind: 'PropagationPolicy',
        metadata: { name: `${name}-${kind.toLowerCase()}` },
        spec: {
          resourceSelectors: [{ apiVersion, kind, name }],
          placement: divided ? { replicaScheduling: { replicaSchedulingType: 'Divided' } } : {},
          ...more,
        },
      },
      namespace,
    )
  }

  /** Waits until an object is in a cluster as it should be. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into objects freely
  in(cluster: string, type: Type, key: Key, isSo: (object: any) => boolean = () => true): Promise<any> {
    const api = cluster === this.instance ? this.control : this.member(cluster).local
    return eventually(`${type.resource} ${key.name} in ${cluster}`, async () => {
      const found = await this.find(api, type, key)
      return found && isSo(found) ? found : undefined
    })
  }

  /** Waits until an object is not in a cluster. */
  async gone(cluster: string, type: Type, key: Key): Promise<void> {
    const api = cluster === this.instance ? this.control : this.member(cluster).local
    await eventually(
      `no ${type.resource} ${key.name} in ${cluster}`,
      async () => !(await this.find(api, type, key)),
    )
  }
}

const CLUSTER_WIDE: ReadonlySet<Type> = new Set([
  ...[TYPES.namespaces, TYPES.definitions, TYPES.ingressClasses],
  ...[TYPES.clusterPolicies, TYPES.clusterOverridePolicies],
])
const isClusterWide = (type: Type): boolean => CLUSTER_WIDE.has(type)
