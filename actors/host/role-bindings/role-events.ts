import { type Observable, Subject, Subscription } from 'rxjs'
import type { StoredBinding } from '../../../manifests/delivered-binding.js'
import type { InstanceRoleBinding } from '../../../manifests/instance-role-binding.js'
import { isOver } from '../../../manifests/role-end.js'
import type { WorkspaceRoleBinding } from '../../../manifests/workspace-role-binding.js'
import type { RoleEvent } from '../../../ports/role-bindings.js'
import type { Change } from '../../../streams/object-store.js'
import type { Collection } from '../../watches/collection.js'

type Bindings = Collection<InstanceRoleBinding> | Collection<WorkspaceRoleBinding>

/**
 * What becomes of role bindings while this process watches them: given, changed, withdrawn, ended by the clock. Those of the first list
 * were there before, and are no news.
 */
export class RoleEvents {
  readonly #events = new Subject<RoleEvent>()
  readonly #subscription = new Subscription()
  /** Those that gave a role when they were last seen, by kind and name. */
  readonly #inEffect = new Map<string, StoredBinding>()

  /** @param wall milliseconds since 1970 */
  constructor(
    sources: { readonly bindings: Bindings; readonly workspaceRoleBindings: Bindings },
    private readonly wall: () => number,
  ) {
    for (const source of [sources.bindings, sources.workspaceRoleBindings]) {
      const changes: Observable<Change<StoredBinding>> = source.changes
      this.#subscription.add(
        changes.subscribe(change => this.#take(change, source.resourceVersion !== undefined)),
      )
    }
  }

  subscribe(listener: (event: RoleEvent) => void): () => void {
    const subscription = this.#events.subscribe(listener)
    return () => subscription.unsubscribe()
  }

  stop(): void {
    this.#subscription.unsubscribe()
  }

  #take(change: Change<StoredBinding>, isNews: boolean): void {
    if (change.type === 'SYNCED') return
    const { object } = change
    const key = `${object.kind}/${object.metadata.name}`
    const before = this.#inEffect.get(key)
    const gives =
      change.type !== 'DELETED' &&
      object.metadata.deletionTimestamp === undefined &&
      !isOver(object, this.wall())
    if (gives) this.#inEffect.set(key, object)
    else this.#inEffect.delete(key)
    if (!isNews) return
    if (gives && !before) this.#report('given', object)
    else if (!gives && before) this.#report('withdrawn', object)
    else if (before && gives && JSON.stringify(before.spec) !== JSON.stringify(object.spec))
      this.#report('changed', object)
  }

  /** The end of some has come. @param keys `InstanceRoleBinding/name`, as the clock of ends has them */
  over(keys: readonly string[]): void {
    for (const key of keys) {
      const binding = this.#inEffect.get(key)
      if (this.#inEffect.delete(key) && binding) this.#report('withdrawn', binding)
    }
  }

  /** Roles that have an end begin and end, whoever ends them. */
  #report(what: 'given' | 'changed' | 'withdrawn', binding: StoredBinding): void {
    const hasEnd = binding.spec.expiresAt !== undefined
    const named = { given: 'began', changed: 'changed', withdrawn: 'ended' } as const
    this.#events.next({ what: hasEnd ? named[what] : what, binding, at: this.wall() })
  }
}
