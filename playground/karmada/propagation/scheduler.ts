import { CLAIMS } from '../../../karmada/matching/policies.js'
import { BINDING_MANAGED_BY } from '../../../karmada/networking/marks.js'
import type { Cluster } from '../../../karmada/objects/cluster.js'
import {
  APPLIED_PLACEMENT,
  type Binding,
  bindingScopeOf,
  type FullBindingStatus,
  type PlacedBinding,
} from '../../../karmada/objects/resource-binding.js'
import { writtenPlacement } from '../../../karmada/objects/written-placement.js'
import { withUnderWay } from '../../../karmada/quota/under-way.js'
import { QUOTA_EXCEEDED } from '../../../karmada/quota/usage.js'
import { sameJson } from '../../../karmada/same-json.js'
import { keepsResult } from '../../../karmada/scheduling/outcome.js'
import { type Scheduling, schedule } from '../../../karmada/scheduling/schedule.js'
import { schedulingTrigger } from '../../../karmada/scheduling/triggers.js'
import { without } from '../../../karmada/without.js'
import { StatusError } from '../../../manifests/status-error.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import type { Log } from '../../../ports/log.js'
import { objectKey } from '../../../streams/object-store.js'
import type { Difference } from '../../client/source.js'
import { update } from '../../client/write.js'
import { setConditions } from '../../objects/conditions.js'
import { timestamp } from '../../objects/timestamp.js'
import { AssignedBindings } from './assigned-bindings.js'
import { type Events, normal, warning } from './events.js'
import type { Observed } from './observed.js'
import { type Attempt, SchedulingQueue } from './scheduling-queue.js'

const SCHEDULED = 'Binding has been scheduled successfully.'

/** karmada-scheduler: writes into each binding which clusters get how many replicas, and says so in its status. */
export class Scheduler {
  readonly #control: KubeApi
  readonly #observed: Observed
  readonly #now: () => number
  readonly #events: Events
  readonly #assigned: AssignedBindings
  readonly #queue: SchedulingQueue

  constructor(control: KubeApi, observed: Observed, events: Events, now: () => number, log: Log) {
    this.#events = events
    this.#control = control
    this.#observed = observed
    this.#now = now
    this.#assigned = new AssignedBindings(observed)
    this.#queue = new SchedulingQueue({ log, schedule: key => this.#schedule(key) })
    observed.onBinding(difference => {
      const { type, object } = difference
      const isStatusOnly =
        type === 'MODIFIED' && object.metadata.generation === difference.previous.metadata.generation
      if (type !== 'DELETED' && !isStatusOnly) this.#add(object)
    })
    observed.clusters.listen(difference => {
      if (isOfInterest(difference)) for (const one of observed.bindings) this.#add(one)
    })
  }

  close(): Promise<void> {
    return this.#queue.close()
  }

  #add(binding: Binding): void {
    this.#queue.add(objectKey(binding), binding.spec.schedulePriority?.priority ?? 0)
  }

  async #schedule(key: string): Promise<Attempt> {
    await this.#observed.synced()
    const binding = this.#observed.binding(key)
    if (!binding || binding.metadata.deletionTimestamp || !isOurs(binding)) return 'done'
    const clusters = this.#observed.clusters.values()
    const trigger = schedulingTrigger(binding, clusters)
    if (!trigger) {
      await this.#writeStatus(binding, status => observedBy(status, binding.metadata.generation))
      return 'done'
    }
    const { namespace = '' } = binding.metadata
    const bindings = () => this.#assigned.inNamespace(namespace)
    const inMembers = (cluster: string) => this.#observed.quotasInMembers.of(cluster, namespace)
    const quotasOf = withUnderWay(inMembers, bindings)
    const decided = schedule(binding.spec, binding.status ?? {}, clusters, { quotasOf, bindings })
    if (saysSameFailure(binding, decided)) return attemptOf(decided)
    const { result, written } = await this.#place(binding, decided)
    if (written) this.#assigned.add(written)
    if (written) this.#tell(binding, result)
    if (written)
      await this.#writeStatus(written, status => this.#told(status, written, result, trigger === 'asked'))
    return attemptOf(result)
  }

  /** Writes a result; one that a quota refuses is a failure. */
  async #place(
    binding: PlacedBinding,
    result: Scheduling,
  ): Promise<{ readonly result: Scheduling; readonly written: Binding | undefined }> {
    if (keepsResult(result.failure)) return { result, written: binding }
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

const attemptOf = ({ failure }: Scheduling): Attempt =>
  failure ? (failure.reason === 'Unschedulable' ? 'unschedulable' : 'failed') : 'done'

/** A binding that fails as before has nothing to be written: failed ones come again every few seconds. */
function saysSameFailure({ metadata, spec, status }: PlacedBinding, decided: Scheduling): boolean {
  const { failure } = decided
  if (!failure) return false
  const known = status?.conditions?.find(({ type }) => type === 'Scheduled')
  if (known?.status !== 'False' || known.reason !== failure.reason || known.message !== failure.message)
    return false
  const applied = JSON.stringify(writtenPlacement(spec.placement))
  return (
    keepsResult(failure) ||
    ((spec.clusters ?? []).length === 0 && metadata.annotations?.[APPLIED_PLACEMENT] === applied)
  )
}

const observedBy = (status: FullBindingStatus, generation: number | undefined): FullBindingStatus =>
  generation === undefined ? status : { ...status, schedulerObservedGeneration: generation }

/** Bindings of a policy, or of a MultiClusterService, that are neither suspended nor for another scheduler. */
function isOurs(binding: Binding): binding is PlacedBinding {
  const { labels = {} } = binding.metadata
  const { spec } = binding
  const { schedulerName = 'default-scheduler', suspension, placement } = spec
  const isManaged = Boolean(
    labels[CLAIMS.policy.id] || labels[CLAIMS.clusterPolicy.id] || labels[BINDING_MANAGED_BY],
  )
  return (
    isManaged && schedulerName === 'default-scheduler' && !suspension?.scheduling && placement !== undefined
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
