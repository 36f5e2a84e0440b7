import {
  distinctUntilChanged,
  EMPTY,
  filter,
  map,
  merge,
  skipWhile,
  startWith,
  switchMap,
  throttleTime,
} from 'rxjs'
import { type AnyEventObject, fromCallback } from 'xstate'
import type { OwnObserverEvent } from '../../../machines/instance/events.js'
import { isInstanceEditor } from '../../../manifests/instance-rbac.js'
import type { GroupVersionResource, KubeObject } from '../../../manifests/kube.js'
import { NAMESPACES } from '../../../manifests/reserved-namespaces.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import type { Meter } from '../../../ports/meter.js'
import { keepWatching } from '../../../streams/keep-watching.js'
import { listWatch } from '../../../streams/list-watch.js'
import { ObjectStore } from '../../../streams/object-store.js'
import { reflectInto } from '../../../streams/reflect.js'
import { meteredWatch } from '../../watches/metered-watch.js'
import { metadataOnly } from '../../watches/watched-type.js'
import type { InstanceDependencies } from '../dependencies.js'
import { madeInsideSelector, typesInside } from '../effects/rbac-inside.js'

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
    const { host, connectionOf, startupBurst, meter } = dependencies
    const subscription = host.roleBindings.changed
      .pipe(
        filter(instances => instances === 'all' || instances.has(name)),
        startWith(undefined),
        map(() => {
          const bindings = host.roleBindings.of(name)
          return {
            rbac: bindings.length > 0 && !startupBurst.large,
            namespaces: bindings.some(isInstanceEditor),
          }
        }),
        distinctUntilChanged((a, b) => a.rbac === b.rbac && a.namespaces === b.namespaces),
        switchMap(wanted =>
          connectionOf(name).changes.pipe(
            switchMap(connected =>
              connected
                ? merge(
                    wanted.rbac ? changesInside(connected.api, name, meter) : EMPTY,
                    wanted.namespaces ? newNamespaces(connected.api, meter) : EMPTY,
                  )
                : EMPTY,
            ),
          ),
        ),
        throttleTime(AT_MOST_EVERY_MS, undefined, { leading: true, trailing: true }),
      )
      .subscribe(() => sendBack({ type: 'roleBindings.rbacChanged' }))
    return () => subscription.unsubscribe()
  })

/** Changes after everything was seen once. Our own are among them: they are looked at once more, and found to be right. */
const changesInside = (api: KubeApi, name: string, meter: Meter) =>
  merge(
    ...typesInside.map(resource =>
      changesOf(api, resource, meter, { labelSelector: madeInsideSelector(name) }),
    ),
  )

const newNamespaces = (api: KubeApi, meter: Meter) =>
  changesOf(api, NAMESPACES, meter).pipe(filter(({ type }) => type === 'ADDED'))

const changesOf = (
  api: KubeApi,
  resource: GroupVersionResource,
  meter: Meter,
  selectors: { readonly labelSelector?: string } = {},
) =>
  keepWatching(listWatch<KubeObject>(metadataOnly(api), resource, selectors)).pipe(
    meteredWatch(meter, resource.resource),
    reflectInto(new ObjectStore<KubeObject>()),
    skipWhile(({ type }) => type !== 'SYNCED'),
    filter(({ type }) => type !== 'SYNCED'),
  )
