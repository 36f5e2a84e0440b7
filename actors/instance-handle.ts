import { type Actor, createActor } from 'xstate'
import { type ConditionFact, conditionsOf, stamped, statusOf } from '../machines/conditions.js'
import type { InstanceEvent } from '../machines/events.js'
import { causeOf, configurationOf, redacted, remembering, transitionsBetween } from '../machines/history.js'
import { type InstanceSnapshot, stateOf } from '../machines/invariants.js'
import { isNews } from '../machines/knowledge.js'
import { pendingOf } from '../machines/pending.js'
import type { Instance } from '../manifests/instance.js'
import type { Condition } from '../manifests/kube.js'
import type {
  Explanation,
  InspectionEvent,
  InstanceState,
  InstanceView,
  TransitionRecord,
} from '../ports/fleet.js'
import type { InstanceLogic } from './instance.js'
import type { EffectEvent } from './surroundings.js'

/** What a handle tells its registry. */
export interface HandleListener {
  /** The view may be another one now. */
  changed(handle: InstanceHandle, before: InstanceSnapshot | undefined): void
  crashed(handle: InstanceHandle, error: unknown): void
}

/**
 * One instance actor as the rest of the process knows it: told facts, asked for views, listened to. It outlives a crash of
 * its actor, so that the instance stays visible with the reason.
 */
export class InstanceHandle {
  #actor: Actor<InstanceLogic>
  #latest: InstanceSnapshot
  #history: readonly TransitionRecord[] = []
  #state: InstanceState
  #since: string
  #conditions: readonly Condition[] = []
  #view: InstanceView | undefined
  #crash: ConditionFact | undefined
  readonly #inspectors = new Set<(event: InspectionEvent) => void>()

  constructor(
    private readonly logic: InstanceLogic,
    private instance: Instance,
    leading: boolean,
    private readonly listener: HandleListener,
  ) {
    this.#actor = this.#create(leading)
    this.#latest = this.#actor.getSnapshot()
    this.#state = stateOf(this.#latest) ?? 'registering'
    this.#since = new Date().toISOString()
    this.#restamp(this.#latest)
  }

  get name(): string {
    return this.instance.metadata.name
  }
  /** The CR as it was last told, which an actor that crashed has not taken in. */
  get cr(): Instance {
    return this.instance
  }
  get uid(): string | undefined {
    return this.instance.metadata.uid
  }
  /** The last moment recorded. The actor itself still shows the one before while the recorder is being told. */
  get snapshot(): InstanceSnapshot {
    return this.#latest
  }
  /** The CR is gone, and so is everything outside. */
  get gone(): boolean {
    return this.snapshot.status === 'done'
  }

  start(): void {
    this.#actor.start()
  }

  tell(event: InstanceEvent): void {
    if (event.type === 'instance.observed') this.instance = event.instance
    else if (!isNews(this.#latest.context, event)) return
    if (this.#actor.getSnapshot().status === 'active') {
      this.#actor.send(event)
    } else if (event.type === 'instance.observed') {
      // One that crashed hears nothing until it is restarted; then it is told everything anew. Its CR is shown all the same.
      this.#view = undefined
      this.listener.changed(this, this.#latest)
    }
  }

  /** Ends the actor and whatever it runs. */
  stop(): void {
    this.#actor.stop()
  }

  /** A new actor in place of one that crashed; the facts are told to it anew by the registry. */
  restart(leading: boolean): void {
    this.#crash = undefined
    this.#actor = this.#create(leading)
    this.#latest = this.#actor.getSnapshot()
    this.#actor.start()
  }

  /** What is said of the actor's crash while it is down. */
  get crash(): ConditionFact | undefined {
    return this.#crash
  }

  /** Says in the view that the actor crashed, and what becomes of it. */
  markCrashed(crash: ConditionFact): void {
    this.#crash = crash
    this.#view = undefined
    this.listener.changed(this, undefined)
  }

  /** Called for every event that the actor took. */
  record(before: InstanceSnapshot, event: { type: string }, after: InstanceSnapshot): void {
    this.#latest = after
    const time = new Date().toISOString()
    const records = transitionsBetween(before, after, event, time)
    this.#history = remembering(this.#history, records)
    const state = stateOf(after) ?? this.#state
    if (state !== this.#state) [this.#state, this.#since] = [state, time]
    if (this.#inspectors.size > 0) this.#inspect(time, event, records)
    if (after.context === before.context && records.length === 0) return
    this.#restamp(after)
    this.listener.changed(this, before)
  }

  /** Called for every effect that the actor runs. */
  recordEffect({ instance: _instance, ...effect }: EffectEvent): void {
    if (this.#inspectors.size > 0)
      this.#emit({ time: new Date().toISOString(), instance: this.name, kind: 'effect', record: effect })
  }

  view(): InstanceView {
    this.#view ??= this.#viewOf(this.snapshot)
    return this.#view
  }

  explain(leading: boolean): Explanation {
    const { snapshot } = this
    return {
      view: this.view(),
      configuration: configurationOf(snapshot),
      pending: this.#crash ? [this.#crash.message] : pendingOf(snapshot),
      transitions: this.#history,
      leading,
    }
  }

  /** Calls back with everything the actor does, until the returned function is called. Costs nothing while nobody does. */
  inspect(emit: (event: InspectionEvent) => void): () => void {
    this.#inspectors.add(emit)
    return () => this.#inspectors.delete(emit)
  }

  #create(leading: boolean): Actor<InstanceLogic> {
    const actor = createActor(this.logic, { id: this.name, input: { instance: this.instance, leading } })
    actor.subscribe({
      error: error => {
        orphaned(actor)
        this.listener.crashed(this, error)
      },
    })
    return actor
  }

  /** Conditions get their time when they become so, not when somebody looks. */
  #restamp({ context }: InstanceSnapshot): void {
    const { status, metadata } = context.instance
    const before = [...(status?.conditions ?? []), ...this.#conditions]
    this.#conditions = stamped(this.#crash ? this.#crashed(context) : conditionsOf(context), {
      before,
      now: new Date().toISOString(),
      generation: metadata.generation,
    })
    this.#view = undefined
  }

  #crashed(context: InstanceSnapshot['context']): readonly ConditionFact[] {
    const crash = this.#crash
    return conditionsOf(context).map(fact => (crash && fact.type === crash.type ? crash : fact))
  }

  #viewOf({ context }: InstanceSnapshot): InstanceView {
    if (this.#crash) this.#restamp(this.snapshot)
    const { endpoint, kubernetesVersion, karmadaVersion, summary } = statusOf(context)
    return {
      name: this.name,
      instance: this.instance,
      state: this.#crash && this.#state === 'ready' ? 'degraded' : this.#state,
      since: this.#since,
      conditions: this.#conditions,
      ...(endpoint !== undefined && { endpoint }),
      ...(kubernetesVersion !== undefined && { kubernetesVersion }),
      ...(karmadaVersion !== undefined && { karmadaVersion }),
      ...(summary && { summary }),
    }
  }

  #inspect(time: string, event: { type: string }, records: readonly TransitionRecord[]): void {
    const { name: instance } = this
    if (records.length === 0) {
      const record = { event: event.type, cause: causeOf(event), detail: redacted(event) }
      this.#emit({ time, instance, kind: 'event', record })
    }
    for (const record of records) this.#emit({ time, instance, kind: 'transition', record: { ...record } })
  }

  #emit(event: InspectionEvent): void {
    for (const emit of this.#inspectors) emit(event)
  }
}

/** An actor that fails leaves its observers and effects running (measured, XState 5.33): they are told to stop. */
function orphaned(actor: Actor<InstanceLogic>): void {
  for (const child of Object.values(actor.getSnapshot().children)) child?.send({ type: 'xstate.stop' })
}
