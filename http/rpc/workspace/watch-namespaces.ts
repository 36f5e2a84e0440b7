import type { MessageInitShape } from '@bufbuild/protobuf'
import type { KubeObject } from '../../../manifests/kube.js'
import { ListChange_Type as Type } from '../../../proto/gen/kairship/types_pb.js'
import type {
  WatchNamespaceInstancesRequest,
  WatchNamespaceInstancesResponseSchema,
  WorkspaceService,
} from '../../../proto/gen/kairship/workspace_pb.js'
import { Code } from '../../../transcoding/code.js'
import type { Call } from '../../call/call.js'
import { invalidFields } from '../../errors/failure.js'
import type { Authorizer } from '../../identity/authorize.js'
import { reaching } from '../../identity/reach.js'
import type { InstanceFeed } from '../../instances/instance-feed.js'
import type { InstanceReading } from '../../instances/instance-reading.js'
import type { ObjectEvent, Objects } from '../../objects/objects.js'
import { FollowedState } from '../../objects/watch/followed-state.js'
import type { ServiceHandlers } from '../../operation/operation.js'
import { afterFirstItem } from '../concurrency/after-first-item.js'
import { type Source, startedTogether } from '../concurrency/started-together.js'
import { namespaces } from '../core/namespace.js'
import { logInternal } from '../fleet/fleet-changes.js'
import { type FleetStep, followFleet, MOST_PLACES } from '../fleet/fleet-watch.js'
import { PlaceGate } from '../fleet/place-gate.js'
import { INSTANCE_NOT_FOUND } from '../fleet/places-of.js'
import type { PlaceStep } from '../fleet/watch-place.js'
import type { RowStep } from '../kind/shown-rows.js'
import { type BoundRow, BoundRows } from './bound-rows.js'
import { type MembershipStep, membershipSources } from './membership.js'
import { seesInstance } from './seen-instances.js'
import type { Workspaces } from './workspaces.js'

/** Instances whose lists of namespaces are read at once: each takes the memory of its list. */
const LISTED_AT_ONCE = { atOnce: 4, ofOne: 1 }

/** What a watch of namespaces with their workspaces depends on. */
export interface WatchDependencies {
  readonly workspaces: Workspaces
  readonly instances: Pick<InstanceReading, 'all'>
  readonly feed: Pick<InstanceFeed, 'read'>
  readonly objects: Objects
  readonly authorizer: Authorizer
}

type Message = MessageInitShape<typeof WatchNamespaceInstancesResponseSchema>
type Row = { readonly instance: string; readonly namespace: string }
type Steps = readonly RowStep<BoundRow<Row>>[]
type Step = MembershipStep | { readonly of: 'namespaces'; readonly step: FleetStep }

/** The namespaces that a request chooses, in the instances that its caller may see and reach, each with its workspace, as both change. */
export const watchBoundNamespaces =
  (dependencies: WatchDependencies): ServiceHandlers<typeof WorkspaceService>['watchNamespaceInstances'] =>
  (request, call) =>
    afterFirstItem(new NamespaceStream(dependencies, request, call).messages())

class NamespaceStream {
  readonly #rows = new BoundRows<Row>()
  /** The namespaces of each instance. */
  readonly #of = new Map<string, FollowedState<KubeObject, true>>()
  readonly #unread = new Set<string>()
  /** Each instance of the start was read or is unread. */
  #isRead = false

  constructor(
    private readonly of: WatchDependencies,
    private readonly request: WatchNamespaceInstancesRequest,
    private readonly call: Call,
  ) {}

  async *messages(): AsyncGenerator<Message, void> {
    let isBegun = false
    /** The instances that the last BOOKMARK has named as unread. */
    let sent: string | undefined
    for await (const step of startedTogether(this.call.signal, this.#sources())) {
      const steps = this.#take(step)
      if (!isBegun && step.of !== 'namespaces') continue
      if (!isBegun) {
        this.call.answered({ source: 'karmada', reason: 'Watch' })
        yield { type: Type.RESET, total: 0 }
        isBegun = true
      }
      for (const { type, row, total } of steps) yield { type: Type[type], namespace: row, total }
      const unread = [...this.#unread].sort()
      if (!this.#isRead || sent === unread.join()) continue
      sent = unread.join()
      yield { type: Type.BOOKMARK, total: this.#rows.total, unreadInstances: unread }
    }
  }

  #sources(): Source<Step>[] {
    // Namespaces when it is known what they belong to: then each is sent as soon as its instance was read.
    return [
      ...(membershipSources(this.of.workspaces, undefined) as Source<Step>[]),
      { items: signal => this.#fleetSteps(signal) },
    ]
  }

  async *#fleetSteps(signal: AbortSignal): AsyncGenerator<Step, void> {
    const { authorizer, objects, instances, feed } = this.of
    const { instance, namespace } = this.request
    const sees = seesInstance(authorizer, this.call)
    const maySee = async (name: string) =>
      (await sees(name)) && (await authorizer.decide(this.call.caller, reaching(name))).allowed
    const { group, version, resource } = namespaces.type
    const query = {
      resource: { group, version, resource },
      scope: { controlPlanes: true, members: false },
      ...{ clusters: [], withData: false, filter: { nameContains: [namespace] } },
    }
    const steps = followFleet({
      ...{ objects, instances, feed, query, tooMany },
      call: { ...this.call, signal, maySee },
      named: instance ? [instance] : [],
      gate: new PlaceGate(LISTED_AT_ONCE),
    })
    for await (const step of steps) yield { of: 'namespaces', step }
  }

  /** Takes a step. Returns what it changes in the rows. */
  #take(one: Step): Steps {
    if (one.of !== 'namespaces') {
      const rows = this.#rows.take(one)
      return stepsOf(rows.map(({ instance, namespace }) => this.#rows.show({ instance, namespace })))
    }
    if (one.step.type === 'BOOKMARK') {
      this.#isRead = true
      return []
    }
    const { instance } = one.step.place
    if (one.step.type === 'PLACE_FAILED') return this.#failed(one.step)
    if (one.step.type === 'PLACE_GONE') {
      this.#unread.delete(instance)
      const hidden = this.#hideAll(instance)
      this.#of.delete(instance)
      return hidden
    }
    const state = this.#of.get(instance) ?? new FollowedState<KubeObject, true>(() => true)
    this.#of.set(instance, state)
    const changes = state.take(eventOf(one.step))
    if (one.step.type === 'PLACE_READ') this.#unread.delete(instance)
    const gone = changes.filter(({ after }) => !after)
    const hidden = stepsOf(gone.map(({ name }) => this.#rows.hide({ instance, namespace: name })))
    if (one.step.type === 'PLACE_READ') return [...hidden, ...this.#showAll(instance)]
    const there = changes.filter(({ name, after }) => after && this.#isWanted(name))
    return [...hidden, ...stepsOf(there.map(({ name }) => this.#rows.show({ instance, namespace: name })))]
  }

  #failed(step: Extract<PlaceStep, { type: 'PLACE_FAILED' }>): Steps {
    const { place, failure } = step
    const { instance } = place
    // One that the request names and the caller may not see is as one that is not there.
    if (failure.details.reason === INSTANCE_NOT_FOUND) return []
    logInternal(this.call.log, step)
    this.call.log.info({ err: failure, instance }, 'namespaces of an instance are not followed')
    this.#unread.add(instance)
    // What it has is kept: an instance that lets the caller in again may say only what has changed since.
    return failure.code === Code.PERMISSION_DENIED ? this.#hideAll(instance) : []
  }

  #isWanted(name: string): boolean {
    return this.request.namespace === '' || this.request.namespace === name
  }

  #showAll(instance: string): Steps {
    const names = [...(this.#of.get(instance)?.objects.keys() ?? [])]
    const wanted = names.filter(name => this.#isWanted(name)).sort()
    return stepsOf(wanted.map(namespace => this.#rows.show({ instance, namespace })))
  }

  #hideAll(instance: string): Steps {
    const names = [...(this.#of.get(instance)?.objects.keys() ?? [])]
    return stepsOf(names.sort().map(namespace => this.#rows.hide({ instance, namespace })))
  }
}

type Followable = Exclude<PlaceStep, { readonly type: 'PLACE_FAILED' }>

/** The step of a place as one of a list: PLACE_READ is its BOOKMARK. */
function eventOf(step: Followable): ObjectEvent<KubeObject> {
  const { total } = step
  if (step.type === 'RESET') return { type: step.type, total }
  if (!('item' in step)) return { type: 'BOOKMARK', total }
  const metadata = { name: step.item.metadata?.name ?? '' }
  return { type: step.type, total, object: { apiVersion: 'v1', kind: 'Namespace', metadata } }
}

const stepsOf = (steps: readonly (Steps[number] | undefined)[]): Steps =>
  steps.filter(step => step !== undefined)

const tooMany = (what: string) =>
  invalidFields([
    {
      field: 'instance',
      description: `is empty, and the request is about ${what}, but one stream follows ${MOST_PLACES}: name one, and open a stream for each`,
    },
  ])
