import type { KubeObject } from '../../manifests/kube.js'
import type { AnsweredFrom } from '../answered-from.js'
import type { Page, PageRequest } from './paging.js'

/** What a list is to show. Every condition must hold. */
export interface ListQuery<T extends KubeObject = KubeObject> extends PageRequest {
  /** Absent or empty for all namespaces. */
  readonly namespace?: string
  /** As kubectl writes it. */
  readonly labelSelector?: string
  /** As kubectl writes it; the instance knows which fields there are. */
  readonly fieldSelector?: string
  /** Texts that the name contains, each of them; empty ones are left out. */
  readonly nameContains?: readonly string[]
  /** Only objects of these names; absent or empty for any. */
  readonly names?: readonly string[]
  /** Only objects that the owner of this uid controls. */
  readonly ownerUid?: string
  /** What only we can tell of an object, such as its state. */
  readonly where?: (object: T) => boolean
  /** Where the list is followed, called with each object before `where`: reads what `where` does not know yet. */
  readonly learn?: (object: T) => Promise<void>
  /** By name, ascending, where it is absent. */
  readonly sort?: Sort<T>
}

/** An order of objects. Of equal ones those with the smaller namespace and then name come first, whatever the direction. */
export interface Sort<T extends KubeObject = KubeObject> {
  readonly key: 'name' | 'namespace' | 'createdAt' | ((object: T) => string)
  readonly descending: boolean
}

/** A page of objects, and where it was read. */
export interface ObjectPage<T extends KubeObject> extends Page<T> {
  readonly answered: AnsweredFrom
}
