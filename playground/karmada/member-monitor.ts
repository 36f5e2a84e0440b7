import {
  type ApiEnablement,
  CLUSTERS,
  type Cluster,
  type ClusterStatus,
} from '../../karmada/objects/cluster.js'
import type { Condition, KubeObject } from '../../manifests/kube.js'
import { StatusError } from '../../manifests/status-error.js'
import type { KubeApi, KubeConnector } from '../../ports/kube-api.js'
import type { Log } from '../../ports/log.js'
import { equal, type Json } from '../apimachinery/json.js'
import { discover } from '../client/discovery.js'
import { Mirror } from '../client/mirror.js'
import { update } from '../client/write.js'
import { conditionOf, type Observed, setConditions } from '../objects/conditions.js'
import type { Node, Pod } from '../objects/core.js'
import { CUSTOM_RESOURCE_DEFINITIONS, NODES, PODS } from '../objects/core-types.js'
import { timestamp } from '../objects/timestamp.js'
import {
  apiEnablementsCondition,
  type Health,
  ReadinessThreshold,
  readyCondition,
  type Thresholds,
} from './cluster-health.js'
import { nodeSummary, resourceSummary } from './cluster-summary.js'
import { accessTo } from './member-client.js'

/** How often and how patiently members are looked at, milliseconds. */
export interface MonitorTimes {
  /** Between two probes; Karmada's `--cluster-status-update-frequency` is 10 s. */
  readonly probe: number
  /** Discovery is read again so often, and when the member's CRDs change; Karmada asks with every probe. */
  readonly discovery: number
  /** After a change in the member, before its status is computed anew. */
  readonly settle: number
  readonly thresholds: Thresholds
}

/** Karmada's defaults, except that changes are reported within a second and readiness flips after 10 s instead of 30 s. */
export const DEFAULT_MONITOR_TIMES: MonitorTimes = {
  probe: 10_000,
  discovery: 60_000,
  settle: 1_000,
  thresholds: { success: 10_000, failure: 10_000 },
}

/** What a monitor needs besides its cluster. */
export interface MonitorOptions {
  readonly control: KubeApi
  readonly connector: KubeConnector
  readonly log: Log
  readonly now: () => number
  readonly times: MonitorTimes
}

interface Connection {
  readonly api: KubeApi
  readonly credential: string
  readonly nodes: Mirror<Node>
  readonly pods: Mirror<Pod>
  readonly definitions: Mirror<KubeObject>
}

/** Keeps the status of one Push member current: probes it, mirrors its nodes and pods, and writes only what changed. */
export class MemberMonitor {
  #cluster: Cluster
  readonly #options: MonitorOptions
  readonly #threshold: ReadinessThreshold
  readonly #abort = new AbortController()
  #connection: Connection | undefined
  #enablements:
    | { readonly list: readonly ApiEnablement[]; readonly partial: boolean; readonly at: number }
    | undefined
  /** Of the nodes and pods as they are; absent after a change of them, or of the resource models. */
  #summary: Pick<ClusterStatus, 'nodeSummary' | 'resourceSummary'> | undefined
  /** Whether types came or went since discovery was asked. */
  #typesChanged = false
  #timer: NodeJS.Timeout | undefined
  #round: Promise<void> | undefined
  #soon = false

  constructor(cluster: Cluster, options: MonitorOptions) {
    this.#cluster = cluster
    this.#options = options
    this.#threshold = new ReadinessThreshold(options.times.thresholds)
    this.#run()
  }

  /** Of the Cluster that it monitors. */
  get uid(): string | undefined {
    return this.#cluster.metadata.uid
  }

  /** Takes a newer state of the Cluster; a new generation is acted on at once. */
  refresh(cluster: Cluster): void {
    const changed = cluster.metadata.generation !== this.#cluster.metadata.generation
    this.#cluster = cluster
    if (!changed) return
    this.#summary = undefined
    this.#scheduleSoon(0)
  }

  async close(): Promise<void> {
    this.#abort.abort()
    clearTimeout(this.#timer)
    await this.#round
    await this.#disconnect()
  }

  #run(): void {
    clearTimeout(this.#timer)
    this.#soon = false
    this.#round = this.#look()
      .catch(error => {
        if (!this.#abort.signal.aborted)
          this.#options.log.warn(
            { cluster: this.#cluster.metadata.name, error },
            'collecting cluster status failed',
          )
      })
      .finally(() => {
        this.#round = undefined
        this.#schedule(this.#options.times.probe)
      })
  }

  #schedule(milliseconds: number): void {
    if (this.#abort.signal.aborted) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#run(), this.#soon ? this.#options.times.settle : milliseconds)
  }

  /** Brings the next round forward. */
  #scheduleSoon(milliseconds: number): void {
    if (this.#soon) return
    this.#soon = true
    if (!this.#round) this.#schedule(milliseconds)
  }

  async #look(): Promise<void> {
    const health = await this.#probe()
    if (this.#abort.signal.aborted) return
    const current = conditionOf(this.#cluster.status?.conditions, 'Ready')
    const ready = this.#threshold.adjust(readyCondition(health), current, this.#options.now())
    if (health === 'healthy' && ready.status === 'True') await this.#report(await this.#collect(), ready)
    else await this.#report({}, ready)
  }

  async #probe(): Promise<Health> {
    try {
      await this.#connect()
    } catch (error) {
      await this.#disconnect()
      return { uncollectable: (error as Error).message }
    }
    const first = await this.#ask('/readyz')
    return first === 'absent' ? ((await this.#ask('/healthz')) as Health) : first
  }

  async #ask(path: string): Promise<Exclude<Health, object> | 'absent'> {
    const { signal } = this.#abort
    try {
      await this.#connection?.api.request({ method: 'GET', path, signal, timeoutMs: 5_000 })
      return 'healthy'
    } catch (error) {
      if (error instanceof StatusError && error.code === 404)
        return path === '/readyz' ? 'absent' : 'unhealthy'
      return error instanceof StatusError && error.code >= 500 ? 'unhealthy' : 'unreachable'
    }
  }

  /** Connects, or connects anew when endpoint or credentials changed. */
  async #connect(): Promise<void> {
    const { control, connector } = this.#options
    const { credential, connect } = await accessTo(control, this.#cluster)
    if (this.#connection?.credential === credential) return
    const api = await connect(connector)
    await this.#disconnect()
    const onChange = () => {
      this.#summary = undefined
      this.#scheduleSoon(this.#options.times.settle)
    }
    const nodes = new Mirror<Node>(api, NODES, onChange)
    const pods = new Mirror<Pod>(api, PODS, onChange)
    const definitions = new Mirror<KubeObject>(api, CUSTOM_RESOURCE_DEFINITIONS, () => {
      this.#typesChanged = true
      onChange()
    })
    this.#connection = { api, credential, nodes, pods, definitions }
  }

  async #disconnect(): Promise<void> {
    const connection = this.#connection
    this.#connection = undefined
    this.#enablements = undefined
    this.#summary = undefined
    connection?.nodes.close()
    connection?.pods.close()
    connection?.definitions.close()
    await connection?.api.close()
  }

  async #collect(): Promise<ClusterStatus> {
    const { api, nodes, pods } = this.#connection as Connection
    const { signal } = this.#abort
    const { gitVersion } = await api.request<{ gitVersion: string }>({
      method: 'GET',
      path: '/version',
      signal,
    })
    const enablements = await this.#discover(api)
    const status = { kubernetesVersion: gitVersion, apiEnablements: enablements.list }
    if (!nodes.store.synced || !pods.store.synced) return status
    this.#summary ??= this.#summarize([...nodes.store.values()], [...pods.store.values()])
    return { ...status, ...this.#summary }
  }

  #summarize(nodes: readonly Node[], pods: readonly Pod[]) {
    const models = this.#cluster.spec.resourceModels
    return { nodeSummary: nodeSummary(nodes), resourceSummary: resourceSummary(nodes, pods, models) }
  }

  async #discover(api: KubeApi) {
    const now = this.#options.now()
    const known = this.#enablements
    if (known && !this.#typesChanged && now < known.at + this.#options.times.discovery) return known
    this.#typesChanged = false
    const { types, stale } = await discover(api, this.#abort.signal)
    const groups = new Map<string, { name: string; kind: string }[]>()
    for (const { group, version, resource, kind } of types) {
      const groupVersion = group === '' ? version : `${group}/${version}`
      groups.set(groupVersion, [...(groups.get(groupVersion) ?? []), { name: resource, kind }])
    }
    const list = [...groups]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([groupVersion, resources]) => ({
        groupVersion,
        resources: resources.sort((one, other) => (one.name < other.name ? -1 : 1)),
      }))
    this.#enablements = { list, partial: stale.size > 0, at: now }
    return this.#enablements
  }

  async #report(collected: ClusterStatus, ready: Observed): Promise<void> {
    const { control, now } = this.#options
    const { name } = this.#cluster.metadata
    const enablements = collected.apiEnablements && this.#enablements
    const conditions: Observed[] = [
      ...(enablements ? [apiEnablementsCondition(enablements.list.length, enablements.partial)] : []),
      ready,
    ]
    await update<Cluster>(control, CLUSTERS, { name, subresource: 'status' }, cluster => {
      const before = cluster.status ?? {}
      const after: ClusterStatus = {
        ...before,
        ...collected,
        conditions: setConditions(
          before.conditions as readonly Condition[] | undefined,
          conditions,
          timestamp(now()),
        ),
      }
      return equal(before as unknown as Json, after as unknown as Json)
        ? cluster
        : { ...cluster, status: after }
    })
  }
}
