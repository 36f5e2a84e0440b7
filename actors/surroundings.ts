import type { FailureReason } from '../machines/failure.js'
import type { KubeConnector } from '../ports/kube-api.js'
import type { Log } from '../ports/log.js'
import type { Meter } from '../ports/meter.js'
import type { InstanceConnection } from './connection.js'
import type { Host } from './host.js'
import type { MeasuredFreshness } from './index-freshness.js'
import type { Leadership } from './leadership.js'
import type { Rush } from './rush.js'
import type { Turnstile } from './turnstile.js'

/** The paces of an instance actor, milliseconds. Defaults and reasons stand in `config/`. */
export interface Paces {
  /** Between two probes of a control plane that answers. */
  readonly probeIntervalMs: number
  /** Least time between two reports of statistics, which is the least time between two writes of them. */
  readonly statusIntervalMs: number
  /** Between two canaries of an index; 0 for none. */
  readonly indexCanaryIntervalMs: number
  /** After this long without being seen an index stands still. */
  readonly indexCanaryPatienceMs: number
}

/** Everything that instance actors share. Per-instance things are looked up by name, so that the chart is provided once. */
export interface Surroundings {
  readonly host: Host
  readonly connector: KubeConnector
  readonly log: Log
  readonly meter: Meter
  readonly paces: Paces
  /** A number in [0, 1); the only dice in the house. */
  readonly random: () => number
  /** The connection of an instance; made on first use, closed when its actor stops for good. */
  connectionOf(name: string): InstanceConnection
  /** Where canaries leave what they measure. */
  readonly freshness: MeasuredFreshness
  /** Writes of canaries that are under way, by instance; they never reject. */
  readonly canaryWrites: Map<string, Promise<void>>
  /** Who may be probed now. */
  readonly probing: Turnstile
  /** Who may work inside an instance now. */
  readonly visiting: Turnstile
  /** Who may write to the host now. */
  readonly writing: Turnstile
  /** Whether instances are coming up one after the other; what is not urgent waits until they have. */
  readonly rush: Rush
  /** Who may gather first figures now: a few instances at a time. */
  readonly gathering: Turnstile
  /** Who acts at this moment, by the clock and not only by what was told. */
  leadership(): Leadership
  /** Told when an effect began or ended, for metrics and the inspector. */
  effectChanged(event: EffectEvent): void
}

/** One run of an effect. */
export interface EffectEvent {
  readonly instance: string
  readonly effect: string
  readonly phase: 'began' | 'succeeded' | 'failed' | 'aborted'
  readonly seconds?: number
  /** Why it failed. */
  readonly reason?: FailureReason
  readonly message?: string
}
