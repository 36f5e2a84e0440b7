import { isNotFound, StatusError } from '../../manifests/status-error.js'
import type { KubeApi } from '../../ports/kube-api.js'
import type { Log } from '../../ports/log.js'
import { type DiscoveredType, discover } from '../client/discovery.js'
import type { Observed } from '../objects/conditions.js'
import type { LostObjects, Stalls } from './faults.js'
import type { FleetIndex } from './index/fleet-index.js'
import type { IndexedType } from './index/resource-index.js'
import { negotiate } from './negotiate.js'
import type { GroupResources, GroupResourcesStatus, PediaClusterStatus } from './pedia-cluster.js'
import { ResourceSynchro } from './resource-synchro.js'

/** How often things are looked at, milliseconds. Clusterpedia probes every 5 s with up to half as much again. */
export interface SynchroTimes {
  readonly health: number
  readonly discovery: number
}
export const DEFAULT_SYNCHRO_TIMES: SynchroTimes = { health: 5_000, discovery: 20_000 }
const PROBE_TIMEOUT_MS = 5_000

/** What a synchro needs besides its cluster. */
export interface SynchroOptions {
  readonly index: FleetIndex
  readonly stalls: Stalls
  readonly now: () => number
  readonly log: Log
  readonly times: SynchroTimes
  /** Something of `status` changed. */
  readonly onStatus: () => void
}

const typeKey = ({ group, version, resource }: IndexedType): string => `${group}/${version}/${resource}`

/** Indexes one cluster: probes it, finds out what it serves, and runs a reflector for every type requested. */
export class ClusterSynchro {
  readonly name: string
  readonly #api: KubeApi
  readonly #options: SynchroOptions
  readonly #abort = new AbortController()
  /** In the order requested. */
  #synchros = new Map<string, ResourceSynchro>()
  #types: readonly IndexedType[] = []
  #requested: readonly GroupResources[] = []
  #served: readonly DiscoveredType[] = []
  /** The types that the status showed last, in its order. Discovery is asked again and again, and finds the same ones as a rule. */
  #shown: string | undefined
  #version = ''
  #running = false
  #timers: NodeJS.Timeout[] = []
  #health: Observed = {
    type: 'ClusterHealthy',
    status: 'Unknown',
    reason: 'MonitorStop',
    message: "wait cluster synchro's healthy monitor running",
  }

  constructor(name: string, api: KubeApi, options: SynchroOptions) {
    this.name = name
    this.#api = api
    this.#options = options
  }

  /** Starts probing; collecting begins when the cluster answers. */
  start(): void {
    void this.#probe()
  }

  /** Says what to collect, from now on. What is no longer requested is forgotten. */
  setResources(requested: readonly GroupResources[]): void {
    this.#requested = requested
    if (this.#served.length > 0) this.#refresh()
  }

  /** Deletes what is indexed of a type without saying so (a fault, see `faults.ts`). @returns reads it again */
  loseObjects({ group, resource, keep = 0 }: LostObjects): () => void {
    const synchros = [...this.#synchros.values()].filter(
      ({ type }) => type.group === group && type.resource === resource,
    )
    if (synchros.length === 0) throw new Error(`${resource}.${group} of ${this.name} is not indexed`)
    for (const synchro of synchros) synchro.loseObjects(keep)
    return () => {
      for (const synchro of synchros) synchro.readAgain()
    }
  }

  /** Ends probes and watches. What was indexed stays until the index drops it. */
  async close(): Promise<void> {
    this.#abort.abort()
    for (const timer of this.#timers) clearTimeout(timer)
    for (const synchro of this.#synchros.values()) synchro.close()
    await this.#api.close()
  }

  get healthy(): Observed {
    return this.#health
  }

  /** The types that the read API serves of this cluster. */
  get types(): readonly IndexedType[] {
    return this.#types
  }

  /** version, conditions SynchroRunning and ClusterHealthy, and the types by group. */
  status(): Pick<PediaClusterStatus, 'version' | 'syncResources'> {
    return {
      ...(this.#version && { version: this.#version }),
      ...(this.#served.length > 0 && { syncResources: groupStatuses([...this.#synchros.values()]) }),
    }
  }

  async #probe(): Promise<void> {
    const failure = await this.#ready()
    if (this.#abort.signal.aborted) return
    if (failure) this.#failed(failure)
    else await this.#succeeded()
    if (this.#abort.signal.aborted) return
    const pause = this.#options.times.health * (1 + Math.random() / 2)
    this.#timers[0] = setTimeout(() => void this.#probe(), pause)
  }

  async #ready(): Promise<Error | undefined> {
    try {
      await this.#get('/readyz').catch(error => {
        if (isNotFound(error) || (error instanceof StatusError && error.code === 404))
          return this.#get('/healthz')
        throw error
      })
      return undefined
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error))
    }
  }

  #get<T>(path: string): Promise<T> {
    return this.#api.request<T>({
      method: 'GET',
      path,
      timeoutMs: PROBE_TIMEOUT_MS,
      signal: this.#abort.signal,
    })
  }

  /** One failure may be a hiccup; at the second collecting stops. */
  #failed(error: Error): void {
    if (this.#health.status !== 'True') this.#stopRunner()
    this.#setHealth('False', 'NotReachable', error.message)
  }

  async #succeeded(): Promise<void> {
    const wasHealthy = this.#health.status === 'True'
    let message = 'cluster health responded with ok'
    if (!wasHealthy || this.#version === '') {
      try {
        this.#version = (await this.#get<{ gitVersion?: string }>('/version')).gitVersion ?? ''
      } catch (error) {
        message = `${message}, but get server version: ${(error as Error).message}`
      }
    }
    if (this.#abort.signal.aborted) return
    this.#setHealth('True', 'Healthy', message)
    if (!this.#running) await this.#startRunner()
  }

  #setHealth(status: Observed['status'], reason: string, message: string): void {
    const before = this.#health
    if (before.status === status && before.reason === reason && before.message === message) return
    this.#health = { type: 'ClusterHealthy', status, reason, message }
    this.#options.onStatus()
  }

  async #startRunner(): Promise<void> {
    this.#running = true
    await this.#discover()
    for (const synchro of this.#synchros.values()) if (this.#running) synchro.start()
  }

  #stopRunner(): void {
    if (!this.#running) return
    this.#running = false
    clearTimeout(this.#timers[1])
    for (const synchro of this.#synchros.values()) synchro.stop()
  }

  async #discover(): Promise<void> {
    try {
      const { types, stale } = await discover(this.#api, this.#abort.signal)
      // A group whose server is away is not a group that is gone: what was known of it stays known.
      const kept = this.#served.filter(
        known => stale.has(`${known.group}/${known.version}`) && !types.some(type => isSame(type, known)),
      )
      this.#served = [...types, ...kept]
    } catch (error) {
      if (!this.#abort.signal.aborted)
        this.#options.log.warn({ cluster: this.name, error }, 'discovery of an indexed cluster failed')
    }
    if (this.#abort.signal.aborted || !this.#running) return
    this.#refresh()
    this.#timers[1] = setTimeout(() => void this.#discover(), this.#options.times.discovery)
  }

  /** Brings the running synchros in line with what is requested and served. */
  #refresh(): void {
    const wanted = negotiate(this.#requested, this.#served)
    const before = this.#synchros
    this.#synchros = new Map(
      wanted.map(type => [typeKey(type), before.get(typeKey(type)) ?? this.#newSynchro(type)]),
    )
    this.#types = Array.from(this.#synchros.values(), ({ type }) => type)
    for (const [key, synchro] of before) {
      if (this.#synchros.has(key)) continue
      synchro.close()
      this.#options.index.dropTable(this.name, synchro.type)
    }
    for (const synchro of this.#synchros.values()) if (this.#running) synchro.start()
    const shown = this.#served.length === 0 ? undefined : [...this.#synchros.keys()].join()
    if (shown === this.#shown) return
    this.#shown = shown
    this.#options.onStatus()
  }

  #newSynchro({ group, version, resource, kind, namespaced }: IndexedType): ResourceSynchro {
    const type = { group, version, resource, kind, namespaced }
    const { index, stalls, now, onStatus } = this.#options
    const holdsBack = (takeIn: () => void) => stalls.holdsBack(this.name, takeIn)
    return new ResourceSynchro(type, this.#api, index.table(this.name, type), { now, onStatus, holdsBack })
  }
}

const isSame = (one: DiscoveredType, other: DiscoveredType): boolean =>
  one.group === other.group && one.version === other.version && one.resource === other.resource

function groupStatuses(synchros: readonly ResourceSynchro[]): readonly GroupResourcesStatus[] {
  const groups = new Map<string, Map<string, GroupResourcesStatus['resources'][number]>>()
  for (const { type, status } of synchros) {
    const resources = groups.get(type.group) ?? new Map()
    groups.set(type.group, resources)
    const { kind, namespaced, resource: name } = type
    const before = resources.get(name)?.syncConditions ?? []
    resources.set(name, { name, kind, namespaced, syncConditions: [...before, status] })
  }
  return [...groups].map(([group, resources]) => ({ group, resources: [...resources.values()] }))
}
