import type { LeaseDurations } from '../machines/lease-terms.js'
import type { AuditEvent } from '../manifests/audit-event.js'
import type { Fleet } from '../ports/fleet.js'
import type { KubeApi, KubeConnector } from '../ports/kube-api.js'
import type { Log } from '../ports/log.js'
import type { Meter } from '../ports/meter.js'
import { fenced } from './election/fenced-api.js'
import { startLease } from './election/lease.js'
import { ActorFleet } from './fleet/actor-fleet.js'
import { HeapAtRest, type HeapManner } from './fleet/heap-at-rest.js'
import { OrphanSweep } from './fleet/orphan-sweep.js'
import { RoleEndings } from './fleet/role-endings.js'
import { Supervisor } from './fleet/supervisor.js'
import type { BindingList } from './global-management/binding-list.js'
import { DeliveredBindings } from './global-management/delivered-bindings.js'
import { FullSync } from './global-management/full-sync.js'
import { reportContact } from './host/report-contact.js'
import { watchHost } from './host/watch-host.js'
import { InstanceIndexes } from './index/instance-indexes.js'
import { MeasuredFreshness } from './index/measured-freshness.js'
import { AskingBudget } from './instance/asking-budget.js'
import { instanceLimiters } from './instance/concurrency-limits.js'
import type { InstanceDependencies, Paces } from './instance/dependencies.js'
import { EffectTracker } from './instance/effect-tracker.js'
import { MemberGroups } from './instance/impersonation/member-groups.js'
import { InstanceConnection } from './instance/instance-connection.js'
import { leaderDependencies } from './instance/leader-dependencies.js'
import { RecentUse } from './instance/recent-use.js'
import { StartupBurst } from './instance/startup-burst.js'

/** What a controller manager is made of; durations in milliseconds, defaults and reasons in `config/`. */
export interface ControllerManagerOptions {
  /** The host cluster under Kairship's own credential. Closed by its opener. */
  readonly host: KubeApi
  /** The same over sockets of its own, so that no renewal of the lease waits behind a fleet's writes; `host` when absent. */
  readonly leaseHost?: KubeApi
  readonly connector: KubeConnector
  /** The name of this replica, for people; `startLease` makes it unique. */
  readonly identity: string
  /** False: observe and answer, and never act. */
  readonly contend: boolean
  readonly config: Paces &
    LeaseDurations &
    Partial<Pick<InstanceDependencies, 'impersonateWithOwnCredential'>> & {
      readonly namespace: string
      readonly leaseName: string
    }
  readonly log: Log
  readonly meter: Meter
  /** Called when the election cannot go on. The process has to end: it would never lead again. */
  readonly failed: (error: unknown) => void
  /** `https://host:port` of the console, where it is known. */
  readonly console?: string
  /** Takes audit events of what the controllers notice; they are dropped when absent. */
  readonly audit?: (event: AuditEvent) => void
  /** Where the whole list of role bindings is read, to repair what deliveries missed, and how often, milliseconds. Closed by its opener. */
  readonly roleBindings?: { readonly list: BindingList; readonly everyMs: number }
  /** A number in [0, 1); `Math.random` unless a test says otherwise. */
  readonly random?: () => number
  /** Changes how V8 keeps the heap of this process; nothing is changed when absent. */
  readonly keepHeap?: (manner: HeapManner) => void
}

/** A running controller manager. */
export interface ControllerManager {
  readonly fleet: Fleet
  /**
   * Stops acting, waits for running effects to end, gives the lease back, and closes every watch and connection to the
   * instances, in this order. Idempotent.
   */
  stop(): Promise<void>
}

/**
 * Brings up one replica: watches on the host, an actor for each Instance, the lease. Facts flow
 * host watch → supervisor → instance actor → effect → host or Karmada, and come back through the watches.
 */
export function startControllerManager(options: ControllerManagerOptions): ControllerManager {
  const { host: api, connector, identity, contend, config, log, meter, random = Math.random } = options
  const connections = new Map<string, InstanceConnection>()
  const memberGroups = new Map<string, MemberGroups>()
  const stopping = new AbortController()
  const effects = new EffectTracker(meter, log, event =>
    supervisor.registry.get(event.instance)?.recordEffect(event),
  )
  const heap = new HeapAtRest(options.keepHeap ?? (() => undefined))
  const host = watchHost(api, meter)
  const freshness = new MeasuredFreshness()
  const exists = (name: string): boolean => supervisor.registry.get(name) !== undefined
  const [callers, indexUse] = [new RecentUse(exists), new RecentUse(exists)]
  const indexes = new InstanceIndexes({
    host,
    freshnessOf: name => freshness.of(name),
    read: name => indexUse.note(name),
  })

  const connectionOf = (name: string): InstanceConnection => {
    const connection = connections.get(name) ?? new InstanceConnection()
    // What ends after the instance is gone may still look for its connection: it finds none, and none is kept for it.
    if (exists(name)) connections.set(name, connection)
    return connection
  }
  const disconnect = (name: string): void => {
    const connection = connections.get(name)
    connections.delete(name)
    memberGroups.get(name)?.stop()
    memberGroups.delete(name)
    callers.forget(name)
    indexUse.forget(name)
    connection
      ?.close()
      .catch((err: unknown) => log.warn({ instance: name, err }, 'a connection closed badly'))
  }

  const lease = startLease({
    api: options.leaseHost ?? api,
    namespace: config.namespace,
    name: config.leaseName,
    identity,
    contend,
    durations: config,
    drain: () => effects.drained(),
    failed: options.failed,
    log,
    meter,
  })
  const dependencies: InstanceDependencies = {
    host,
    connector,
    log,
    meter,
    paces: config,
    ...(options.console !== undefined && { console: options.console }),
    impersonateWithOwnCredential: config.impersonateWithOwnCredential ?? false,
    random,
    connectionOf,
    freshness,
    canaryWrites: new Map(),
    ...instanceLimiters(),
    asking: new AskingBudget(() => supervisor.registry.size),
    callers,
    indexUse,
    startupBurst: new StartupBurst(
      () => supervisor.registry.size,
      underWay => heap.burst(underWay),
    ),
    leadership: () => lease.current(),
    effectChanged: event => effects.changed(event),
  }
  const supervisor = new Supervisor({ dependencies, disconnect })
  const fleet = new ActorFleet({
    registry: supervisor.registry,
    isWarm: () => supervisor.warm,
    resourceVersion: () => host.instances.resourceVersion,
    leadership: () => lease.current(),
    connectionOf,
    memberGroupsOf(name) {
      const groups = memberGroups.get(name) ?? new MemberGroups(connectionOf(name), meter)
      memberGroups.set(name, groups)
      return groups
    },
    indexOf: name => indexes.of(name),
    used: name => {
      supervisor.hurry(name)
      callers.note(name)
    },
    roleBindings: host.roleBindings,
    accessLocks: host.accessLocks,
    stopping: stopping.signal,
  })

  supervisor.start()
  const reports = reportContact(host, log)
  host.start()
  const orphans = new OrphanSweep(leaderDependencies(dependencies))
  orphans.start()
  const endings = new RoleEndings({
    dependencies: leaderDependencies(dependencies),
    audit: options.audit ?? (() => undefined),
  })
  endings.start()
  const fullSync =
    options.roleBindings &&
    new FullSync({
      ...{ ...options.roleBindings, log, meter, leadership: () => lease.current() },
      bindings: new DeliveredBindings(fenced(api, () => lease.current())),
    })
  const leading = lease.leadership$.subscribe(leadership => {
    supervisor.lead(leadership)
    orphans.look()
    endings.look()
    if (leadership.leading) fullSync?.start()
  })

  const stop = async (): Promise<void> => {
    stopping.abort()
    heap.stop()
    await fullSync?.stop()
    await lease.release()
    leading.unsubscribe()
    orphans.stop()
    endings.stop()
    supervisor.stop()
    for (const groups of memberGroups.values()) groups.stop()
    host.stop()
    reports.unsubscribe()
    await Promise.all([...connections.values()].map(connection => connection.close()))
    connections.clear()
  }
  let stopped: Promise<void> | undefined
  return {
    fleet,
    stop: () => {
      stopped ??= stop()
      return stopped
    },
  }
}
