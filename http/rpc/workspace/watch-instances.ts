import type { MessageInitShape } from '@bufbuild/protobuf'
import type { Instance } from '../../../manifests/instance.js'
import type {
  WatchInstancesRequest,
  WatchInstancesResponseSchema,
  WorkspaceService,
} from '../../../proto/gen/kairship/workspace_pb.js'
import type { Call } from '../../call/call.js'
import type { Authorizer } from '../../identity/authorize.js'
import type { InstanceFeed } from '../../instances/instance-feed.js'
import type { InstanceReading } from '../../instances/instance-reading.js'
import type { ObjectEvent } from '../../objects/objects.js'
import { FollowedState } from '../../objects/watch/followed-state.js'
import type { ServiceHandlers } from '../../operation/operation.js'
import { afterFirstItem } from '../concurrency/after-first-item.js'
import { checks } from '../concurrency/checks.js'
import { type Source, startedTogether } from '../concurrency/started-together.js'
import { UsableInstances } from '../fleet/usable-instances.js'
import { streamDigest } from '../kind/resume-token.js'
import { RowMessages } from '../kind/row-messages.js'
import { type RowPoint, RowTokens } from '../kind/row-tokens.js'
import type { RowStep } from '../kind/shown-rows.js'
import { type BoundRow, BoundRows } from './bound-rows.js'
import { type MembershipStep, membershipSources } from './membership.js'
import { seesInstance } from './seen-instances.js'
import type { Workspaces } from './workspaces.js'

/** What a watch of instances with their workspaces depends on. */
export interface WatchDependencies {
  readonly workspaces: Workspaces
  readonly instances: Pick<InstanceReading, 'upToDate'>
  readonly feed: Pick<InstanceFeed, 'read' | 'presentAt' | 'settled'>
  readonly authorizer: Authorizer
}

type Message = MessageInitShape<typeof WatchInstancesResponseSchema>
type Row = { readonly instance: string }
type Steps = readonly RowStep<BoundRow<Row>>[]
type Step =
  | MembershipStep
  /** `position`: of the feed, after the event; empty where a reader cannot go on after it. */
  | { readonly of: 'instances'; readonly event: ObjectEvent<Instance>; readonly position: string }
  | { readonly of: 'check' }

/** The instances that a request chooses and its caller may see, each with its workspace, as both change. */
export const watchBoundInstances =
  (dependencies: WatchDependencies): ServiceHandlers<typeof WorkspaceService>['watchInstances'] =>
  async (request, call) => {
    await dependencies.instances.upToDate(call)
    await dependencies.feed.settled()
    return afterFirstItem(new InstanceStream(dependencies, request, call).messages())
  }

class InstanceStream {
  readonly #rows = new BoundRows<Row>()
  /** Those that the request chooses, whether the caller may see them or not. */
  readonly #present = new FollowedState(({ metadata }: Instance) => metadata)
  readonly #sees: (name: string) => Promise<boolean>
  /** Those that the caller may see, as they were last asked for. */
  readonly #usable: UsableInstances<{ readonly name: string; readonly instance: Pick<Instance, 'metadata'> }>
  readonly #tokens: RowTokens
  #position = ''

  constructor(
    private readonly of: WatchDependencies,
    private readonly request: WatchInstancesRequest,
    private readonly call: Call,
  ) {
    this.#sees = seesInstance(of.authorizer, call)
    this.#tokens = new RowTokens(streamDigest(['instances with workspaces', request, call.caller.user]))
    this.#usable = new UsableInstances({ maySee: this.#sees }, async () =>
      [...this.#present.objects].map(([name, metadata]) => ({ name, instance: { metadata } })),
    )
  }

  async *messages(): AsyncGenerator<Message, void> {
    const since = this.#tokens.read(this.request.resumeToken)
    const messages = new RowMessages(since?.digest)
    for await (const step of startedTogether(this.call.signal, this.#sources(since))) {
      const taken = this.#take(step)
      if (!this.#present.isWhole || !this.#rows.membership.isWhole) continue
      const steps = messages.isBegun ? await this.#changes(step, taken) : await this.#showUsable()
      const { digest, total } = this.#rows
      const state = { digest, total, token: this.#token() }
      for (const { row, ...message } of messages.after(steps, state, step.of === 'check'))
        yield { ...message, ...(row && { instance: row }) }
    }
  }

  #sources(since: RowPoint | undefined): Source<Step>[] {
    const { feed, workspaces } = this.of
    return [
      {
        items: signal => this.#instanceSteps(feed, since?.position ?? '', signal),
        isStarted: step => step.of === 'instances' && step.event.type === 'BOOKMARK',
      },
      ...(membershipSources(workspaces, since?.marks) as Source<Step>[]),
      checks<Step>({ of: 'check' }),
    ]
  }

  async *#instanceSteps(
    feed: WatchDependencies['feed'],
    since: string,
    signal: AbortSignal,
  ): AsyncGenerator<Step, void> {
    const { instance } = this.request
    const isWanted = (name: string) => instance === '' || instance === name
    const before = since && (await feed.presentAt(since, signal))
    if (before) {
      for (const { name, instance: object } of before)
        if (isWanted(name))
          yield { of: 'instances', event: { type: 'ADDED', object, total: 0 }, position: '' }
      yield { of: 'instances', event: { type: 'BOOKMARK', total: 0 }, position: since }
    }
    for await (const event of feed.read(since, signal)) {
      const { token: position } = event
      if (!('view' in event)) yield { of: 'instances', event: { type: event.type, total: 0 }, position }
      else if (isWanted(event.view.name))
        yield {
          of: 'instances',
          event: { type: event.type, object: event.view.instance, total: 0 },
          position,
        }
      // The feed forgets positions: the stream's token must not stay at that of the last event that it shows.
      else if (position) yield { of: 'instances', event: { type: 'BOOKMARK', total: 0 }, position }
    }
  }

  /** Takes a step. Returns the instances that it may change. */
  #take(step: Step): readonly string[] {
    if (step.of === 'check') return []
    if (step.of !== 'instances') return this.#rows.take(step).map(({ instance }) => instance)
    this.#position = step.position
    return this.#present
      .take(step.event)
      .filter(({ before, after }) => before?.uid !== after?.uid)
      .map(({ name }) => name)
  }

  async #changes(step: Step, names: readonly string[]): Promise<Steps> {
    if (step.of === 'check') return this.#showUsable()
    const steps: Steps[number][] = []
    for (const instance of names) {
      const isShown = this.#present.objects.has(instance) && (await this.#sees(instance))
      const change = isShown ? this.#rows.show({ instance }) : this.#rows.hide({ instance })
      if (change) steps.push(change)
    }
    return steps
  }

  /** Asks for the rights on all. */
  async #showUsable(): Promise<Steps> {
    const usable = await this.#usable.read()
    return [...this.#present.objects.keys()]
      .sort()
      .map(instance => (usable.has(instance) ? this.#rows.show({ instance }) : this.#rows.hide({ instance })))
      .filter(change => change !== undefined)
  }

  /** Names the present state; empty where one of its lists cannot be named. */
  #token(): string {
    const { membership, digest } = this.#rows
    const { marks } = membership
    return marks && this.#position ? this.#tokens.of({ digest, marks, position: this.#position }) : ''
  }
}
