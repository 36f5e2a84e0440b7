import { setMaxListeners } from 'node:events'
import { bindingName } from '../../../karmada/names.js'
import type { Binding } from '../../../karmada/objects/resource-binding.js'
import { targetsOf } from '../../../karmada/propagation/work-of.js'
import { isNoCluster } from '../../../manifests/status-error.js'
import { joined } from '../../../ports/cancellation.js'
import { WatchWorkloadEventsResponse_Type as Type } from '../../../proto/gen/kairship/workload_pods_pb.js'
import { failedPrecondition } from '../../errors/failure.js'
import { toFailure } from '../../errors/to-failure.js'
import { apiVersionOf } from '../../objects/object-type.js'
import type { ObjectCall, Objects } from '../../objects/objects.js'
import { sideCall } from '../../objects/side-call.js'
import { pauseFor } from '../../objects/watch/changes-since.js'
import { closeSource, LiveMerge } from '../concurrency/live-merge.js'
import { type Event, events } from '../core/event.js'
import { typeOfWhole } from '../core/workloads.js'
import { isOf } from '../distribution/binding-of.js'
import { RESOURCE_BINDING } from '../kind/object-types.js'
import { MemberEvents } from './member-events.js'
import type { WorkloadAt } from './pods-in.js'
import { type EventStep, ShownEvents } from './shown-events.js'
import { type WholeOrChange, wholeOrChanges } from './whole-or-change.js'
import { isAbout, isOfTypes } from './workload-events.js'

/** Which events of a workload are followed. */
export interface EventsRequest {
  readonly workload: WorkloadAt
  /** Absent for the control plane and all clusters that the workload is placed on. */
  readonly clusters?: readonly string[]
  /** Empty for all. */
  readonly types: ReadonlySet<string>
}

/** Clusters that are followed at once for one call. */
export const MOST_CLUSTERS = 100
/** Members whose first lists are read at once. */
const AT_ONCE = 8
/** Until a member that ended so that it is begun anew is begun anew. */
const ANEW_MS = 1_000
/** Until a member that cannot be read is tried again: twice as long each time. */
const FIRST_PAUSE_MS = 5_000
/** The longest such pause. A member that was followed for as long begins with the first one again. */
const LONGEST_PAUSE_MS = 60_000

/** What one source changes, once it is its turn. */
type Turn = () => Iterable<EventStep>

/**
 * Follows the events of a workload in the control plane and in members. A member that cannot be read is named and tried again; where the
 * control plane cannot be read, the stream ends.
 * @throws Failure FAILED_PRECONDITION for too many clusters or events; the control plane's refusal; the reason of the call's signal
 */
export async function* watchedEvents(
  objects: Objects,
  call: ObjectCall,
  { workload, clusters, types }: EventsRequest,
  pause = pauseFor,
): AsyncGenerator<EventStep, void> {
  const over = new AbortController()
  const { signal, clear } = joined([call.signal, over.signal])
  setMaxListeners(0, signal) // every member listens
  const own = { ...call, signal }
  const merge = new LiveMerge<Turn>()
  const shown = new ShownEvents()
  const followed = new Map<string, AbortController>()
  const unstarted = new Set<string>()
  /** Clusters that the reader knows as unread. */
  const unread = new Set<string>()
  const lanes: Promise<unknown>[] = Array.from({ length: AT_ONCE }, () => Promise.resolve())
  let begun = 0
  let begunWith: readonly AsyncGenerator<unknown, void>[] = []

  const unreadStep = (cluster: string, { message }: { readonly message: string }): EventStep => {
    unread.add(cluster)
    return { type: Type.UNREAD, cluster, message, total: shown.total }
  }

  /** What a step of a member's list changes. Its first one after a failure is the whole list: the member is read again. */
  function* stepsOf(cluster: string, step: WholeOrChange<Event>): Generator<EventStep, void> {
    yield* shown.step({ instance: workload.instance, cluster }, step)
    if (unread.delete(cluster)) yield { type: Type.READ, cluster, total: shown.total }
  }

  async function* member(cluster: string, left: AbortSignal): AsyncGenerator<Turn, void> {
    const { signal: until, clear: letGo } = joined([signal, left])
    const list = new MemberEvents(objects, { ...workload, cluster }, types)
    let started: () => void = () => undefined
    const lane = begun++ % AT_ONCE
    const turn = lanes[lane]
    lanes[lane] = new Promise<void>(resolve => (started = resolve))
    const asTurn =
      (steps: Turn): Turn =>
      () => {
        if (left.aborted) return []
        unstarted.delete(cluster)
        return steps()
      }
    try {
      await turn
      for (let pauseMs = FIRST_PAUSE_MS; !until.aborted; ) {
        const since = performance.now()
        let next = ANEW_MS
        try {
          for await (const step of list.changes({ ...own, signal: until })) {
            started()
            yield asTurn(() => stepsOf(cluster, step))
          }
        } catch (error) {
          started()
          if (until.aborted) return
          yield asTurn(() => [unreadStep(cluster, toFailure(error))])
          if (isNoCluster(error)) return
          if (performance.now() - since > LONGEST_PAUSE_MS) pauseMs = FIRST_PAUSE_MS
          next = pauseMs
          pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)
        }
        await pause(next, { signal: until }).catch(error => {
          if (!until.aborted) throw error
        })
      }
    } finally {
      started()
      letGo()
    }
  }

  function add(cluster: string): void {
    const left = new AbortController()
    followed.set(cluster, left)
    unstarted.add(cluster)
    merge.add(member(cluster, left.signal))
  }

  /** Follows the clusters that the workload is placed on now, and no others. */
  function* place(names: readonly string[]): Generator<EventStep, void> {
    for (const [cluster, left] of [...followed]) {
      if (names.includes(cluster)) continue
      left.abort(new Error('the workload is not placed on the cluster any more'))
      followed.delete(cluster)
      unstarted.delete(cluster)
      unread.delete(cluster)
      yield* shown.leave(cluster)
    }
    for (const cluster of names) {
      if (followed.has(cluster)) continue
      if (followed.size < MOST_CLUSTERS) add(cluster)
      else yield unreadStep(cluster, tooMany(names.length))
    }
  }

  try {
    const first: Turn[] = []
    if (clusters) for (const cluster of clusters) add(cluster)
    else {
      const control = { instance: workload.instance }
      const templates = wholeOrChanges(ownEvents(objects, own, workload, types))
      const placements = placementsOf(objects, own, workload)
      begunWith = [templates, placements]
      const [template, placed] = await Promise.all([templates.next(), placements.next()])
      const names = placed.value ?? []
      if (names.length > MOST_CLUSTERS) throw tooMany(names.length)
      const { value } = template
      if (value) first.push(() => shown.step(control, value))
      first.push(() => place(names))
      merge.add(turns(templates, step => shown.step(control, step)))
      merge.add(turns(placements, place))
    }
    yield { type: Type.RESET, total: 0 }
    for (const steps of first) yield* steps()
    let isWhole = unstarted.size === 0
    if (isWhole) yield { type: Type.BOOKMARK, total: shown.total }
    for await (const steps of merge.items()) {
      yield* steps()
      if (isWhole || unstarted.size > 0) continue
      isWhole = true
      yield { type: Type.BOOKMARK, total: shown.total }
    }
    signal.throwIfAborted()
  } finally {
    over.abort(new Error('the events are not followed any more'))
    merge.close()
    for (const source of begunWith) closeSource(source)
    clear()
  }
}

const tooMany = (count: number) =>
  failedPrecondition(
    `the workload is placed on ${count} clusters, and ${MOST_CLUSTERS} are followed at once: choose clusters`,
    { reason: 'TooManyClusters' },
  )

/** The events of the template itself, in the control plane. */
function ownEvents(objects: Objects, call: ObjectCall, workload: WorkloadAt, types: ReadonlySet<string>) {
  const nothing = new Set<string>()
  const where = (event: Event) => isOfTypes(event, types) && isAbout(event, workload, nothing)
  const query = { namespace: workload.namespace, where, page: 1, pageSize: 0 }
  return objects.watch<Event>(call, { instance: workload.instance }, events.type, query)
}

/** The names of the clusters that a workload is placed on, as its binding says it; again with each change. */
async function* placementsOf(
  objects: Objects,
  call: ObjectCall,
  { instance, namespace, kind, name }: WorkloadAt,
): AsyncGenerator<readonly string[], void> {
  const fieldSelector = `metadata.name=${bindingName(kind, name)}`
  const template = { apiVersion: apiVersionOf(typeOfWhole(kind)), kind }
  const where = (binding: Binding) => isOf(binding, template)
  const query = { namespace, fieldSelector, where, page: 1, pageSize: 0 }
  const bindings = objects.watch<Binding>(sideCall(call), { instance }, RESOURCE_BINDING, query)
  for await (const step of wholeOrChanges(bindings)) {
    const present = 'whole' in step ? step.whole : step.isGone ? [] : [step.object]
    yield present.flatMap(binding => targetsOf(binding).map(target => target.name)).sort()
  }
}

async function* turns<S>(
  source: AsyncIterable<S>,
  stepsOf: (step: S) => Iterable<EventStep>,
): AsyncGenerator<Turn, void> {
  for await (const step of source) yield () => stepsOf(step)
}
