import type { KubeConnector } from '../../ports/kube-api.js'
import type { Log } from '../../ports/log.js'
import type { ApiServer } from '../apiserver/server.js'
import { localConnector } from '../client/local-connector.js'
import { ensure } from '../client/write.js'
import {
  type ContainerManagement,
  startContainerManagement,
} from '../container-management/container-management.js'
import { GlobalManagement, offerWorkspaces } from '../global-management/global-management.js'
import { type Karmada, startKarmada } from '../karmada/control-plane.js'
import type { MonitorTimes } from '../karmada/member-monitor.js'
import { DEFAULT_NODES, type Member, startMember } from '../member/member.js'
import type { Namespace } from '../objects/core.js'
import { NAMESPACES } from '../objects/core-types.js'
import { Operator } from '../operator/operator.js'
import { type Credentials, issueCredentials } from './credentials.js'
import { lockFolder } from './folder-lock.js'
import { grantPeople, startHost } from './host.js'
import { inParallel } from './in-parallel.js'
import { bringIn, grantPeopleOnMember, INSTANCE_NAMESPACE, register } from './instances.js'
import { GRANTS, instanceName, memberName, WORKSPACE_NAMES } from './names.js'
import { Places } from './ports.js'

/** How large a playground is, and where it lives. */
export interface PlaygroundOptions {
  /** Karmada instances; 2 by default. */
  readonly instances?: number
  /** Member clusters of each instance; 2 by default. */
  readonly membersPerInstance?: number
  /** Keeps all state below this folder, and continues from it; in memory when absent. */
  readonly dataDir?: string
  readonly connector: KubeConnector
  readonly log: Log
  /** Called with each part that was started. */
  readonly onProgress?: (progress: Progress) => void
  /**
   * Connects the playground's own engines without sockets. For large fleets; see `localConnector` for what is lost. Kairship
   * itself is not affected.
   */
  readonly withoutSockets?: boolean
  /** How often and how patiently control planes look at their members; the times of `DEFAULT_MONITOR_TIMES` unless given. */
  readonly memberTimes?: MonitorTimes
  /** Control planes started at the same time; 8 by default. */
  readonly concurrency?: number
}

/** One more part of the playground is up. */
export interface Progress {
  /** In words, e.g. `Karmada eu-west with 2 members`. */
  readonly started: string
  /** Parts that are up, and how many there will be. */
  readonly done: number
  readonly total: number
}

/** A running fleet: a host cluster, Karmada control planes and their members. */
export interface Playground extends Credentials {
  readonly host: ApiServer
  readonly containerManagement: ContainerManagement
  /** karmada-operator: what Instances ask to be installed comes up here. */
  readonly operator: Operator
  /** By instance name, in the order of the names and not of who was up first. */
  readonly karmadas: ReadonlyMap<string, Karmada>
  /** By cluster name, `<instance>-<letter>`, in the order of their instances. */
  readonly members: ReadonlyMap<string, Member>
  /** Stops everything; no socket, timer or file stays open. Idempotent. */
  close(): Promise<void>
}

/** More instances than this are probed less often: one process plays all of them. */
const MANY = 100
/** Time to see a deleted namespace, and to protect what is in it; kube-controller-manager waits 5 s. */
const NAMESPACE_GRACE_MS = 1_000
const CALM_TIMES = { health: 30_000, discovery: 600_000 } as const

/**
 * Starts a fleet in this process. Kairship itself is not part of it: connect it with the kubeconfigs returned.
 * @throws FolderInUseError when another process keeps its data in `dataDir`
 */
export async function startPlayground(options: PlaygroundOptions): Promise<Playground> {
  const playground = new RunningPlayground(options)
  try {
    return await playground.start()
  } catch (error) {
    await playground.close()
    throw error
  }
}

class RunningPlayground {
  readonly #options: PlaygroundOptions
  /** Gives the data folder back. */
  readonly #unlock: () => void
  readonly #places: Places
  readonly #connector: KubeConnector
  /** By URL. */
  readonly #servers = new Map<string, ApiServer>()
  /** In the order of their start; closed in reverse. */
  readonly #running: { close(): Promise<void> }[] = []
  #closed: Promise<void> | undefined
  #done = 0

  constructor(options: PlaygroundOptions) {
    this.#options = options
    this.#unlock = options.dataDir === undefined ? () => undefined : lockFolder(options.dataDir)
    try {
      this.#places = new Places(options.dataDir)
    } catch (error) {
      this.#unlock()
      throw error
    }
    this.#connector = options.withoutSockets
      ? localConnector(url => this.#servers.get(url), options.connector)
      : options.connector
  }

  async start(): Promise<Playground> {
    const { instances = 2, concurrency = 8 } = this.#options
    const host = await this.#startHost()
    const containerManagement = await this.#startContainerManagement(host)
    const operator = await this.#startOperator(host)
    await this.#startGlobalManagement(host)
    const names = Array.from({ length: instances }, (_, index) => instanceName(index))
    const started = await inParallel(names, concurrency, async name => {
      const instance = await this.#startInstance(name)
      await register(host, instance.karmada)
      return { name, ...instance }
    })
    this.#places.save()
    return {
      host,
      containerManagement,
      operator,
      karmadas: new Map(started.map(({ name, karmada }) => [name, karmada])),
      members: new Map(started.flatMap(({ members }) => members)),
      ...(await issueCredentials(host)),
      close: () => this.close(),
    }
  }

  close(): Promise<void> {
    this.#closed ??= (async () => {
      try {
        for (const part of this.#running.reverse()) await part.close()
      } finally {
        this.#unlock()
      }
    })()
    return this.#closed
  }

  async #startHost(): Promise<ApiServer> {
    const { log } = this.#options
    const host = await startHost({
      name: 'host',
      log: log.child({ cluster: 'host' }),
      ...this.#places.of('host'),
    })
    this.#running.push(host)
    this.#remember('host', host)
    await grantPeople(host)
    await ensure<Namespace>(host.local, NAMESPACES, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: INSTANCE_NAMESPACE },
    })
    this.#progress('host cluster')
    return host
  }

  async #startContainerManagement(host: ApiServer): Promise<ContainerManagement> {
    const { log, instances = 2 } = this.#options
    const started = await startContainerManagement({
      host,
      connector: this.#connector,
      log: log.child({ part: 'container-management' }),
      ...(instances > MANY && { times: CALM_TIMES }),
    })
    this.#running.push(started)
    this.#progress('Container Management')
    return started
  }

  async #startOperator(host: ApiServer): Promise<Operator> {
    const { log } = this.#options
    const operator = await Operator.start({
      host: host.local,
      log: log.child({ part: 'karmada-operator' }),
      install: id => this.#startKarmada(id),
      uninstall: async id => this.#places.forget(id),
    })
    this.#running.push(operator)
    this.#progress('karmada-operator')
    return operator
  }

  async #startGlobalManagement(host: ApiServer): Promise<void> {
    await offerWorkspaces(host.local, WORKSPACE_NAMES)
    const log = this.#options.log.child({ part: 'global-management' })
    this.#running.push(new GlobalManagement({ host: host.local, log, grants: GRANTS }))
    this.#progress('Global Management')
  }

  async #startKarmada(name: string): Promise<Karmada> {
    const { log, memberTimes } = this.#options
    const place = this.#places.of(name)
    const karmada = await startKarmada({
      name,
      ...(memberTimes && { times: memberTimes }),
      connector: this.#connector,
      log: log.child({ cluster: name }),
      namespaceGraceMs: NAMESPACE_GRACE_MS,
      ...place,
    })
    this.#remember(name, karmada.server)
    this.#places.save()
    return karmada
  }

  /** Members first: a control plane that finds them unreachable reports them as ready only after a while. */
  async #startInstance(
    name: string,
  ): Promise<{ karmada: Karmada; members: (readonly [name: string, Member])[] }> {
    const { membersPerInstance = 2 } = this.#options
    const names = Array.from({ length: membersPerInstance }, (_, index) => memberName(name, index))
    const members = await Promise.all(
      names.map(async member => [member, await this.#startMember(member)] as const),
    )
    const karmada = await this.#startKarmada(name)
    this.#running.push(karmada)
    for (const [, member] of members) await bringIn(karmada, member)
    this.#progress(`Karmada ${name} with ${members.length} member${members.length === 1 ? '' : 's'}`)
    return { karmada, members }
  }

  async #startMember(name: string): Promise<Member> {
    const { log } = this.#options
    // Names of their own: karmada-search refuses an object by name that several members have.
    const nodes = DEFAULT_NODES.map(node => ({ ...node, name: `${name}-${node.name}` }))
    const place = this.#places.of(name)
    const member = await startMember({ name, log: log.child({ cluster: name }), nodes, ...place })
    this.#running.push(member)
    await grantPeopleOnMember(member)
    this.#remember(name, member.server)
    return member
  }

  #remember(name: string, server: ApiServer): void {
    this.#places.remember(name, server.url)
    this.#servers.set(server.url, server)
  }

  #progress(started: string): void {
    this.#done++
    const total = 4 + (this.#options.instances ?? 2)
    this.#options.onProgress?.({ started, done: this.#done, total })
  }
}
