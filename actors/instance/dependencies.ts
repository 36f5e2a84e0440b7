import type { FailureReason } from '../../machines/failure.js'
import type { KubeConnector } from '../../ports/kube-api.js'
import type { Log } from '../../ports/log.js'
import type { Meter } from '../../ports/meter.js'
import type { Leadership } from '../election/leadership.js'
import type { Host } from '../host/watch-host.js'
import type { MeasuredFreshness } from '../index/measured-freshness.js'
import type { AskingBudget } from './asking-budget.js'
import type { ConcurrencyLimiter } from './concurrency-limiter.js'
import type { InstanceConnection } from './instance-connection.js'
import type { RecentUse } from './recent-use.js'
import type { StartupBurst } from './startup-burst.js'

/** The intervals of an instance actor, milliseconds. Defaults and reasons are in `config/`. */
export interface Paces {
  /** Between two probes of a control plane that answers, as far as `asking` allows. */
  readonly probeIntervalMs: number
  /** Least time between two reports of statistics, which is the least time between two writes of them. */
  readonly statusIntervalMs: number
  /** Between two canaries of an index; 0 for none. */
  readonly indexCanaryIntervalMs: number
  /** After this long without being seen an index is stalled. */
  readonly indexCanaryPatienceMs: number
}

/** Everything that instance actors share. What belongs to one instance is looked up by name, so that the chart is provided once. */
export interface InstanceDependencies {
  readonly host: Host
  readonly connector: KubeConnector
  readonly log: Log
  readonly meter: Meter
  readonly paces: Paces
  /** Whether callers are impersonated by the own credential of an instance that does not allow an account for it. */
  readonly impersonateWithOwnCredential: boolean
  /** `https://host:port` of the console, for people who find an instance elsewhere; absent where it is not known. */
  readonly console?: string
  /** A number in [0, 1); the only source of randomness. */
  readonly random: () => number
  /** The connection of an instance; made on first use, closed when its actor stops for good. */
  connectionOf(name: string): InstanceConnection
  /** What canaries measured. */
  readonly freshness: MeasuredFreshness
  /** Writes of canaries that are under way, by instance; they never reject. */
  readonly canaryWrites: Map<string, Promise<void>>
  /** Who may be asked now how it is: probes, canaries and counts at rest. */
  readonly asking: AskingBudget
  /** Which control planes callers of this replica used lately. */
  readonly callers: RecentUse
  /** Which indexes requests of callers could be answered from lately. */
  readonly indexUse: RecentUse
  /** Who may work inside an instance now. */
  readonly visiting: ConcurrencyLimiter
  /** Who may write to the host now. */
  readonly writing: ConcurrencyLimiter
  /** Whether instances are coming up one after the other; work that is not urgent is deferred until they have. */
  readonly startupBurst: StartupBurst
  /** Who may gather first figures now: a few instances at a time. */
  readonly gathering: ConcurrencyLimiter
  /** Who acts at this moment, by the clocks and not only by the last event. */
  leadership(): Leadership
  /** Called when an effect began or ended, for metrics and the inspector. */
  effectChanged(event: EffectEvent): void
}

/** One run of an effect. */
export interface EffectEvent {
  readonly instance: string
  readonly effect: string
  /** `aborted`: cut short, because the chart left its state or another replica leads. */
  readonly phase: 'began' | 'succeeded' | 'failed' | 'aborted'
  readonly seconds?: number
  /** Why it failed or was aborted. */
  readonly reason?: FailureReason
  readonly message?: string
}
