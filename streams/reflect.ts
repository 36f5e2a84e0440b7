import { mergeMap, type OperatorFunction } from 'rxjs'
import type { KubeObject } from '../manifests/kube.js'
import type { Change, ObjectStore } from './object-store.js'
import type { Seen } from './seen.js'

/**
 * Keeps a store equal to what is seen, and emits the differences: after a relist only what really changed, with a deleted
 * and recreated object as DELETED and ADDED. The store is already up to date when a change is emitted. One store belongs to
 * one subscription.
 */
export const reflectInto = <T extends KubeObject>(
  store: ObjectStore<T>,
): OperatorFunction<Seen<T>, Change<T>> => mergeMap(seen => store.take(seen))
