import { distinctUntilChanged, filter, map, merge, type Observable, type Subscription } from 'rxjs'
import type { Failure } from '../../machines/failure.js'
import type { GroupVersionResource } from '../../manifests/kube.js'
import type { Log } from '../../ports/log.js'
import type { Contact } from '../watches/collection.js'

/** A shared watch on the host, as far as its contact goes. */
interface WatchedType {
  readonly resource: GroupVersionResource
  readonly contact: Observable<Contact>
}

const isFailure = (contact: Contact): contact is Failure => typeof contact === 'object'

const typeName = ({ resource, group }: GroupVersionResource): string => `${resource}.${group}`

/** What makes a type readable that the host does not serve, or does not let Kairship read. */
function advice({ group }: GroupVersionResource, { reason }: Failure): string {
  if (reason === 'NotServed')
    return group === 'kairship.io'
      ? 'install the types: kubectl apply -f manifests/crds'
      : 'install Clusterpedia, or another Container Management that brings PediaClusters'
  if (reason === 'Forbidden') return 'grant the rights: kubectl apply -f manifests/install'
  return 'it is tried again'
}

/**
 * Logs each reason why a type that Kairship needs cannot be read from the host, once until it changes. Without its types
 * Kairship shows no instance, and no instance could say why.
 *
 * Karmadas of karmada-operator are left out: a host without the operator is in order.
 */
export function reportContact(
  { instances, virtualClusters, registrations, roleBindings, accessLocks }: ReportedHost,
  log: Log,
): Subscription {
  const watched: readonly WatchedType[] = [
    ...[instances, virtualClusters, registrations],
    ...[...Object.values(roleBindings.sources), accessLocks.collection],
  ]
  return merge(
    ...watched.map(({ resource, contact }) =>
      contact.pipe(
        distinctUntilChanged(
          (before, now) => isFailure(before) && isFailure(now) && before.reason === now.reason,
        ),
        filter(isFailure),
        map(failure => ({ resource, failure })),
      ),
    ),
  ).subscribe(({ resource, failure }) => {
    const type = typeName(resource)
    const { reason, message } = failure
    log.warn(
      { type, reason, problem: message, advice: advice(resource, failure) },
      'a type cannot be read from the host',
    )
  })
}

/** The watches whose contact is reported. */
export interface ReportedHost {
  readonly instances: WatchedType
  readonly virtualClusters: WatchedType
  readonly registrations: WatchedType
  readonly roleBindings: { readonly sources: Readonly<Record<'bindings', WatchedType>> }
  readonly accessLocks: { readonly collection: WatchedType }
}
