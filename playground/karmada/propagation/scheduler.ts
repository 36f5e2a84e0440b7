import { CLAIMS } from '../../../karmada/matching/policies.js'
import type { Cluster } from '../../../karmada/objects/cluster.js'
import {
  APPLIED_PLACEMENT,
  type Binding,
  bindingScopeOf,
  type FullBindingStatus,
  type PlacedBinding,
} from '../../../karmada/objects/resource-binding.js'
import { writtenPlacement } from '../../../karmada/objects/written-placement.js'
import { QUOTA_EXCEEDED, requestedBy } from '../../../karmada/quota/usage.js'
import { sameJson } from '../../../karmada/same-json.js'
import { type QuotasOfMember, withRequested } from '../../../karmada/scheduling/quota-room.js'
import { type Scheduling, schedule } from '../../../karmada/scheduling/schedule.js'
import { schedulingTrigger } from '../../../karmada/scheduling/triggers.js'
import { without } from '../../../karmada/without.js'
import { StatusError } from '../../../manifests/status-error.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import type { Log } from '../../../ports/log.js'
import { objectKey } from '../../../streams/object-store.js'
import { type ReconcileResult, Reconciler } from '../../client/reconciler.js'
import type { Difference } from '../../client/source.js'
import { update } from '../../client/write.js'
import { setConditions } from '../../objects/conditions.js'
import { timestamp } from '../../objects/timestamp.js'
import { type Events, normal, warning } from './events.js'
import type { Observed } from './observed.js'

/** Karmada 1.18 tries a binding again after so long for which there was no room, milliseconds. */
const NO_ROOM_MS = 300_000
/** Karmada's longest pause after another failure, milliseconds. */
const FAILURE_MS = 10_000

const SCHEDULED = 'Binding has been scheduled successfully.'

/** karmada-scheduler: writes into each binding which clusters get how many replicas, and says so in its status. */
export class Scheduler {
  readonly #control: KubeApi
  readonly #observed: Observed
  readonly #now: () => number
  readonly #events: Events
  readonly #queue: Reconciler

  constructor(control: KubeApi, observed: Observed, events: Events, now: () => number, log: Log) {
    this.#events = events
    this.#control = control
    this.#observed = observed
    this.#now = now
    this.#queue = new Reconciler({ log, reconcile: key => this.#reconcile(key) })
    observed.onBinding(difference => {
      const { type, object } = difference
      const isStatusOnly =
        type === 'MODIFIED' && object.metadata.generation === difference.previous.metadata.generation
      if (type !== 'DELETED' && !isStatusOnly) this.#queue.add(objectKey(object))
    })
    observed.clusters.listen(difference => {
      if (isOfInterest(difference)) for (const one of observed.bindings) this.#queue.add(objectKey(one))
    })
  }

  close(): Promise<void> {
    return this.#queue.close()
  }

  async #reconcile(key: string): Promise<ReconcileResult> {
    await this.#observed.synced()
    const binding = this.#observed.binding(key)
    if (!binding || binding.metadata.deletionTimestamp || !isOurs(binding)) return undefined
    const clusters = this.#observed.clusters.values()
    const trigger = schedulingTrigger(binding, clusters)
    if (!trigger) {
      await this.#writeStatus(binding, status => observedBy(status, binding.metadata.generation))
      return undefined
    }
    const quotasOf = this.#quotasFor(binding)
    const decided = schedule(binding.spec, binding.status ?? {}, clusters, quotasOf)
    const { result, written } = await this.#place(binding, decided)
    if (written) this.#tell(binding, result)
    if (written)
      await this.#writeStatus(written, status => this.#told(status, written, result, trigger === 'asked'))
    const reason = result.failure?.reason
    if (reason === 'Unschedulable') return { again: NO_ROOM_MS }
    return reason === 'SchedulerError' || reason === QUOTA_EXCEEDED ? { again: FAILURE_MS } : undefined
  }

  /** The quotas of the binding's namespace in each member, with what is under way there. */
  #quotasFor({ metadata: { namespace = '' } }: Binding): QuotasOfMember {
    const observed = this.#observed
    return cluster => {
      const quotas = observed.quotasInMembers.of(cluster, namespace)
      if (quotas.length === 0) return quotas
      const inNamespace = observed.bindings.filter(({ metadata }) => metadata.namespace === namespace)
      const requested = requestedBy(inNamespace, cluster)
      return quotas.map(quota => withRequested(quota, requested))
    }
  }

  /** Writes a result; one that a quota refuses is a failure. */
  async #place(
    binding: PlacedBinding,
    result: Scheduling,
  ): Promise<{ readonly result: Scheduling; readonly written: Binding | undefined }> {
    if (keepsResult(result)) return { result, written: binding }
    try {
      return { result, written: await this.#writeResult(binding, result) }
    } catch (error) {
      if (!(error instanceof StatusError) || error.reason !== QUOTA_EXCEEDED) throw error
      const failure = { reason: QUOTA_EXCEEDED, message: error.message } as const
      return { result: { ...result, failure }, written: binding }
    }
  }

  /** A result that says the same as the last one is no news. */
  #tell(binding: Binding, { failure, clusters }: Scheduling): void {
    const component = 'default-scheduler'
    if (failure) {
      this.#events.tellOfBoth(binding, component, warning('ScheduleBindingFailed', failure.message))
      return
    }
    if (binding.spec.clusters && sameJson(binding.spec.clusters, clusters)) return
    const colon = binding.metadata.namespace ? ':' : ''
    const list = clusters.map(({ name, replicas = 0 }) => `${name}:${replicas}`).join(', ')
    const message = `${SCHEDULED} Result${colon} {${list}}`
    this.#events.tellOfBoth(binding, component, normal('ScheduleBindingSucceed', message))
  }

  /** A binding that changed since it was scheduled is left to its next turn. */
  async #writeResult(binding: Binding, { clusters }: Scheduling): Promise<Binding | undefined> {
    const { metadata, spec } = binding
    const placement = JSON.stringify(spec.placement && writtenPlacement(spec.placement))
    let isStale = false
    const written = await update<Binding>(this.#control, bindingScopeOf(binding).type, metadata, current => {
      isStale = current.metadata.generation !== metadata.generation
      if (isStale) return current
      const isSame =
        current.metadata.annotations?.[APPLIED_PLACEMENT] === placement &&
        sameJson(current.spec.clusters ?? [], clusters)
      if (isSame) return current
      const annotations = { ...current.metadata.annotations, [APPLIED_PLACEMENT]: placement }
      return {
        ...current,
        metadata: { ...current.metadata, annotations },
        // Go leaves out a list that is empty: where nothing changes, the binding keeps its generation.
        spec: { ...without(current.spec, ['clusters']), ...(clusters.length > 0 && { clusters }) },
      }
    })
    return isStale ? undefined : written
  }

  async #writeStatus(
    { kind, metadata }: Binding,
    change: (status: FullBindingStatus) => FullBindingStatus,
  ): Promise<void> {
    const { namespace, name } = metadata
    const { type } = bindingScopeOf({ apiVersion: '', kind, metadata })
    const place = { name, ...(namespace && { namespace }), subresource: 'status' }
    await update<Binding>(this.#control, type, place, current => {
      const before = current.status ?? {}
      const after = change(before)
      return sameJson(before, after) ? current : { ...current, status: after }
    })
  }

  /** A result that says the same as before is not written again, unless a reschedule was requested. */
  #told(
    status: FullBindingStatus,
    { metadata: { generation = 0 } }: Binding,
    { failure, affinityName }: Scheduling,
    wasAsked: boolean,
  ): FullBindingStatus {
    const now = timestamp(this.#now())
    const conditions = setConditions(status.conditions, [scheduled(failure)], now)
    if (failure) return { ...status, conditions }
    const next: FullBindingStatus = {
      ...status,
      conditions,
      schedulerObservedGeneration: generation,
      ...(affinityName !== undefined && { schedulerObservingAffinityName: affinityName }),
    }
    return sameJson(next, status) && !wasAsked ? status : { ...next, lastScheduledTime: now }
  }
}

const scheduled = (failure: Scheduling['failure']) =>
  failure
    ? ({ type: 'Scheduled', status: 'False', reason: failure.reason, message: failure.message } as const)
    : ({
        type: 'Scheduled',
        status: 'True',
        reason: 'Success',
        message: SCHEDULED,
      } as const)

/** Only where no cluster fits at all, the result of before is dropped. */
const keepsResult = ({ failure }: Scheduling): boolean =>
  failure !== undefined && failure.reason !== 'NoClusterFit'

const observedBy = (status: FullBindingStatus, generation: number | undefined): FullBindingStatus =>
  generation === undefined ? status : { ...status, schedulerObservedGeneration: generation }

/** Bindings of a policy that are neither suspended nor for another scheduler. */
function isOurs(binding: Binding): binding is PlacedBinding {
  const { labels = {} } = binding.metadata
  const { spec } = binding
  const { schedulerName = 'default-scheduler', suspension, placement } = spec
  const hasPolicy = Boolean(labels[CLAIMS.policy.id] || labels[CLAIMS.clusterPolicy.id])
  return (
    hasPolicy && schedulerName === 'default-scheduler' && !suspension?.scheduling && placement !== undefined
  )
}

/** Karmada schedules anew when a cluster's spec or labels change or it goes; what its status says waits for its turn. */
function isOfInterest(difference: Difference<Cluster>): boolean {
  if (difference.type !== 'MODIFIED') return false
  const { object, previous } = difference
  return (
    object.metadata.generation !== previous.metadata.generation ||
    object.metadata.deletionTimestamp !== previous.metadata.deletionTimestamp ||
    !sameJson(object.metadata.labels, previous.metadata.labels)
  )
}
