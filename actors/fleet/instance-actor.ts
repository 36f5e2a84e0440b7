import { type Actor, createActor } from 'xstate'
import { conditionsOf, stamped } from '../../machines/instance/conditions.js'
import type { InstanceEvent } from '../../machines/instance/events.js'
import { configurationOf, remembering, transitionsBetween } from '../../machines/instance/history.js'
import { type InstanceSnapshot, stateOf } from '../../machines/instance/invariants.js'
import { pendingOf } from '../../machines/instance/pending.js'
import { isNews } from '../../machines/instance/reduce-fact.js'
import { type ConditionFact, judgementsOf } from '../../machines/instance/requirements.js'
import { statusOf } from '../../machines/instance/status.js'
import type { Instance } from '../../manifests/instance.js'
import type { Condition } from '../../manifests/kube.js'
import type {
  Explanation,
  InspectionEvent,
  InstanceState,
  InstanceView,
  TransitionRecord,
} from '../../ports/fleet.js'
import type { EffectEvent } from '../instance/dependencies.js'
import type { InstanceLogic } from '../instance/instance-logic.js'
import { Inspectors } from './inspectors.js'
import {
  AWAITING_TURN,
  type Figures,
  recordedConditions,
  recordedState,
  viewOf,
  withReason,
} from './instance-view.js'

/** What an instance actor reports to its registry. */
export interface InstanceActorListener {
  /** The view may have changed. `before` is the snapshot before the event; undefined when there was none. */
  changed(actor: InstanceActor, before: InstanceSnapshot | undefined): void
  /** It failed and is down until it is started again. Called once for each crash. */
  crashed(actor: InstanceActor, error: unknown): void
}

/**
 * One instance actor as the rest of the process knows it: receives facts, shows views, can be inspected. It outlives a
 * crash of the XState actor inside, also one in its first macrostep: then there is no context, and the view is made of the
 * CR and of the last snapshot, if there ever was one.
 *
 * Guarantee: no method throws because of the data of the instance; what it throws inside is a crash of this instance.
 */
export class InstanceActor {
  /** The XState actor; undefined before the first start, and from a crash until the restart. */
  #actor: Actor<InstanceLogic> | undefined
  /** The last snapshot without an error; undefined until an actor of this instance came up. */
  #latest: InstanceSnapshot | undefined
  #history: readonly TransitionRecord[] = []
  #state: InstanceState = 'registering'
  #since = new Date().toISOString()
  #conditions: readonly Condition[] = []
  /** What the conditions were made of; undefined where they have to be made again. */
  #stampedFrom: readonly unknown[] | undefined
  #view: InstanceView | undefined
  #crash: ConditionFact | undefined
  /** Whether it was started once. Before that only its CR is shown. */
  #started = false
  readonly #inspectors: Inspectors

  /** Nothing runs before `start`. */
  constructor(
    private readonly logic: InstanceLogic,
    private instance: Instance,
    private readonly listener: InstanceActorListener,
  ) {
    this.#inspectors = new Inspectors(instance.metadata.name)
  }

  get name(): string {
    return this.instance.metadata.name
  }
  /** The CR as last observed, which an actor that crashed has not processed. */
  get cr(): Instance {
    return this.instance
  }
  get uid(): string | undefined {
    return this.instance.metadata.uid
  }
  /** The last snapshot recorded. While the recorder runs, the XState actor still returns the one before. */
  get snapshot(): InstanceSnapshot | undefined {
    return this.#latest
  }
  /** The Ready condition of an actor that crashed; undefined while it runs. */
  get crash(): ConditionFact | undefined {
    return this.#crash
  }

  /** Starts the actor, or a new one in place of one that crashed; the supervisor sends it the facts again. */
  start(leading: boolean): void {
    this.#started = true
    this.#crash = undefined
    this.#view = undefined
    const { name: id, instance } = this
    const actor = createActor(this.logic, { id, input: { instance, leading } })
    this.#actor = actor
    // Subscribed before the start: an error of the first macrostep is reported to an observer of then, or kills the process.
    actor.subscribe({ error: error => this.fail(error, actor) })
    this.#contained(() => {
      const first = actor.getSnapshot()
      if (first.status !== 'error') this.#adopt(first)
      actor.start()
    })
  }

  send(event: InstanceEvent): void {
    if (event.type === 'instance.observed') this.instance = event.instance
    const actor = this.#actor
    if (!actor) {
      // It gets all facts when it is started. Until then only its CR is shown as it is.
      if (event.type === 'instance.observed') this.#changed(this.#latest)
      return
    }
    this.#contained(() => {
      if (event.type !== 'instance.observed' && this.#latest && !isNews(this.#latest.context, event)) return
      if (actor.getSnapshot().status === 'active') actor.send(event)
    })
  }

  /** Ends the actor and whatever it runs. */
  stop(): void {
    this.#actor?.stop()
  }

  /**
   * Something that this instance caused has failed, inside its XState actor or in who works for it: the actor goes down, and
   * the listener is called. Without effect on an actor that is down.
   */
  fail(error: unknown, actor = this.#actor): void {
    if (!actor || actor !== this.#actor) return
    this.#actor = undefined
    const message = error instanceof Error ? error.message : String(error)
    this.#crash = { type: 'Ready', status: 'False', reason: 'Crashed', message }
    end(actor)
    this.listener.crashed(this, error)
  }

  /** Says in the view why the actor is down and when it is restarted. */
  markCrashed(crash: ConditionFact): void {
    this.#crash = crash
    this.#changed(undefined)
  }

  /** Called for every event that the actor processed. */
  record(before: InstanceSnapshot, event: { type: string }, after: InstanceSnapshot): void {
    if (!this.#actor) return // what still ends in an actor that is down is no news
    this.#latest = after
    const time = new Date().toISOString()
    const records = transitionsBetween(before, after, event, time)
    this.#history = remembering(this.#history, records)
    const state = stateOf(after) ?? this.#state
    if (state !== this.#state) [this.#state, this.#since] = [state, time]
    this.#inspectors.processed(time, event, records)
    if (after.context === before.context && records.length === 0) return
    this.#restamp(after)
    this.listener.changed(this, before)
  }

  /** Called for every effect that the actor runs. */
  recordEffect(effect: EffectEvent): void {
    this.#inspectors.effect(effect)
  }

  view(): InstanceView {
    this.#contained(() => {
      if (this.#latest && !this.#crash) this.#view ??= this.#viewOf(this.#latest)
    })
    this.#view ??= this.#viewWithoutActor()
    return this.#view
  }

  explain(leading: boolean): Explanation {
    const pending: string[] = []
    this.#contained(() => {
      if (this.#latest && !this.#crash) pending.push(...pendingOf(this.#latest))
    })
    const down = this.#crash ?? this.#awaiting
    if (down) pending.push(down.message)
    return {
      view: this.view(),
      configuration: this.#latest ? configurationOf(this.#latest) : [],
      pending,
      transitions: this.#history,
      leading,
    }
  }

  /** Calls back with everything the actor does, until the returned function is called. Costs nothing while there is no callback. */
  inspect(emit: (event: InspectionEvent) => void): () => void {
    return this.#inspectors.add(emit)
  }

  /** Does something with the data of the instance; an error is a crash of this instance. */
  #contained(work: () => void): void {
    const actor = this.#actor
    try {
      work()
    } catch (error) {
      this.fail(error, actor)
    }
  }

  /** Takes over the first snapshot of an actor, which no event led to. */
  #adopt(first: InstanceSnapshot): void {
    this.#latest = first
    const state = stateOf(first) ?? this.#state
    if (state !== this.#state) [this.#state, this.#since] = [state, new Date().toISOString()]
    this.#restamp(first)
  }

  #changed(before: InstanceSnapshot | undefined): void {
    this.#view = undefined
    this.listener.changed(this, before)
  }

  /** Conditions get their time when they become true, not when the view is read. */
  #restamp({ context }: InstanceSnapshot): void {
    const { status, metadata } = context.instance
    this.#view = undefined
    // While it is deleted, conditions follow from how that goes on too.
    const from = [judgementsOf(context), status?.conditions, metadata.generation, context.phase]
    if (context.phase !== 'deleting' && this.#stampedFrom?.every((part, at) => part === from[at])) return
    this.#stampedFrom = from
    const before = [...(status?.conditions ?? []), ...this.#conditions]
    const now = new Date().toISOString()
    this.#conditions = stamped(conditionsOf(context), { before, now, generation: metadata.generation })
  }

  #viewOf({ context }: InstanceSnapshot): InstanceView {
    return this.#shown(this.#state, statusOf(context))
  }

  get #awaiting(): ConditionFact | undefined {
    return this.#started ? undefined : AWAITING_TURN
  }

  #viewWithoutActor(): InstanceView {
    const before = this.#started ? this.#conditions : recordedConditions(this.instance)
    this.#stampedFrom = undefined
    this.#conditions = withReason(before, this.#crash ?? this.#awaiting, this.instance)
    const state = this.#latest ? this.#state : recordedState(this.instance)
    return this.#shown(state === 'ready' ? 'degraded' : state, this.instance.status ?? {})
  }

  #shown(state: InstanceState, figures: Figures): InstanceView {
    return viewOf(this.instance, { state, since: this.#since, conditions: this.#conditions }, figures)
  }
}

/**
 * Stops an actor, or what is left of one that failed: XState leaves its observers and effects running (measured with 5.33).
 * One that failed in its first macrostep has no snapshot and started nothing.
 */
function end(actor: Actor<InstanceLogic>): void {
  const { status, children = {} } = actor.getSnapshot() as Partial<InstanceSnapshot>
  if (status === 'active') actor.stop()
  else for (const child of Object.values(children)) child?.send({ type: 'xstate.stop' })
}
