import type { Log } from '../../ports/log.js'
import type { Meter } from '../../ports/meter.js'
import { ConcurrencyLimit } from '../limits/concurrency-limit.js'
import type { CircuitState } from './circuit/circuit.js'
import { Circuits } from './circuit/circuits.js'

/** How much of everything the proxy lets through at once. Set by the `proxy…` settings of `config.ts`. */
export interface ProxyLimits {
  /** Short requests under way for one instance: one that is slow must not take the sockets of the others. */
  readonly requestsPerInstance: number
  /** The same of one caller; always less than all of an instance's, so that no caller can take them all. */
  readonly requestsPerCaller: number
  /**
   * The same of all service accounts of one namespace of the host: who may make one there may make as many as they like. Always less
   * than all of an instance's.
   */
  readonly requestsPerAccountNamespace: number
  /** Watches, followed logs and upgraded connections of one caller. */
  readonly streamsPerCaller: number
  /** The same of all callers for one instance. */
  readonly streamsPerInstance: number
  /** The same of all service accounts of one namespace for one instance; always less than all of an instance's. */
  readonly streamsPerAccountNamespace: number
  /** Milliseconds a caller may leave an answer unread before it is cut off. */
  readonly patienceMs: number
}

/** What holds where nothing is set; `config.ts` says why. */
const DEFAULTS: ProxyLimits = {
  requestsPerInstance: 512,
  requestsPerCaller: 128,
  requestsPerAccountNamespace: 256,
  streamsPerCaller: 1_000,
  streamsPerInstance: 10_000,
  streamsPerAccountNamespace: 5_000,
  patienceMs: 60_000,
}

/** What requests to instances hold at once. */
export interface InstanceLimits {
  /** Requests under way for one instance. One that is slow must not take the sockets of the others. */
  readonly perInstance: ConcurrencyLimit
  /** The same of one caller. */
  readonly perCaller: ConcurrencyLimit
  /** The same of all service accounts of one namespace of the host. */
  readonly perAccountNamespace: ConcurrencyLimit
  /** Watches, followed logs and upgraded connections of one caller. */
  readonly longPerCaller: ConcurrencyLimit
  /** The same of all callers for one instance. */
  readonly longPerInstance: ConcurrencyLimit
  /** The same of all service accounts of one namespace of the host, for one instance. */
  readonly longPerAccountNamespace: ConcurrencyLimit
}

/** The limits as the proxy applies them, and the circuits, whose changes are logged and counted. */
export function limitsOf(
  given: Partial<ProxyLimits>,
  { log, meter, now }: { readonly log: Log; readonly meter: Meter; readonly now: () => number },
): InstanceLimits & {
  readonly circuits: Circuits
  readonly patienceMs: number
} {
  const limits = { ...DEFAULTS, ...given }
  let open = 0
  const changed = (instance: string, from: CircuitState, to: CircuitState) => {
    if (from === 'closed') open += 1
    if (to === 'closed') open -= 1
    meter.count('kairship_proxy_circuit_transitions_total', { to })
    meter.gauge('kairship_proxy_circuits_open', open)
    if (to === 'open') log.warn({ instance, from }, 'requests to the instance are refused for a moment')
    if (to === 'closed') log.info({ instance }, 'requests to the instance are refused no longer')
  }
  return {
    perInstance: new ConcurrencyLimit('requests under way', limits.requestsPerInstance),
    perCaller: new ConcurrencyLimit(
      'requests under way for this instance',
      lessThanAll(limits.requestsPerCaller, limits.requestsPerInstance),
    ),
    perAccountNamespace: new ConcurrencyLimit(
      'requests under way for this instance',
      lessThanAll(limits.requestsPerAccountNamespace, limits.requestsPerInstance),
    ),
    longPerCaller: new ConcurrencyLimit('watches and connections open', limits.streamsPerCaller),
    longPerInstance: new ConcurrencyLimit('watches and connections open', limits.streamsPerInstance),
    longPerAccountNamespace: new ConcurrencyLimit(
      'watches and connections open for this instance',
      lessThanAll(limits.streamsPerAccountNamespace, limits.streamsPerInstance),
    ),
    circuits: new Circuits(now, changed),
    patienceMs: limits.patienceMs,
  }
}

const lessThanAll = (limit: number, all: number): number => Math.max(1, Math.min(limit, all - 1))
