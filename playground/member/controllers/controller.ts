import type { GroupVersionResource, KubeObject } from '../../../manifests/kube.js'
import type { Log } from '../../../ports/log.js'
import { objectKey } from '../../../streams/object-store.js'
import { type ReconcileResult, Reconciler } from '../../client/reconciler.js'
import type { Plan, World } from './plan.js'
import { ownerOf, type Sources } from './sources.js'
import type { Writer } from './writer.js'

/** One controller: whose objects it reconciles, what else concerns it, and what it decides. */
export interface ControllerDefinition<T extends KubeObject> {
  /** As the source of its Events. */
  readonly name: string
  readonly type: GroupVersionResource
  readonly plan: (object: T, world: World) => Plan
  /** What is left to do for an object that is gone. */
  readonly gone?: (key: string, world: World) => Plan
  /** Collections whose objects are reconciled with their owner of this kind. */
  readonly owns?: readonly GroupVersionResource[]
  readonly kind: string
  /** Collections of which any change may concern objects of this type. @returns their keys */
  readonly concerns?: readonly (readonly [
    GroupVersionResource,
    (changed: KubeObject, world: World) => readonly string[],
  ])[]
}

/** Runs a controller: one object at a time, again when something that concerns it has changed. */
export class Controller<T extends KubeObject> {
  readonly #queue: Reconciler
  readonly #definition: ControllerDefinition<T>

  constructor(
    definition: ControllerDefinition<T>,
    sources: Sources,
    writer: Writer,
    options: { readonly log: Log; readonly now: () => number },
  ) {
    this.#definition = definition
    const { type, kind, owns = [], concerns = [] } = definition
    const { log, now } = options
    this.#queue = new Reconciler({
      log,
      concurrency: 1,
      reconcile: key => this.#reconcile(key, sources, writer, now),
    })
    sources.listen(type, ({ object }) => this.#queue.add(objectKey(object)))
    for (const owned of owns)
      sources.listen(owned, ({ object }) => {
        const owner = ownerOf(object)
        if (owner?.kind === kind) this.#queue.add(`${object.metadata.namespace}/${owner.name}`)
      })
    for (const [concern, keysOf] of concerns)
      sources.listen(concern, difference => {
        const objects =
          difference.type === 'MODIFIED' ? [difference.previous, difference.object] : [difference.object]
        for (const object of objects)
          for (const key of keysOf(object, sources.worldAt(now()))) this.#queue.add(key)
      })
  }

  /** Has an object looked at although nothing changed. */
  add(key: string): void {
    this.#queue.add(key)
  }

  close(): Promise<void> {
    return this.#queue.close()
  }

  async #reconcile(
    key: string,
    sources: Sources,
    writer: Writer,
    now: () => number,
  ): Promise<ReconcileResult> {
    await sources.synced()
    const { type, plan, gone, name } = this.#definition
    const world = sources.worldAt(now())
    const object = world.get<T>(type, key)
    const planned = object ? plan(object, world) : gone?.(key, world)
    if (!planned) return undefined
    return writer.perform(type, object, planned, { component: name, latest: () => world.get<T>(type, key) })
  }
}
