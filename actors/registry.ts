import { type Observable, Subject } from 'rxjs'
import type { InstanceEvent } from '../machines/events.js'
import type { InstanceSnapshot } from '../machines/invariants.js'
import type { Instance } from '../manifests/instance.js'
import type { InstanceLogic } from './instance.js'
import { type HandleListener, InstanceHandle } from './instance-handle.js'
import { recorded } from './recorded.js'

/** What happened to one instance's view. */
export interface RegistryChange {
  readonly type: 'changed' | 'removed'
  readonly name: string
}

/**
 * All instance actors by name: root actors side by side, because children of one parent were measured to cost more the
 * more there are of them. Nobody here decides anything; the supervisor does.
 */
export class Registry {
  readonly #handles = new Map<string, InstanceHandle>()
  readonly #changes = new Subject<RegistryChange>()
  readonly #logic: InstanceLogic
  readonly #listener: HandleListener

  constructor(
    logic: InstanceLogic,
    listener: {
      readonly changed: (handle: InstanceHandle, before: InstanceSnapshot | undefined) => void
      readonly crashed: (handle: InstanceHandle, error: unknown) => void
    },
  ) {
    this.#logic = recorded(logic, (name, before, event, after) =>
      this.#handles.get(name)?.record(before, event, after),
    )
    this.#listener = {
      changed: (handle, before) => {
        listener.changed(handle, before)
        this.#changes.next({ type: 'changed', name: handle.name })
      },
      crashed: (handle, error) => {
        if (this.#handles.get(handle.name) === handle) listener.crashed(handle, error)
      },
    }
  }

  /** Names of instances whose view may be another one, as it happens. */
  get changes(): Observable<RegistryChange> {
    return this.#changes
  }
  get size(): number {
    return this.#handles.size
  }
  get(name: string): InstanceHandle | undefined {
    return this.#handles.get(name)
  }
  values(): IterableIterator<InstanceHandle> {
    return this.#handles.values()
  }

  /** Starts an actor for an Instance that has none. */
  start(instance: Instance, leading: boolean): InstanceHandle {
    const handle = new InstanceHandle(this.#logic, instance, leading, this.#listener)
    this.#handles.set(handle.name, handle)
    handle.start()
    this.#changes.next({ type: 'changed', name: handle.name })
    return handle
  }

  tell(name: string, event: InstanceEvent): void {
    this.#handles.get(name)?.tell(event)
  }

  /** Stops the actor and forgets the instance. */
  remove(name: string): void {
    const handle = this.#handles.get(name)
    if (!handle) return
    this.#handles.delete(name)
    handle.stop()
    this.#changes.next({ type: 'removed', name })
  }
}
