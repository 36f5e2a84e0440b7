import type { LeaseDurations } from '../machines/lease.js'
import type { Fleet } from '../ports/fleet.js'
import type { KubeApi, KubeConnector } from '../ports/kube-api.js'
import type { Log } from '../ports/log.js'
import type { Meter } from '../ports/meter.js'
import { InstanceConnection } from './connection.js'
import { EffectTracker } from './effect-tracker.js'
import { ActorFleet } from './fleet.js'
import { watchHost } from './host.js'
import { MeasuredFreshness } from './index-freshness.js'
import { InstanceIndexes } from './instance-indexes.js'
import { startLease } from './lease.js'
import { Rush } from './rush.js'
import { Supervisor } from './supervisor.js'
import type { Paces, Surroundings } from './surroundings.js'
import { Turnstile } from './turnstile.js'

/** What a controller manager is made of; durations in milliseconds, defaults and reasons in `config/`. */
export interface ControllerManagerOptions {
  /** The host cluster under Kairship's own credential. Closed by whoever opened it. */
  readonly host: KubeApi
  /** The same over sockets of its own, so that no renewal of the lease waits behind a fleet's writes; else it shares `host`. */
  readonly leaseHost?: KubeApi
  readonly connector: KubeConnector
  /** Unique among running replicas. */
  readonly identity: string
  /** False: observe and answer, and never act. */
  readonly contend: boolean
  readonly config: Paces & LeaseDurations & { readonly namespace: string; readonly leaseName: string }
  readonly log: Log
  readonly meter: Meter
  /** A number in [0, 1); `Math.random` unless a test says otherwise. */
  readonly random?: () => number
}

/** So many control planes are probed at once; at first each over a session that must be opened. */
const PROBED_AT_ONCE = 32
/** In so many, effects work inside at once. */
const VISITED_AT_ONCE = 32
/** How long a control plane that does not answer keeps another one waiting, milliseconds. */
const STUCK_AFTER_MS = 1_000
/** As many as the host connection has sockets for requests: an effect's time should not pass while it waits for one. */
const WRITING_AT_ONCE = 16
/** First figures are gathered from so many instances at once; each is some twenty requests. */
const GATHERING_AT_ONCE = 8

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
  const stopping = new AbortController()
  const effects = new EffectTracker(meter, log, event =>
    supervisor.registry.get(event.instance)?.recordEffect(event),
  )
  const host = watchHost(api, meter)
  const freshness = new MeasuredFreshness()
  const indexes = new InstanceIndexes({ host, freshnessOf: name => freshness.of(name) })

  const connectionOf = (name: string): InstanceConnection => {
    const connection = connections.get(name) ?? new InstanceConnection()
    connections.set(name, connection)
    return connection
  }
  const disconnect = (name: string): void => {
    const connection = connections.get(name)
    connections.delete(name)
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
    log,
    meter,
  })
  const surroundings: Surroundings = {
    host,
    connector,
    log,
    meter,
    paces: config,
    random,
    connectionOf,
    freshness,
    canaryWrites: new Map(),
    probing: new Turnstile(PROBED_AT_ONCE, STUCK_AFTER_MS),
    visiting: new Turnstile(VISITED_AT_ONCE, STUCK_AFTER_MS),
    writing: new Turnstile(WRITING_AT_ONCE),
    rush: new Rush(() => supervisor.registry.size),
    gathering: new Turnstile(GATHERING_AT_ONCE),
    leadership: () => lease.current(),
    effectChanged: event => effects.changed(event),
  }
  const supervisor = new Supervisor({ surroundings, disconnect })
  const fleet = new ActorFleet({
    registry: supervisor.registry,
    isWarm: () => supervisor.warm,
    resourceVersion: () => host.instances.resourceVersion,
    leadership: () => lease.current(),
    connectionOf,
    indexOf: name => indexes.of(name),
    stopping: stopping.signal,
  })

  supervisor.start()
  host.start()
  const leading = lease.leadership$.subscribe(leadership => supervisor.lead(leadership))

  const stop = async (): Promise<void> => {
    stopping.abort()
    await lease.release()
    leading.unsubscribe()
    supervisor.stop()
    host.stop()
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
