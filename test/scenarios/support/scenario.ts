import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { kubeConnector } from '../../../actors/kube/connector.js'
import { INSTANCES, type Instance } from '../../../manifests/instance.js'
import { INSTANCE_REGISTRATIONS } from '../../../manifests/instance-registration.js'
import { type GroupVersionResource, type KubeObject, resourcePath } from '../../../manifests/kube.js'
import { type Lease, leaseHolder } from '../../../manifests/lease.js'
import { PEDIA_CLUSTERS } from '../../../manifests/pedia-cluster.js'
import { isNotFound } from '../../../manifests/status-error.js'
import { type Playground, startPlayground } from '../../../playground/fleet/fleet.js'
import { replicaName } from '../../replica-name.js'
import { silent } from '../../silent.js'
import { eventually } from './eventually.js'
import { KairshipProcess } from './kairship-process.js'

/** How long a lease lasts, in milliseconds. */
export interface Term {
  readonly leaseDurationMs: number
  readonly renewDeadlineMs: number
  readonly retryPeriodMs: number
}
/** A term that no machine is slow enough to lose by accident, and that no test lives to see the end of. */
const endless: Term = { leaseDurationMs: 3_600_000, renewDeadlineMs: 3_000_000, retryPeriodMs: 200 }
/**
 * For tests in which a term must run out: short, and so it may be lost by accident on a busy machine, too. Other tests run
 * while one waits for it.
 */
export const shortTerm: Term = { leaseDurationMs: 6_000, renewDeadlineMs: 4_000, retryPeriodMs: 200 }

const LEASES: GroupVersionResource = {
  group: 'coordination.k8s.io',
  version: 'v1',
  resource: 'leases',
}
const lease = { namespace: 'kairship-system', name: 'kairship-controller-manager' }

/** What happened on the host, in the order in which the host executed it. */
export interface Happening {
  readonly type: string
  /** `PediaCluster k-eu-west` */
  readonly what: string
  readonly object: KubeObject
}

/** A playground in this process, and real `kairship` processes that manage it. */
export class Scenario {
  readonly happenings: Happening[] = []
  readonly replicas: KairshipProcess[] = []
  readonly #end = new AbortController()

  private constructor(
    readonly playground: Playground,
    /** Files of the scenario; gone with it. */
    readonly folder: string,
    readonly term: Term,
  ) {}

  static async start(
    options: { instances?: number; members?: number; durable?: boolean; term?: Term } = {},
  ): Promise<Scenario> {
    const folder = await mkdtemp(join(tmpdir(), 'kairship-scenario-'))
    const playground = await startPlayground({
      instances: options.instances ?? 1,
      membersPerInstance: options.members ?? 0,
      connector: kubeConnector(),
      log: silent,
      ...(options.durable && { dataDir: join(folder, 'data') }),
    })
    await writeFile(join(folder, 'kubeconfig'), playground.kubeconfigs.controllerManager, { mode: 0o600 })
    const scenario = new Scenario(playground, folder, options.term ?? endless)
    for (const type of [INSTANCES, PEDIA_CLUSTERS, INSTANCE_REGISTRATIONS, LEASES]) scenario.#follow(type)
    return scenario
  }

  /** Starts `kairship controller-manager`; its identity in the lease begins with this name. */
  replica(identity: string, ...args: readonly string[]): KairshipProcess {
    return this.replicaWith({}, identity, ...args)
  }

  /** The same with variables of its environment. */
  replicaWith(
    environment: Readonly<Record<string, string>>,
    identity: string,
    ...args: readonly string[]
  ): KairshipProcess {
    const replica = KairshipProcess.start(
      [
        'controller-manager',
        ...['--kubeconfig', join(this.folder, 'kubeconfig')],
        ...['--identity', identity],
        ...['--health-listen', '127.0.0.1:0'],
        ...['--log-format', 'json', '--log-level', 'debug'],
        ...['--probe-interval-ms', '500', '--status-interval-ms', '500'],
        ...['--lease-duration-ms', String(this.term.leaseDurationMs)],
        ...['--renew-deadline-ms', String(this.term.renewDeadlineMs)],
        ...['--retry-period-ms', String(this.term.retryPeriodMs)],
        ...args,
      ],
      environment,
    )
    this.replicas.push(replica)
    return replica
  }

  get host() {
    return this.playground.host
  }

  async find<T extends KubeObject>(type: GroupVersionResource, name: string): Promise<T | undefined> {
    try {
      return await this.host.local.request<T>({ method: 'GET', path: resourcePath(type, { name }) })
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }

  async create(type: GroupVersionResource, object: KubeObject): Promise<void> {
    const { namespace } = object.metadata
    const path = resourcePath(type, namespace === undefined ? {} : { namespace })
    await this.host.local.request({ method: 'POST', path, body: object })
  }

  async remove(type: GroupVersionResource, name: string): Promise<void> {
    await this.host.local.request({ method: 'DELETE', path: resourcePath(type, { name }) })
  }

  /** Replaces the finalizers that tests add, to hold an object in deletion and to let it go. */
  async hold(type: GroupVersionResource, name: string, held: boolean): Promise<void> {
    const finalizer = 'kairship.test/hold'
    const object = await this.find(type, name)
    const others = (object?.metadata.finalizers ?? []).filter(one => one !== finalizer)
    await this.host.local.request({
      method: 'PATCH',
      contentType: 'application/merge-patch+json',
      path: resourcePath(type, { name }),
      body: { metadata: { finalizers: held ? [...others, finalizer] : others } },
    })
  }

  /** Waits until an instance is in a phase. */
  phase(name: string, phase: string): Promise<Instance> {
    return eventually(
      `${name} is ${phase}`,
      async () => {
        const instance = await this.find<Instance>(INSTANCES, name)
        return instance?.status?.phase === phase ? instance : undefined
      },
      this.patience,
    )
  }

  /** Waits until an instance and everything of it on the host is gone. */
  async gone(name: string): Promise<void> {
    await eventually(`${name} is gone`, async () => !(await this.find(INSTANCES, name)), this.patience)
  }

  lease(): Promise<Lease> {
    return this.host.local.request<Lease>({ method: 'GET', path: resourcePath(LEASES, lease) })
  }

  /** The name of the replica that holds the lease, '' for nobody. */
  async holder(): Promise<string> {
    return replicaName(leaseHolder(await this.lease()))
  }

  /** Waits until a replica that the condition accepts holds the lease, and returns its name. */
  leader(accept: (holder: string) => boolean = holder => holder !== ''): Promise<string> {
    return eventually(
      'the lease is held',
      async () => {
        const holder = await this.holder()
        return accept(holder) ? holder : undefined
      },
      this.patience,
    )
  }

  /** Happenings as `ADDED PediaCluster k-eu-west`, without those of the lease. */
  chronicle(since = 0): string[] {
    return this.happenings
      .slice(since)
      .filter(({ what }) => !what.startsWith('Lease'))
      .map(({ type, what }) => `${type} ${what}`)
  }

  /** Kills what still runs, takes everything away. */
  async end(): Promise<void> {
    this.#end.abort()
    for (const replica of this.replicas) replica.kill('SIGKILL')
    await Promise.all(this.replicas.map(({ ended }) => ended))
    await this.playground.close()
    await rm(this.folder, { recursive: true, force: true })
  }

  readonly patience = {
    story: () => this.replicas.map(replica => replica.story()).join('\n---\n'),
  }

  #follow(type: GroupVersionResource): void {
    const { signal } = this.#end
    const follow = async () => {
      for await (const { type: verb, object } of this.host.local.watch({
        path: resourcePath(type),
        signal,
      })) {
        if (verb === 'BOOKMARK' || verb === 'ERROR') continue
        const seen = object as KubeObject
        this.happenings.push({
          type: verb,
          what: `${seen.kind} ${seen.metadata.name}`,
          object: seen,
        })
      }
    }
    follow().catch((error: unknown) => {
      if (!signal.aborted) throw error
    })
  }
}
