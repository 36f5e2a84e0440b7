import { type Observable, Subscription } from 'rxjs'
import { type AnyEventObject, fromCallback } from 'xstate'
import type { OwnObserverEvent } from '../../../machines/instance/events.js'
import { isInstanceEditor } from '../../../manifests/instance-rbac.js'
import type { GroupVersionResource, KubeObject } from '../../../manifests/kube.js'
import { NAMESPACES } from '../../../manifests/reserved-namespaces.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import { keepWatching } from '../../../streams/keep-watching.js'
import { listWatch } from '../../../streams/list-watch.js'
import { type Change, ObjectStore } from '../../../streams/object-store.js'
import { identityOf, projected } from '../../../streams/projected.js'
import type { Seen } from '../../../streams/seen.js'
import { meteredWatch } from '../../watches/metered-watch.js'
import { metadataOnly } from '../../watches/watched-type.js'
import type { InstanceDependencies } from '../dependencies.js'
import { madeInsideSelector, typesInside } from '../effects/rbac-inside.js'
import { AtMostEvery } from './at-most-every.js'

/** Shortest time between two repairs of our RBAC where it keeps changing, milliseconds. */
const AT_MOST_EVERY_MS = 5_000

/**
 * Notices that the RBAC that Kairship made inside an instance was changed or removed. Three small watches, of metadata
 * and of our own objects alone, and only while there are role bindings for the instance. In a large fleet, where a
 * thousand instances would pay 100 MB for what hardly ever happens, it is not watched: what was changed is put right
 * when contact is regained or another replica leads, as everything inside is.
 *
 * While there are Editors of the whole instance, also in a large fleet, it notices new namespaces: they get their Secrets by namespace.
 */
export const watchRoleBindings = (dependencies: InstanceDependencies) =>
  fromCallback<AnyEventObject, { name: string }, OwnObserverEvent>(({ input: { name }, sendBack }) => {
    const changed = () => sendBack({ type: 'roleBindings.rbacChanged' })
    const watch = new RoleBindingsWatch(dependencies, name, changed)
    return () => watch.stop()
  })

/** What is watched inside. */
interface Wanted {
  readonly rbac: boolean
  readonly namespaces: boolean
}

/** Subscriptions of its own instead of a chain of operators, for the reason that `Collection.follow` has. */
class RoleBindingsWatch {
  readonly #bindings: Subscription
  readonly #changed: AtMostEvery<void>
  #wanted: Wanted = { rbac: false, namespaces: false }
  #connection = Subscription.EMPTY
  #inside = Subscription.EMPTY

  constructor(
    private readonly dependencies: InstanceDependencies,
    private readonly name: string,
    changed: () => void,
  ) {
    this.#changed = new AtMostEvery(AT_MOST_EVERY_MS, changed)
    this.#look()
    this.#bindings = dependencies.host.roleBindings.changesOf(name).subscribe(() => this.#look())
  }

  stop(): void {
    this.#bindings.unsubscribe()
    this.#connection.unsubscribe()
    this.#inside.unsubscribe()
    this.#changed.stop()
  }

  #look(): void {
    const { host, startupBurst, connectionOf } = this.dependencies
    const bindings = host.roleBindings.of(this.name)
    const wanted = {
      rbac: bindings.length > 0 && !startupBurst.large,
      namespaces: bindings.some(isInstanceEditor),
    }
    if (wanted.rbac === this.#wanted.rbac && wanted.namespaces === this.#wanted.namespaces) return
    this.#wanted = wanted
    this.#connection.unsubscribe()
    this.#inside.unsubscribe()
    if (!wanted.rbac && !wanted.namespaces) return
    this.#connection = connectionOf(this.name).changes.subscribe(connected => {
      this.#inside.unsubscribe()
      this.#inside = connected ? this.#watch(connected.api, wanted) : Subscription.EMPTY
    })
  }

  #watch(api: KubeApi, { rbac, namespaces }: Wanted): Subscription {
    const inside = new Subscription()
    const labelSelector = madeInsideSelector(this.name)
    for (const resource of rbac ? typesInside : [])
      inside.add(this.#changesOf(api, resource, { labelSelector }, () => true))
    if (namespaces) inside.add(this.#changesOf(api, NAMESPACES, {}, ({ type }) => type === 'ADDED'))
    return inside
  }

  /** Changes after everything was seen once. Our own are among them: they are looked at once more, and found to be right. */
  #changesOf(
    api: KubeApi,
    resource: GroupVersionResource,
    selectors: { readonly labelSelector?: string },
    matters: (change: Change<KubeObject>) => boolean,
  ): Subscription {
    const objects = new ObjectStore<KubeObject>()
    const { asking, meter } = this.dependencies
    const seen$: Observable<Seen<KubeObject>> = keepWatching(
      listWatch<KubeObject>(metadataOnly(api), resource, selectors),
      { life: () => asking.watchLife() },
    ).pipe(meteredWatch(meter, resource.resource))
    return seen$.subscribe(seen => {
      const known = objects.synced
      // Only which objects there are, and in which version: labels, annotations and managed fields are many times that.
      const changes = objects.take(projected(seen, identityOf))
      if (known && changes.some(change => change.type !== 'SYNCED' && matters(change))) this.#changed.offer()
    })
  }
}
