import { type Observable, Subject } from 'rxjs'
import type { InstanceEvent } from '../../machines/instance/events.js'
import type { InstanceSnapshot } from '../../machines/instance/invariants.js'
import type { Instance } from '../../manifests/instance.js'
import type { InstanceLogic } from '../instance/instance-logic.js'
import { InstanceActor, type InstanceActorListener } from './instance-actor.js'
import { recorded } from './recorded-logic.js'

/** What happened to one instance's view. */
export interface RegistryChange {
  readonly type: 'changed' | 'removed'
  readonly name: string
}

/**
 * All instance actors by name: root actors side by side, because children of one parent were measured to cost more the
 * more there are of them. The registry decides nothing; the supervisor does.
 */
export class Registry {
  readonly #actors = new Map<string, InstanceActor>()
  readonly #changes = new Subject<RegistryChange>()
  readonly #logic: InstanceLogic
  readonly #listener: InstanceActorListener

  constructor(
    logic: InstanceLogic,
    listener: {
      readonly changed: (actor: InstanceActor, before: InstanceSnapshot | undefined) => void
      readonly crashed: (actor: InstanceActor, error: unknown) => void
    },
  ) {
    this.#logic = recorded(logic, (name, before, event, after) =>
      this.#actors.get(name)?.record(before, event, after),
    )
    this.#listener = {
      changed: (actor, before) => {
        listener.changed(actor, before)
        this.#changes.next({ type: 'changed', name: actor.name })
      },
      crashed: (actor, error) => {
        if (this.#actors.get(actor.name) === actor) listener.crashed(actor, error)
      },
    }
  }

  /** Names of instances whose view may have changed, as it happens. */
  get changes(): Observable<RegistryChange> {
    return this.#changes
  }
  get size(): number {
    return this.#actors.size
  }
  get(name: string): InstanceActor | undefined {
    return this.#actors.get(name)
  }
  values(): IterableIterator<InstanceActor> {
    return this.#actors.values()
  }

  /** Shows an Instance that has no actor yet; it observes nothing before it is started. */
  add(instance: Instance): InstanceActor {
    const actor = new InstanceActor(this.#logic, instance, this.#listener)
    this.#actors.set(actor.name, actor)
    this.#changes.next({ type: 'changed', name: actor.name })
    return actor
  }

  /** Starts the actor of an Instance, or a new one in place of one that crashed. It may be down already when this returns. */
  start(name: string, leading: boolean): void {
    const actor = this.#actors.get(name)
    if (!actor) return
    actor.start(leading)
    this.#changes.next({ type: 'changed', name })
  }

  send(name: string, event: InstanceEvent): void {
    this.#actors.get(name)?.send(event)
  }

  /** Stops the actor and forgets the instance. */
  remove(name: string): void {
    const actor = this.#actors.get(name)
    if (!actor) return
    this.#actors.delete(name)
    actor.stop()
    this.#changes.next({ type: 'removed', name })
  }
}
