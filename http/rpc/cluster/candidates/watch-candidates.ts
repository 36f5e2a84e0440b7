import type { MessageInitShape } from '@bufbuild/protobuf'
import type { Cluster } from '../../../../karmada/objects/cluster.js'
import type { PediaCluster } from '../../../../manifests/pedia-cluster.js'
import type {
  ClusterService,
  WatchClustersRequest,
  WatchClustersResponseSchema,
} from '../../../../proto/gen/kairship/cluster_pb.js'
import type { Call } from '../../../call/call.js'
import { type Authorizer, requireRight } from '../../../identity/authorize.js'
import type { ObjectEvent, Objects } from '../../../objects/objects.js'
import { sideCall } from '../../../objects/side-call.js'
import { FollowedState, type StateChange } from '../../../objects/watch/followed-state.js'
import { watchHost } from '../../../objects/watch/watch-host.js'
import type { ServiceHandlers } from '../../../operation/operation.js'
import { afterFirstItem } from '../../concurrency/after-first-item.js'
import { checks } from '../../concurrency/checks.js'
import { type Source, startedTogether } from '../../concurrency/started-together.js'
import { CLUSTER } from '../../kind/object-types.js'
import { type Marks, streamDigest } from '../../kind/resume-token.js'
import { RowMessages } from '../../kind/row-messages.js'
import { RowTokens } from '../../kind/row-tokens.js'
import { type RowStep, ShownRows } from '../../kind/shown-rows.js'
import type { ClusterMessage } from '../cluster.js'
import { candidateFilter, mayReach } from './candidate-list.js'
import { type Candidates, candidateMessage, type Member, memberTest } from './candidates.js'

interface Dependencies {
  readonly objects: Pick<Objects, 'watch'>
  readonly candidates: Candidates
  readonly authorizer: Authorizer
}

type Message = MessageInitShape<typeof WatchClustersResponseSchema>
type Steps = readonly RowStep<ClusterMessage>[]
type Step =
  | { readonly of: 'candidates'; readonly event: ObjectEvent<PediaCluster> }
  | { readonly of: 'members'; readonly event: ObjectEvent<Cluster> }
  | { readonly of: 'check' }

/** The clusters that can join an instance, or all, as they change and as they join it and leave it. */
export const watchCandidates =
  (dependencies: Dependencies): ServiceHandlers<typeof ClusterService>['watchClusters'] =>
  (request, call) =>
    afterFirstItem(new CandidateStream(dependencies, request, call).messages())

class CandidateStream {
  readonly #rows = new ShownRows<ClusterMessage>()
  readonly #candidates = new FollowedState((one: PediaCluster) => one)
  readonly #members = new FollowedState<Cluster, Member>(({ metadata: { name }, spec: { apiEndpoint } }) => ({
    metadata: { name },
    spec: { ...(apiEndpoint !== undefined && { apiEndpoint }) },
  }))
  readonly #isWanted: ReturnType<typeof candidateFilter>
  /** Whether a candidate is one of the members, as they were last. */
  #isMember = memberTest([])
  readonly #tokens: RowTokens

  /** @throws Failure INVALID_ARGUMENT for a phase or a role that no cluster has */
  constructor(
    private readonly of: Dependencies,
    private readonly request: WatchClustersRequest,
    private readonly call: Call,
  ) {
    this.#isWanted = candidateFilter(request)
    this.#tokens = new RowTokens(streamDigest(['clusters to join', request, call.caller.user]))
  }

  async *messages(): AsyncGenerator<Message, void> {
    await this.#requireRights()
    const since = this.#tokens.read(this.request.resumeToken)
    const messages = new RowMessages(since?.digest)
    for await (const step of startedTogether(this.call.signal, this.#sources(since?.marks))) {
      const changes = this.#take(step)
      if (!this.#isWhole) continue
      await this.#requireRights()
      const steps = messages.isBegun ? await this.#steps(step, changes) : this.#all()
      if (!messages.isBegun && this.request.instance)
        this.call.answered({ source: 'karmada', reason: 'Watch' })
      const { digest, size: total } = this.#rows
      const state = { digest, total, token: this.#token() }
      for (const { row, ...message } of messages.after(steps, state, step.of === 'check'))
        yield { ...message, ...(row && { cluster: row }) }
    }
  }

  get #isWhole(): boolean {
    return this.#candidates.isWhole && (this.request.instance === '' || this.#members.isWhole)
  }

  /** @throws Failure PERMISSION_DENIED */
  async #requireRights(): Promise<void> {
    const { authorizer } = this.of
    for (const verb of ['list', 'watch'])
      await requireRight(authorizer, this.call, { verb, resource: 'clusters' })
    if (this.request.instance) await mayReach(authorizer, this.call, this.request.instance)
  }

  #sources(since: Marks | undefined): Source<Step>[] {
    const { objects, candidates } = this.of
    const { call, request } = this
    const { instance } = request
    const [ofHost, ofInstance] = since ?? []
    const isStarted = (step: Step) => step.of !== 'check' && step.event.type === 'BOOKMARK'
    const host: Source<Step> = {
      async *items(signal) {
        const list = candidates.followed(request, signal)
        for await (const event of watchHost(list, ofHost ?? undefined)) yield { of: 'candidates', event }
      },
      isStarted,
    }
    const members: Source<Step> = {
      async *items(signal) {
        const within = { ...sideCall(call), signal }
        const all = { page: 1, pageSize: 0 }
        const watch = objects.watch<Cluster>(within, { instance }, CLUSTER, all, ofInstance ?? undefined)
        for await (const event of watch) yield { of: 'members', event }
      },
      isStarted,
    }
    return [host, ...(instance ? [members] : []), checks<Step>({ of: 'check' })]
  }

  /** Takes a step. Returns the candidates that it may change. */
  #take(step: Step): readonly StateChange<PediaCluster>[] {
    if (step.of === 'check') return []
    if (step.of === 'candidates') return this.#candidates.take(step.event)
    const isOther = this.#members
      .take(step.event)
      .some(({ before, after }) => !before || !after || before.spec.apiEndpoint !== after.spec.apiEndpoint)
    if (!isOther) return []
    this.#isMember = memberTest(this.#members.objects.values())
    return [...this.#candidates.objects].map(([name, one]) => ({ name, before: one, after: one }))
  }

  async #steps(step: Step, changes: readonly StateChange<PediaCluster>[]): Promise<Steps> {
    const steps: (Steps[number] | undefined)[] = []
    for (const { name, before, after, left } of changes) {
      if (after) steps.push(this.#show(after))
      else if (before && this.#rows.get(name)) {
        const isThere = left || (step.of === 'candidates' && (await this.#isUnselected(before)))
        steps.push(this.#rows.remove(name, isThere ? this.#rows.get(name) : undefined))
      }
    }
    return steps.filter(one => one !== undefined)
  }

  #all(): Steps {
    const all = [...this.#candidates.objects.values()]
    return all.map(one => this.#show(one)).filter(one => one !== undefined)
  }

  #show(candidate: PediaCluster): Steps[number] | undefined {
    const { name } = candidate.metadata
    const managedBy = this.#isMember(candidate) ? this.request.instance : ''
    const row = candidateMessage(candidate, managedBy)
    return this.#isWanted(candidate, managedBy) ? this.#rows.set(name, row) : this.#rows.remove(name, row)
  }

  /** API servers report an object that selectors no longer select as deleted. */
  async #isUnselected(one: PediaCluster): Promise<boolean> {
    const { labelSelector, fieldSelector } = this.request
    if (!labelSelector && !fieldSelector) return false
    return this.of.candidates.isThere(one, this.call.signal)
  }

  /** Names the present state; empty where one of its lists cannot be named. */
  #token(): string {
    const states = this.request.instance ? [this.#candidates, this.#members] : [this.#candidates]
    const marks = states.map(({ mark }) => mark).filter(mark => mark !== undefined)
    return marks.length < states.length ? '' : this.#tokens.of({ digest: this.#rows.digest, marks })
  }
}
