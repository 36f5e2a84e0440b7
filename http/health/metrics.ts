import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Fleet, InstanceState } from '../../ports/fleet.js'
import type { IndexFreshness } from '../../ports/instance-index.js'
import type { Labels, Meter } from '../../ports/meter.js'
import type { KeysStatus } from '../identity/oidc/issuer-keys.js'

/** How a metric is declared. */
interface Declaration {
  readonly kind: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly labels?: readonly string[]
  /** Upper bounds in seconds. */
  readonly buckets?: readonly number[]
}

/** From a snapshot read in memory (a millisecond) to a call that used up its deadline (a minute). */
const CALL_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
/** From one small write to an installation. */
const EFFECT_SECONDS = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900]

/** From the first look of a canary to an index that is hopelessly behind. */
const LAG_SECONDS = [0.03, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Every metric of the product. A name that is not here cannot be used. */
const metrics = {
  kairship_instances: { kind: 'gauge', help: 'Instances by public state.', labels: ['state'] },
  kairship_instance_not_ready: {
    kind: 'gauge',
    help: '1 for each instance that is not ready, by its state and the root cause.',
    labels: ['instance', 'state', 'reason'],
  },
  kairship_instance_transitions_total: {
    kind: 'counter',
    help: 'Transitions of instance machines between public states.',
    labels: ['from', 'to'],
  },
  kairship_actor_restarts_total: {
    kind: 'counter',
    help: 'Instance actors that crashed and were started again.',
  },
  kairship_events_total: {
    kind: 'counter',
    help: 'Kubernetes Events about Instances: written, dropped because there were too many of one Instance, or failed.',
    labels: ['outcome'],
  },
  kairship_effect_duration_seconds: {
    kind: 'histogram',
    help: 'How long effects of instance machines took.',
    labels: ['effect'],
    buckets: EFFECT_SECONDS,
  },
  kairship_effect_failures_total: {
    kind: 'counter',
    help: 'Effects of instance machines that failed, by kind of failure.',
    labels: ['effect', 'failure'],
  },
  kairship_watch_restarts_total: {
    kind: 'counter',
    help: 'Watches that ended and were taken up again.',
    labels: ['resource', 'reason'],
  },
  kairship_relists_total: {
    kind: 'counter',
    help: 'Collections that had to be listed again because their watch could not be resumed.',
    labels: ['resource'],
  },
  kairship_kube_requests_total: {
    kind: 'counter',
    help: 'Requests sent to Kubernetes APIs, by HTTP status (0: no answer); canaries apart from work.',
    labels: ['target', 'verb', 'code', 'purpose'],
  },
  kairship_kube_request_duration_seconds: {
    kind: 'histogram',
    help: 'How long Kubernetes APIs took to answer.',
    labels: ['target', 'verb'],
    buckets: CALL_SECONDS,
  },
  kairship_indexes: {
    kind: 'gauge',
    help: 'Indexes of instances by freshness, as the canary measured it last.',
    labels: ['freshness'],
  },
  kairship_index_lag_seconds: {
    kind: 'histogram',
    help: 'From the writing of a canary into an instance until its index showed it; at most twice the real lag.',
    buckets: LAG_SECONDS,
  },
  kairship_index_judgements_total: {
    kind: 'counter',
    help: 'Times this replica found that an index is current, is stalled, or cannot be measured.',
    labels: ['to'],
  },
  kairship_lease_leading: { kind: 'gauge', help: '1 while this replica holds the lease and acts.' },
  kairship_lease_transitions_total: {
    kind: 'counter',
    help: 'Times this replica began or ceased to lead.',
    labels: ['to'],
  },
  kairship_lease_errors_total: {
    kind: 'counter',
    help: 'Lease requests that failed.',
    labels: ['operation'],
  },
  kairship_api_requests_total: {
    kind: 'counter',
    help: 'Calls of the management API that ended, by gRPC code.',
    labels: ['wire', 'operation', 'code'],
  },
  kairship_api_request_duration_seconds: {
    kind: 'histogram',
    help: 'How long calls of the management API took; streams count from their start to their end.',
    labels: ['wire', 'operation'],
    buckets: CALL_SECONDS,
  },
  kairship_host_last_known_total: {
    kind: 'counter',
    help: 'Tokens and rights that were decided by what the host last said, because it did not answer (hostGraceMs).',
    labels: ['of'],
  },
  kairship_issuer_tokens_total: {
    kind: 'counter',
    help: 'Tokens of configured issuers that were checked, by what came of them; cached answers are not counted.',
    labels: ['issuer', 'outcome'],
  },
  kairship_issuer_key_reads_total: {
    kind: 'counter',
    help: 'Times the keys of a configured issuer were read.',
    labels: ['issuer', 'outcome'],
  },
  kairship_issuer_keys_usable: {
    kind: 'gauge',
    help: '1 for each configured issuer whose keys are known; 0 where its tokens are refused because they are not.',
    labels: ['issuer'],
  },
  kairship_issuer_keys_age_seconds: {
    kind: 'gauge',
    help: 'Seconds since the keys of a configured issuer were read; they are read every five minutes.',
    labels: ['issuer'],
  },
  kairship_authentication_config_reloads_total: {
    kind: 'counter',
    help: 'Times a changed authentication configuration was applied, or could not be used.',
    labels: ['outcome'],
  },
  kairship_authentication_config_refused: {
    kind: 'gauge',
    help: '1 while the authentication configuration cannot be used and the one before it counts.',
  },
  kairship_role_binding_deliveries_total: {
    kind: 'counter',
    help: 'Deliveries of role bindings by what became of them: stored, unchanged, outdated; unconfigured: the webhook has no keys.',
    labels: ['result'],
  },
  kairship_role_binding_syncs_total: {
    kind: 'counter',
    help: 'Comparisons of the role bindings with the whole list of Global Management.',
    labels: ['outcome'],
  },
  kairship_audit_events_lost_total: {
    kind: 'counter',
    help: 'Audit events that were not written, because the audit log was too slow or could not be written at all.',
  },
  kairship_audit_errors_total: {
    kind: 'counter',
    help: 'Times the audit log could not be written.',
  },
  kairship_api_unauthenticated_total: {
    kind: 'counter',
    help: 'Requests refused because the caller could not be authenticated.',
    labels: ['wire'],
  },
  kairship_api_unauthenticated_connections: {
    kind: 'gauge',
    help: 'Open connections on which no caller was accepted yet.',
    labels: ['wire'],
  },
  kairship_api_connections_refused_total: {
    kind: 'counter',
    help: 'Connections closed when they were accepted, because their source had too many on which no caller was accepted.',
    labels: ['wire'],
  },
  kairship_proxy_requests_total: {
    kind: 'counter',
    help: 'Requests through the proxy that ended, by HTTP status (0: no answer).',
    labels: ['verb', 'code'],
  },
  kairship_proxy_circuit_transitions_total: {
    kind: 'counter',
    help: 'Circuits of instances in the proxy that opened, tried again or closed.',
    labels: ['to'],
  },
  kairship_proxy_circuits_open: {
    kind: 'gauge',
    help: 'Instances that the proxy refuses at once, because they could not be reached.',
  },
  kairship_host_reviews_answered: {
    kind: 'gauge',
    help: '1 while the host answers reviews of tokens, and of access; 0 while it answers none, so that callers whom it has to be asked about are refused.',
    labels: ['of'],
  },
  kairship_service_accounts_watched: {
    kind: 'gauge',
    help: '1 while the ServiceAccounts of the host are watched, so that what a deleted one has open ends within a second; 0 while they cannot be.',
  },
  kairship_live_calls_ended_total: {
    kind: 'counter',
    help: 'Calls under way that were ended because their caller lost the right, by reason.',
    labels: ['reason'],
  },
  kairship_workers: {
    kind: 'gauge',
    help: 'Worker processes that take connections; absent without workers.',
  },
  kairship_worker_restarts_total: {
    kind: 'counter',
    help: 'Worker processes that ended by themselves and were started again.',
  },
  kairship_proxy_stalled_total: {
    kind: 'counter',
    help: 'Answers through the proxy cut off because their caller did not read them.',
  },
  kairship_proxy_answers_total: {
    kind: 'counter',
    help: 'Answers through the proxy, by where they are from and why.',
    labels: ['source', 'reason'],
  },
  kairship_object_answers_total: {
    kind: 'counter',
    help: 'Answers of instances to the management API, by where they are from and why.',
    labels: ['source', 'reason'],
  },
  kairship_proxy_request_duration_seconds: {
    kind: 'histogram',
    help: 'How long the proxy took until the answer’s head was sent.',
    labels: ['verb'],
    buckets: CALL_SECONDS,
  },
} as const satisfies Readonly<Record<string, Declaration>>

/** A Meter, and what a scraper reads of it. */
export interface Metrics extends Meter {
  /** Forgets the values of a gauge, so that only those are exposed that are set again. */
  reset(name: string): void
  /** The exposition text, and its media type. */
  expose(): Promise<{ readonly text: string; readonly contentType: string }>
}

/** Metrics of one process, with Node's own (`process_`, `nodejs_`) next to ours by default. */
export function createMetrics(options: { readonly ofProcess?: boolean } = {}): Metrics {
  const registry = new Registry()
  if (options.ofProcess ?? true) collectDefaultMetrics({ register: registry })
  const counters = new Map<string, Counter>()
  const gauges = new Map<string, Gauge>()
  const histograms = new Map<string, Histogram>()
  for (const [name, declaration] of Object.entries<Declaration>(metrics)) {
    const common = {
      name,
      help: declaration.help,
      labelNames: [...(declaration.labels ?? [])],
      registers: [registry],
    }
    if (declaration.kind === 'counter') counters.set(name, new Counter(common))
    else if (declaration.kind === 'gauge') gauges.set(name, new Gauge(common))
    else
      histograms.set(name, new Histogram({ ...common, buckets: [...(declaration.buckets ?? CALL_SECONDS)] }))
  }
  return {
    count: (name, labels = {}, by = 1) => declared(counters, name, 'counter').inc(labels as Labels, by),
    gauge: (name, value, labels = {}) => declared(gauges, name, 'gauge').set(labels as Labels, value),
    reset: name => declared(gauges, name, 'gauge').reset(),
    observe: (name, seconds, labels = {}) =>
      declared(histograms, name, 'histogram').observe(labels as Labels, seconds),
    expose: async () => ({ text: await registry.metrics(), contentType: registry.contentType }),
  }
}

function declared<T>(found: ReadonlyMap<string, T>, name: string, kind: string): T {
  const metric = found.get(name)
  if (!metric) throw new Error(`http/health/metrics.ts declares no ${kind} called ${name}`)
  return metric
}

const states: readonly InstanceState[] = [
  'registering',
  'virtualClusterSynced',
  'ready',
  'degraded',
  'deleting',
]

const freshnesses: readonly IndexFreshness['state'][] = ['unknown', 'current', 'stalled']

/** Sets what is counted from what this replica sees now; to be called before each exposition. */
export function gaugeInstances(
  fleet: Pick<Fleet, 'list' | 'index'>,
  meter: Pick<Metrics, 'gauge' | 'reset'>,
): void {
  meter.reset('kairship_instance_not_ready')
  const counts = new Map<InstanceState, number>(states.map(state => [state, 0]))
  const indexes = new Map<IndexFreshness['state'], number>(freshnesses.map(state => [state, 0]))
  for (const { name, state, conditions } of fleet.list()) {
    counts.set(state, (counts.get(state) ?? 0) + 1)
    const reason = conditions.find(({ type }) => type === 'Ready')?.reason ?? 'Unknown'
    if (state !== 'ready') meter.gauge('kairship_instance_not_ready', 1, { instance: name, state, reason })
    const freshness = fleet.index(name)?.freshness.state
    if (freshness) indexes.set(freshness, (indexes.get(freshness) ?? 0) + 1)
  }
  for (const [state, count] of counts) meter.gauge('kairship_instances', count, { state })
  for (const [freshness, count] of indexes) meter.gauge('kairship_indexes', count, { freshness })
}

/** Sets what is known of the issuers' keys now; to be called before each exposition. */
export function gaugeIssuers(statuses: readonly KeysStatus[], meter: Pick<Metrics, 'gauge' | 'reset'>): void {
  meter.reset('kairship_issuer_keys_usable')
  meter.reset('kairship_issuer_keys_age_seconds')
  for (const { issuer, isUsable, ageMs } of statuses) {
    meter.gauge('kairship_issuer_keys_usable', isUsable ? 1 : 0, { issuer })
    if (ageMs !== undefined) meter.gauge('kairship_issuer_keys_age_seconds', ageMs / 1_000, { issuer })
  }
}
