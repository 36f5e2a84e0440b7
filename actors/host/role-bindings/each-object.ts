import type { Subscription } from 'rxjs'
import type { KubeObject } from '../../../manifests/kube.js'
import type { Collection } from '../../watches/collection.js'

/** What an object of any of the sources is about. The types do not let it change; an object that changed it all the same must not count twice. */
interface About {
  readonly spec: { readonly instance?: string; readonly workspace?: string; readonly namespace?: string }
}
const isMoved = (one: About, other: About): boolean =>
  one.spec.instance !== other.spec.instance ||
  one.spec.workspace !== other.spec.workspace ||
  one.spec.namespace !== other.spec.namespace

/** Each object as it comes, changes and goes. A store shows another object of the same name as a going and a coming. */
export function eachObject<T extends KubeObject>(
  collection: Collection<T>,
  take: (object: T, isThere: boolean) => void,
): Subscription {
  return collection.changes.subscribe(change => {
    if (change.type === 'SYNCED') return
    if (
      change.type === 'MODIFIED' &&
      isMoved(change.previous as unknown as About, change.object as unknown as About)
    )
      take(change.previous, false)
    take(change.object, change.type !== 'DELETED')
  })
}
